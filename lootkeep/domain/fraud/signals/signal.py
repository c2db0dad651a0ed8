"""One row of the signals table."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

import msgspec

from lootkeep.domain.fraud.facts import OrderFacts
from lootkeep.domain.fraud.policy import Policy

Family = Literal["network", "geography", "velocity", "email", "identity", "payment"]
Measure = Callable[[OrderFacts, Policy], bool | int]


class Signal(msgspec.Struct, frozen=True):
    """Something that counts against an order, or in its favour if points are negative.

    The points are multiplied by what `measure` returns, up to the cap.
    """

    name: str
    # For people: shown in `detected_signals`, the console and reports.
    label: str
    family: Family
    points: int
    cap: int
    # The `fraud_check_` setting that turns it off, if there is one.
    setting: str | None
    # Its docstring is the explanation in docs/fraud.md.
    measure: Measure
