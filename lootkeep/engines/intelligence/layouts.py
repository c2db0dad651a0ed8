"""Field names in address data of MaxMind, DB-IP, IPinfo and IPLocate, nested or flat."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from lootkeep.domain.codes import countries
from lootkeep.domain.fraud.facts import NetworkFacts
from lootkeep.engines.intelligence.sources import SourceKind, needs_of

# Parts of a record that may contain the fields below, in addition to the record itself.
_PARTS = ("traits", "anonymous", "anonymizer", "privacy", "geo", "location", "as", "asn")
_ASN = ("autonomous_system_number", "asn", "as_number")
_ASN_NAME = ("autonomous_system_organization", "as_name", "name", "org", "organization")
_FLAG_FIELDS: dict[SourceKind, tuple[str, ...]] = {
    "vpn": ("is_vpn", "vpn", "is_anonymous_vpn"),
    "proxy": ("is_proxy", "proxy", "is_public_proxy", "is_residential_proxy", "is_res_proxy", "is_anonymous_proxy"),
    "datacenter": ("is_hosting", "hosting", "is_hosting_provider", "is_datacenter"),
    "tor": ("is_tor", "tor", "is_tor_exit_node"),
}
_FLAGS = {field: need for need, fields in _FLAG_FIELDS.items() for field in fields}
_TRUE = frozenset({"true", "1", "t", "yes"})

_EMPTY = NetworkFacts()

DatabaseRecord = Mapping[str, Any]


def network_of(record: object) -> NetworkFacts | None:
    """The data of a record; None if it has nothing we need."""
    parts = _parts(record)
    asn_number, asn_name = _asn(parts)
    flags = {f"is_{_FLAGS[name]}": True for part in parts for name in part if name in _FLAGS and _is_true(part[name])}
    network = NetworkFacts(
        country=_country(parts), city=_city(parts), asn_number=asn_number, asn_name=asn_name, **flags
    )
    return None if network == _EMPTY else network


def needs_served(record: object) -> set[SourceKind]:
    """The needs for which a record has fields; a flag that is false counts too."""
    flags = {_FLAGS[field] for part in _parts(record) for field in part if field in _FLAGS}
    return flags | needs_of(network_of(record) or _EMPTY)


def country(code: object) -> str | None:
    """The code of an existing country, which EU, AP and ZZ are not."""
    return code if isinstance(code, str) and code in countries() else None


def _parts(record: object) -> list[DatabaseRecord]:
    if not isinstance(record, Mapping):
        return []
    return [record, *[part for name in _PARTS if isinstance(part := record.get(name), Mapping)]]


def _country(parts: list[DatabaseRecord]) -> str | None:
    for part in parts:
        if code := country(part.get("country_code")) or country(_iso_code(part.get("country"))):
            return code
    return country(_iso_code(parts[0].get("registered_country"))) if parts else None


def _iso_code(value: object) -> object:
    return value.get("iso_code") if isinstance(value, Mapping) else value


def _city(parts: list[DatabaseRecord]) -> str | None:
    for part in parts:
        city = part.get("city")
        if isinstance(city, Mapping):
            names = city.get("names")
            city = names.get("en") if isinstance(names, Mapping) else None
        if isinstance(city, str) and city:
            return city
    return None


def _asn(parts: list[DatabaseRecord]) -> tuple[int | None, str | None]:
    for part in parts:
        for field in _ASN:
            if number := _number(part.get(field)):
                names = (part.get(name) for name in _ASN_NAME)
                return number, next((name for name in names if isinstance(name, str) and name), None)
    return None, None


def _number(value: object) -> int | None:
    """15169, "15169" and "AS15169" are one network; 0 is none."""
    if isinstance(value, str):
        digits = value.upper().removeprefix("AS")
        value = int(digits) if digits.isascii() and digits.isdigit() and len(digits) <= 10 else None
    return value if isinstance(value, int) and 0 < value < 1 << 32 else None


def _is_true(value: object) -> bool:
    return value is True or value == 1 or (isinstance(value, str) and value.lower() in _TRUE)
