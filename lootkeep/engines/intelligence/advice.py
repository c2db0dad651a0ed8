"""What to do if a need has no list, or an old one."""

from __future__ import annotations

from lootkeep.domain.fraud.signals.network import TOR_LIST_DAYS
from lootkeep.engines.intelligence.sources import Source, SourceKind
from lootkeep.kernel.clock import DAY, Instant

_FETCH = "run `lootkeep fraud lists refresh`, or put {file} into {folder}"
_ADVICE: dict[SourceKind, str] = {
    "country": "install the package iptocc, or put an MMDB file into {folder}",
    "city": "put an MMDB file with cities into {folder}, if you want to see them",
    "asn": "install the package whereip-network, or put an MMDB file or iptoasn's TSV into {folder}",
    "datacenter": _FETCH.replace("{file}", "datacenter.txt"),
    "vpn": _FETCH.replace("{file}", "vpn.txt"),
    "proxy": _FETCH.replace("{file}", "proxy.txt"),
    "tor": _FETCH.replace("{file}", "tor.txt"),
    "disposable": _FETCH.replace("{file}", "disposable.txt"),
}


def advice(need: SourceKind, sources: list[Source], now: Instant, folder: str) -> str | None:
    """What to do about a need; None if nothing."""
    if not sources:
        return f"No list loaded: {_ADVICE[need].format(folder=folder)}."
    ages = [age for source in sources if (age := days_old(source, now)) is not None]
    if need == "tor" and ages and min(ages) > TOR_LIST_DAYS:
        return f"Older than {TOR_LIST_DAYS} days, it counts for less: run `lootkeep fraud lists refresh`."
    return None


def described(source: Source, need: SourceKind, now: Instant) -> str:
    """A source as text, such as `tor-exits.txt (1,204 entries, 2 days old)`."""
    entries, age = source.entries[need], age_of(source, now)
    details = [f"{entries:,} entries" if entries is not None else "", f"{age} old" if age else ""]
    words = ", ".join(word for word in details if word)
    return f"{source.name} ({words})" if words else source.name


def days_old(source: Source, now: Instant) -> int | None:
    return None if source.dated is None else max(0, now - source.dated) // DAY


def age_of(source: Source, now: Instant) -> str:
    days = days_old(source, now)
    if days is None:
        return ""
    return "1 day" if days == 1 else f"{days} days"
