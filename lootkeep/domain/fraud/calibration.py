"""How likely fraud is at a score, and whether the store's own orders bear out the points of each signal.

Ten points double the odds. What an ordinary order of this store has is measured from orders that are old enough for
the truth to be known; what each signal should count follows from how many frauds there were among its orders,
compared with how many everything else about those orders lets expect.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from math import exp, log, log2, sqrt

import msgspec

from lootkeep.domain.disputes import SILENCE_IS_GOOD
from lootkeep.domain.fraud import ranking
from lootkeep.domain.fraud.review import label
from lootkeep.domain.fraud.score import HIGHEST_SCORE, ORDINARY_ODDS, changed, probability
from lootkeep.domain.fraud.signals import BY_NAME
from lootkeep.kernel.clock import Instant

# The base odds are stored under this name.
SETTINGS = "fraud_base_odds"
# With fewer orders with a known outcome, the odds are those of an ordinary store.
MIN_LABELS = 50
# A signal on fewer orders says nothing.
MIN_ORDERS = 20
# The maximum change at a time.
MAX_CHANGE = 10
_LOW_FALSE_POSITIVE_RATE = 0.01
# For a 95 % confidence interval.
_Z = 1.96
_PER_POINT = log(2) / 10


class BaseOdds(msgspec.Struct, frozen=True, kw_only=True):
    """The odds of fraud of an order without points."""

    odds: float = ORDINARY_ODDS
    orders: int = 0
    frauds: int = 0
    labels: int = 0
    measured_at: Instant = Instant(0)


class PastCheck(msgspec.Struct, frozen=True, gc=False):
    """What counted for and against a past order, and its outcome."""

    points: Mapping[str, int]
    is_fraud: bool


class SignalFit(msgspec.Struct, frozen=True, kw_only=True):
    """What the orders with a signal say about its points."""

    name: str
    label: str
    orders: int
    frauds: int
    # How many frauds the other signals of these orders predict.
    expected: float
    # How much the signal multiplies the odds, with its 95 % confidence interval.
    lift: float
    lift_low: float
    lift_high: float
    points_given: float
    points_by_data: int
    # By how much to change its points; 0 if the points are within the interval, or too little is known.
    change: int
    sentence: str


class Trial(msgspec.Struct, frozen=True, kw_only=True):
    """The ranking of the last fifth of the orders by time, now and with the changes."""

    orders: int
    frauds: int
    auc_before: float | None
    auc_after: float | None
    tpr_before: float | None
    tpr_after: float | None


class Calibration(msgspec.Struct, frozen=True, kw_only=True):
    base: BaseOdds
    labels: int
    signals: list[SignalFit]
    # The proposed change of each signal, by name.
    changes: dict[str, int]
    trial: Trial


def truth_known(truth: str | None, action: str) -> bool | None:
    """Whether an order that is old enough was fraud. A stopped order has no outcome unless someone reviewed it."""
    if truth in ("fraud", "legitimate"):
        return truth == "fraud"
    return False if truth is None and action in SILENCE_IS_GOOD else None


def base_odds(counts: Iterable[tuple[int, str | None, str, int]], now: Instant) -> BaseOdds:
    """From the number of orders with each score, truth and action."""
    scored: dict[int, int] = {}
    frauds = labels = 0
    for score, truth, action, count in counts:
        is_fraud = truth_known(truth, action)
        if is_fraud is None:
            continue
        scored[score] = scored.get(score, 0) + count
        frauds += count * is_fraud
        labels += count * (truth is not None)
    odds = ORDINARY_ODDS if labels < MIN_LABELS else _fitted_odds(scored, frauds)
    return BaseOdds(odds=odds, orders=sum(scored.values()), frauds=frauds, labels=labels, measured_at=now)


def _fitted_odds(scored: Mapping[int, int], frauds: int) -> float:
    """The odds that predict as many frauds as there were; plus half a fraud, so they are never 0."""
    low, high = -25.0, 10.0
    for _ in range(60):
        middle = (low + high) / 2
        expected = sum(count * probability(score, exp(middle)) for score, count in scored.items())
        low, high = (middle, high) if expected < frauds + 0.5 else (low, middle)
    return exp(low)


def calibrate(past: Sequence[PastCheck], labels: int, now: Instant) -> Calibration:
    """Takes orders in chronological order: the first four fifths give the proposal, the last fifth tests it."""
    cut = len(past) * 4 // 5
    earlier, last = past[:cut], past[cut:]
    scored: dict[int, int] = {}
    for check in earlier:
        scored[_score(check.points)] = scored.get(_score(check.points), 0) + 1
    frauds = sum(check.is_fraud for check in earlier)
    odds = _fitted_odds(scored, frauds) if labels >= MIN_LABELS else ORDINARY_ODDS
    by_signal: dict[str, list[PastCheck]] = {}
    for check in earlier:
        for name in check.points.keys() & BY_NAME.keys():
            by_signal.setdefault(name, []).append(check)
    fits = [_fit(name, by_signal[name], odds, labels) for name in BY_NAME if name in by_signal]
    changes = {fit.name: fit.change for fit in fits if fit.change}
    base = BaseOdds(odds=odds, orders=len(earlier), frauds=frauds, labels=labels, measured_at=now)
    return Calibration(base=base, labels=labels, signals=fits, changes=changes, trial=_trial(last, changes))


def _score(points: Mapping[str, int]) -> int:
    return max(0, min(sum(points.values()), HIGHEST_SCORE))


def _fit(name: str, checks: Sequence[PastCheck], odds: float, labels: int) -> SignalFit:
    orders, frauds = len(checks), sum(check.is_fraud for check in checks)
    others = (_score({other: value for other, value in check.points.items() if other != name}) for check in checks)
    expected = sum(probability(score, odds) for score in others)
    without = expected / max(orders - expected, 1e-9)
    low, high = _range(frauds, orders)
    lift, lift_low, lift_high = (
        share / (1 - share) / without for share in ((frauds + 0.5) / (orders + 1), low, min(high, 1 - 1e-9))
    )
    average = sum(check.points[name] for check in checks) / orders
    is_known = labels >= MIN_LABELS and orders >= MIN_ORDERS
    fits = lift_low <= exp(average * _PER_POINT) <= lift_high
    by_data = round(10 * log2(lift))
    change = 0 if fits or not is_known else max(-MAX_CHANGE, min(round(by_data - average), MAX_CHANGE))
    return SignalFit(
        name=name,
        label=label(name),
        orders=orders,
        frauds=frauds,
        expected=round(expected, 2),
        lift=round(lift, 2),
        lift_low=round(lift_low, 2),
        lift_high=round(lift_high, 2),
        points_given=round(average, 1),
        points_by_data=by_data,
        change=change,
        sentence=_sentence(is_known, fits, change),
    )


def _sentence(is_known: bool, fits: bool, change: int) -> str:
    if not is_known:
        return "There is too little data."
    if fits or not change:
        return "The points match the orders."
    more = "more" if change > 0 else "less"
    return f"According to the orders it should count {more}: try {abs(change)} points {more}."


def _range(part: int, whole: int) -> tuple[float, float]:
    """The 95 % confidence interval of a share, by Wilson."""
    share = part / whole
    middle = share + _Z**2 / (2 * whole)
    width = _Z * sqrt(share * (1 - share) / whole + _Z**2 / (4 * whole**2))
    scale = 1 + _Z**2 / whole
    return max(0.0, (middle - width) / scale), min(1.0, (middle + width) / scale)


def _trial(last: Sequence[PastCheck], changes: Mapping[str, int]) -> Trial:
    before = ranking.tally((_score(check.points), check.is_fraud) for check in last)
    after = ranking.tally((_score(changed(check.points, changes)), check.is_fraud) for check in last)
    return Trial(
        orders=len(last),
        frauds=before.frauds,
        auc_before=ranking.auc(before),
        auc_after=ranking.auc(after),
        tpr_before=ranking.tpr_at(_LOW_FALSE_POSITIVE_RATE, ranking.curve(before)),
        tpr_after=ranking.tpr_at(_LOW_FALSE_POSITIVE_RATE, ranking.curve(after)),
    )
