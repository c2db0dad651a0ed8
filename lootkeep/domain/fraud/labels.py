"""What a label of one order means for later ones: the links by which they find it."""

from __future__ import annotations

from typing import Literal

import msgspec

from lootkeep.kernel.clock import Instant

# A confirmed fraud is found by its customer, instrument, mailbox, device and player; `disputed` by the customer of any
# dispute.
LabelKind = Literal["customer", "instrument", "mailbox", "device", "player", "disputed"]


class Label(msgspec.Struct, frozen=True):
    kind: LabelKind
    value: str
    # Nobody knew it before this time.
    since: Instant


def fraud_labels(
    since: Instant,
    *,
    customer: str | None,
    instrument: str | None,
    mailbox: str | None,
    device: str | None,
    player: str | None,
) -> list[Label]:
    links: dict[LabelKind, str | None] = {
        "customer": customer,
        "instrument": instrument,
        "mailbox": mailbox,
        "device": device,
        "player": player,
    }
    return [Label(kind, value, since) for kind, value in links.items() if value]
