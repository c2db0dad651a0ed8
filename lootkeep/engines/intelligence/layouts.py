"""How makers of address data name their fields: MaxMind, DB-IP, IPinfo and IPLocate, nested or flat."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import iso3166

from lootkeep.domain.fraud.facts import Network

# Parts of a record in which the fields below may lie, beside the record itself.
_PARTS = ("traits", "anonymous", "anonymizer", "privacy", "geo", "location", "as", "asn")
_ASN = ("autonomous_system_number", "asn", "as_number")
_ASN_NAME = ("autonomous_system_organization", "as_name", "name", "org", "organization")
_FLAGS = {
    "is_vpn": "is_vpn",
    "vpn": "is_vpn",
    "is_anonymous_vpn": "is_vpn",
    "is_proxy": "is_proxy",
    "proxy": "is_proxy",
    "is_public_proxy": "is_proxy",
    "is_residential_proxy": "is_proxy",
    "is_res_proxy": "is_proxy",
    "is_anonymous_proxy": "is_proxy",
    "is_hosting": "is_datacenter",
    "hosting": "is_datacenter",
    "is_hosting_provider": "is_datacenter",
    "is_datacenter": "is_datacenter",
    "is_tor": "is_tor",
    "tor": "is_tor",
    "is_tor_exit_node": "is_tor",
}
_TRUE = frozenset({"true", "1", "t", "yes"})
# Codes such as EU, AP and ZZ stand for no country.
_COUNTRIES = frozenset(country.alpha2 for country in iso3166.countries)

_EMPTY = Network()

Record = Mapping[str, Any]


def network_of(record: object) -> Network | None:
    """What a record says; None when that is nothing we ask for."""
    if not isinstance(record, Mapping):
        return None
    parts = list(_parts(record))
    number, name = _asn(parts)
    found = Network(country=_country(parts), city=_city(parts), asn_number=number, asn_name=name, **_flags(parts))
    return None if found == _EMPTY else found


def fields_served(record: object) -> frozenset[str]:
    """Which needs a record has fields for, whatever they say."""
    if not isinstance(record, Mapping):
        return frozenset()
    parts = list(_parts(record))
    served = {_FLAGS[name].removeprefix("is_") for part in parts for name in part if name in _FLAGS}
    found = network_of(record) or _EMPTY
    known = {"country": found.country, "city": found.city, "asn": found.asn_number}
    return frozenset(served | {need for need, value in known.items() if value is not None})


def country(code: object) -> str | None:
    """The code of a country that exists."""
    return code if isinstance(code, str) and code in _COUNTRIES else None


def _parts(record: Record) -> Iterator[Record]:
    yield record
    for name in _PARTS:
        part = record.get(name)
        if isinstance(part, Mapping):
            yield part


def _country(parts: list[Record]) -> str | None:
    for part in parts:
        nested = part.get("country")
        code = nested.get("iso_code") if isinstance(nested, Mapping) else nested
        if found := country(part.get("country_code")) or country(code):
            return found
    registered = parts[0].get("registered_country")
    return country(registered.get("iso_code")) if isinstance(registered, Mapping) else None


def _city(parts: list[Record]) -> str | None:
    for part in parts:
        city = part.get("city")
        if isinstance(city, Mapping):
            names = city.get("names")
            city = names.get("en") if isinstance(names, Mapping) else None
        if isinstance(city, str) and city:
            return city
    return None


def _asn(parts: list[Record]) -> tuple[int | None, str | None]:
    for part in parts:
        for field in _ASN:
            number = _number(part.get(field))
            if number:
                names = (part.get(name) for name in _ASN_NAME)
                return number, next((name for name in names if isinstance(name, str) and name), None)
    return None, None


def _number(value: object) -> int | None:
    """15169, "15169" and "AS15169" are one network; 0 is none."""
    if isinstance(value, str):
        digits = value.upper().removeprefix("AS")
        value = int(digits) if digits.isascii() and digits.isdigit() and len(digits) <= 10 else None
    return value if isinstance(value, int) and 0 < value < 1 << 32 else None


def _flags(parts: list[Record]) -> dict[str, bool]:
    return {_FLAGS[name]: True for part in parts for name, value in part.items() if name in _FLAGS and _is_true(value)}


def _is_true(value: object) -> bool:
    return value is True or value == 1 or (isinstance(value, str) and value.lower() in _TRUE)
