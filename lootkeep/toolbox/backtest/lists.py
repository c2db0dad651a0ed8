"""The limits of IP lists and domain lists for past orders."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from lootkeep.engines.intelligence.sources import Source, SourceKind
from lootkeep.kernel.clock import iso
from lootkeep.toolbox.backtest.reading import PastOrder

# The needs that signals depend on.
_NEEDS: tuple[SourceKind, ...] = ("country", "datacenter", "vpn", "proxy", "tor", "disposable")


def warnings(status: Mapping[SourceKind, Sequence[Source]], orders: Sequence[PastOrder]) -> list[str]:
    """Missing lists, and lists that are all newer than the last order."""
    last = max((order.created_at or 0 for order in orders), default=0)
    missing = [need for need in _NEEDS if not status.get(need)]
    younger = {
        need: min(dates)
        for need in _NEEDS
        if last and (dates := [source.dated for source in status.get(need, ()) if source.dated is not None])
        if min(dates) > last
    }
    sentences = []
    if missing:
        sentences.append(f"No list loaded, so these signals are inactive: {', '.join(missing)}.")
    for need, dated in younger.items():
        sentences.append(
            f"The list for {need} is of {iso(dated)[:10]}, newer than the orders: IP addresses and domains may have "
            "changed owners since."
        )
    return sentences
