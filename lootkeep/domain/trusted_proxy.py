"""A proxy that signs people in: whose word counts, and whom it names."""

from __future__ import annotations

import ipaddress
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from lootkeep.domain.addresses import IpNetwork


@dataclass(frozen=True, slots=True)
class TrustedProxy:
    """What the settings say of it."""

    header: str
    networks: Sequence[IpNetwork]
    groups_header: str | None = None
    # By group the name of a role, the most important first.
    roles: Mapping[str, str] = field(default_factory=dict)

    def email(self, peer: str, headers: Sequence[tuple[bytes, bytes]]) -> str | None:
        """Whom the proxy names; None from any other address, and if the header is there twice: one is of the client."""
        values = self._values(self.header, headers) if self._is_trusted(peer) else []
        return values[0].lower() or None if len(values) == 1 else None

    def groups(self, headers: Sequence[tuple[bytes, bytes]]) -> list[str]:
        values = self._values(self.groups_header, headers) if self.groups_header else []
        return [group.strip() for group in values[0].split(",")] if len(values) == 1 else []

    def _values(self, name: str, headers: Sequence[tuple[bytes, bytes]]) -> list[str]:
        """Only the very name: with an underscore in place of a hyphen it is another header, which anyone may send."""
        wanted = name.lower().encode()
        return [value.decode("latin-1").strip() for header, value in headers if header.lower() == wanted]

    def _is_trusted(self, peer: str) -> bool:
        try:
            ip = ipaddress.ip_address(peer)
        except ValueError:
            return False
        ip = getattr(ip, "ipv4_mapped", None) or ip
        return any(ip in network for network in self.networks)
