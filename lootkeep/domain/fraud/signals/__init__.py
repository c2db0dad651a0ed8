"""SIGNALS, the table of everything that counts against an order."""

from __future__ import annotations

from lootkeep.domain.fraud.signals import email, geography, identity, network, velocity
from lootkeep.domain.fraud.signals.signal import Signal

_GEO = "fraud_check_geo_mismatch"
_VELOCITY = "fraud_check_velocity"
_DISPOSABLE = "fraud_check_disposable_email"

# Points are round on purpose, and follow from what they should add up to. 40 asks for a look, 60 blocks in a new store.
# Nothing that honest people do alone gets there: a first order within a minute of signing up is 25, a VPN in a
# datacenter 30. What hardly anybody but fraud does together has to: the fourth brand-new account on a device is
# blocked (25 + 36), within the hour the second is flagged (25 + 12 + 12 + 5) and the third blocked (25 + 24 + 24 + 10).
# A café's computer with old accounts is flagged at most (36 + 12 + 10). Tor and embargoed countries are flagged
# where the owner does not block them; one confirmed fraud blocks the next order.
SIGNALS: tuple[Signal, ...] = (
    Signal("vpn", "VPN address", "network", 15, 15, None, network.vpn),
    Signal("proxy", "Proxy address", "network", 20, 20, None, network.proxy),
    Signal("datacenter", "Datacenter address", "network", 15, 15, None, network.datacenter),
    Signal("tor", "Tor exit", "network", 20, 40, None, network.tor),
    Signal("sanctioned_country", "Sanctioned country", "geography", 40, 40, None, geography.sanctioned_country),
    Signal("blocked_country", "Country blocked by the store", "geography", 60, 60, None, geography.blocked_country),
    Signal("high_risk_country", "High-risk country", "geography", 10, 10, None, geography.high_risk_country),
    Signal(
        "geo_mismatch", "Address and billing in different countries", "geography", 20, 20, _GEO, geography.geo_mismatch
    ),
    Signal("velocity_ip", "Too many orders from one address", "velocity", 20, 40, _VELOCITY, velocity.velocity_ip),
    Signal("velocity_email", "Too many orders of one mailbox", "velocity", 20, 40, _VELOCITY, velocity.velocity_email),
    Signal("disposable_email", "Disposable e-mail address", "email", 25, 25, _DISPOSABLE, email.disposable_email),
    Signal("relay_email", "Forwarding e-mail address", "email", 5, 5, None, email.relay_email),
    Signal("tagged_email", "Tagged e-mail address", "email", 5, 5, None, email.tagged_email),
    Signal("account_age", "New account", "identity", 5, 25, None, identity.account_age),
    Signal("device_reuse", "Other accounts on this device", "identity", 12, 36, None, identity.device_reuse),
    Signal(
        "device_velocity",
        "Other accounts on this device within the hour",
        "identity",
        12,
        36,
        None,
        identity.device_velocity,
    ),
    Signal(
        "ip_accounts", "Other accounts at this address within the hour", "identity", 5, 10, None, identity.ip_accounts
    ),
    Signal(
        "user_agent_missing_or_bot",
        "No browser, or a program",
        "identity",
        5,
        20,
        None,
        identity.user_agent_missing_or_bot,
    ),
    Signal("referral_abuse", "Referral abuse", "identity", 15, 15, None, identity.referral_abuse),
    Signal("confirmed_fraud", "Earlier fraud, confirmed", "identity", 60, 80, None, identity.confirmed_fraud),
)

BY_NAME = {signal.name: signal for signal in SIGNALS}
