"""Which IP addresses are public, because webhooks may use only those, and how IP addresses are counted."""

from __future__ import annotations

import ipaddress
from collections.abc import Sequence

IpAddress = ipaddress.IPv4Address | ipaddress.IPv6Address
IpNetwork = ipaddress.IPv4Network | ipaddress.IPv6Network

# The IANA special-purpose registries, multicast, and 6to4 and IPv4-compatible addresses, which are no longer in use: no
# receiver on the internet has one of these.
NOT_PUBLIC: tuple[IpNetwork, ...] = tuple(
    ipaddress.ip_network(text)
    for text in (
        "0.0.0.0/8",
        "10.0.0.0/8",
        "100.64.0.0/10",
        "127.0.0.0/8",
        "169.254.0.0/16",
        "172.16.0.0/12",
        "192.0.0.0/24",
        "192.0.2.0/24",
        "192.31.196.0/24",
        "192.52.193.0/24",
        "192.88.99.0/24",
        "192.168.0.0/16",
        "192.175.48.0/24",
        "198.18.0.0/15",
        "198.51.100.0/24",
        "203.0.113.0/24",
        "224.0.0.0/4",
        "240.0.0.0/4",
        "::/96",
        "64:ff9b:1::/48",
        "100::/64",
        "2001::/23",
        "2001:db8::/32",
        "2002::/16",
        "2620:4f:8000::/48",
        "3fff::/20",
        "5f00::/16",
        "fc00::/7",
        "fe80::/10",
        "fec0::/10",
        "ff00::/8",
    )
)
# Metadata services, where clouds keep the credentials of their machines: never allowed, regardless of the settings.
# Some of them are in ranges that are private or even public elsewhere.
_METADATA: tuple[IpNetwork, ...] = tuple(
    ipaddress.ip_network(text)
    for text in (
        "169.254.0.0/16",  # nearly all of them
        "fe80::/10",
        "fd00:ec2::/32",  # Amazon
        "fd20:ce::254/128",  # Google
        "168.63.129.16/32",  # Azure
        "100.100.100.200/32",  # Alibaba
        "192.0.0.192/32",  # Oracle
        "fd00:42::42/128",  # Scaleway
        "fd00:a9fe:a9fe::1/128",  # Akamai
    )
)
# All of IPv6 that is assigned; the rest is unused.
_GLOBAL_IPV6 = ipaddress.ip_network("2000::/3")
_NAT64 = ipaddress.ip_network("64:ff9b::/96")
# IPv4-compatible, and translation inside a private network: addresses that end in an IPv4 address.
_ENDING_IN_IPV4 = (ipaddress.ip_network("::/96"), ipaddress.ip_network("64:ff9b:1::/48"))
# Above the IPv4 address of a tunnel inside a site (ISATAP), in any network; one bit may differ.
_ISATAP, _ISATAP_MASK = 0x0000_5EFE, 0xFDFF_FFFF


def is_public(text: str, allowed: Sequence[IpNetwork] = ()) -> bool:
    """Whether an IP address may be connected to; an IPv4 address inside an IPv6 address is checked as IPv4."""
    ip = ipaddress.ip_address(text.split("%", 1)[0])
    return all(_is_public(form, allowed) for form in _forms(ip))


def network_key(text: str) -> str:
    """The unit an IP address is counted by: itself, or the /64 of an IPv6 address, which one household owns.

    Written with all four groups, so SQL can produce the same.
    """
    if ":" not in text:
        return text
    try:
        ip = ipaddress.IPv6Address(text.split("%", 1)[0])
    except ValueError:
        # A proxy may write a peer in another form.
        return text
    if ip.ipv4_mapped:
        return str(ip.ipv4_mapped)
    network = int(ip) >> 64
    return ":".join(f"{network >> shift & 0xFFFF:x}" for shift in (48, 32, 16, 0)) + "::/64"


def _is_public(ip: IpAddress, allowed: Sequence[IpNetwork]) -> bool:
    if any(_within(ip, network) for network in _METADATA):
        return False
    if any(_within(ip, network) for network in allowed):
        return True
    if isinstance(ip, ipaddress.IPv6Address) and ip not in _GLOBAL_IPV6:
        return False
    return not any(_within(ip, network) for network in NOT_PUBLIC)


def _forms(ip: IpAddress) -> list[IpAddress]:
    """The IP address, and the IPv4 addresses that a tunnel or a translator would derive from it."""
    if isinstance(ip, ipaddress.IPv4Address):
        return [ip]
    ending = ipaddress.IPv4Address(int(ip) & 0xFFFFFFFF)
    if ip.ipv4_mapped or ip in _NAT64:
        return [ending]
    if ip.sixtofour:
        return [ip, ip.sixtofour]
    if ip.teredo:
        return [ip, *ip.teredo]
    is_tunnel = (int(ip) >> 32) & _ISATAP_MASK == _ISATAP
    if is_tunnel or (int(ip) > 1 and any(ip in network for network in _ENDING_IN_IPV4)):
        return [ip, ending]
    return [ip]


def _within(ip: IpAddress, network: IpNetwork) -> bool:
    return ip.version == network.version and ip in network
