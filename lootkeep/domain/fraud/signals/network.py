"""Where the connection comes from: IP addresses that hide who uses them."""

from __future__ import annotations

from lootkeep.domain.fraud.facts import OrderFacts
from lootkeep.domain.fraud.policy import Policy

# Tor exits change often: a list older than this counts half.
TOR_LIST_DAYS = 14


def vpn(facts: OrderFacts, policy: Policy) -> bool:
    """The IP address is on a list of VPN exits."""
    return facts.network.is_vpn


def proxy(facts: OrderFacts, policy: Policy) -> bool:
    """The IP address is on a list of open or anonymous proxies."""
    return facts.network.is_proxy


def datacenter(facts: OrderFacts, policy: Policy) -> bool:
    """The IP address belongs to a hosting provider; people rarely buy from there."""
    return facts.network.is_datacenter


def tor(facts: OrderFacts, policy: Policy) -> int:
    """The IP address is a Tor exit. Counts half if the list is older than 14 days."""
    if not facts.network.is_tor:
        return 0
    return 1 if (facts.network.tor_list_days or 0) > TOR_LIST_DAYS else 2
