"""The results of a replay in numbers: the format of `--json`, from which tables and page are generated."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import msgspec

from lootkeep.domain.fraud import ranking
from lootkeep.domain.fraud.policy import Sensitivity
from lootkeep.domain.fraud.score import HIGHEST_SCORE, THRESHOLDS, Action
from lootkeep.domain.fraud.signals import SIGNALS
from lootkeep.kernel.money import Hundredths, text
from lootkeep.toolbox.backtest.reading import PastOrders
from lootkeep.toolbox.backtest.replay import JudgedOrder
from lootkeep.toolbox.files.reading import BadRow

LOW_FALSE_POSITIVE_RATE = 0.01
_THRESHOLDS = range(10, HIGHEST_SCORE + 1, 10)
# At most this many bad rows are listed; the others are counted.
_NAMED_ROWS = 100


class Threshold(msgspec.Struct, frozen=True):
    """What would be caught if every order from this score on were caught."""

    score: int
    flagged: int
    frauds: int
    precision: float | None
    recall: float | None
    false_positive_rate: float | None


class SensitivityLevel(msgspec.Struct, frozen=True):
    """What a sensitivity level would have done to the orders, with `fraud_action` block."""

    level: Sensitivity
    threshold: int
    blocked: int
    flagged: int
    allowed: int
    frauds_blocked: int
    frauds_flagged: int
    precision: float | None
    recall: float | None
    # Amounts, if the file has totals: fraud that was stopped, and good orders that were stopped.
    fraud_total_blocked: str | None
    good_total_blocked: str | None


class SignalShare(msgspec.Struct, frozen=True):
    """How much a signal contributed."""

    name: str
    label: str
    fired: int
    frauds: int
    precision: float | None
    recall: float | None
    average_points: float | None
    # By how much the AUC would fall without it.
    auc_gain: float | None


class Skipped(msgspec.Struct, frozen=True):
    line: int
    reason: str


class LastFifth(msgspec.Struct, frozen=True):
    """The same figures for the last fifth of the orders by time: earlier results may no longer hold."""

    orders: int
    frauds: int
    auc: float | None
    tpr_at_1pct_fpr: float | None


class Report(msgspec.Struct, frozen=True, kw_only=True):
    orders: int
    frauds: int
    auc: float | None
    tpr_at_1pct_fpr: float | None
    # Null if the file has no times.
    last_fifth: LastFifth | None
    thresholds: list[Threshold]
    sensitivity: list[SensitivityLevel]
    signals: list[SignalShare]
    roc: list[ranking.Point]
    scores: ranking.ScoreTally
    settings: str
    missing_columns: list[str]
    # The limits of IP lists and domain lists for these orders.
    list_warnings: list[str]
    skipped: int
    skipped_rows: list[Skipped]
    seconds: float


def report(
    judged: Sequence[JudgedOrder], past: PastOrders, seconds: float, settings: str, list_warnings: list[str]
) -> Report:
    counts = ranking.tally((order.verdict.risk_score, order.order.is_fraud) for order in judged)
    roc = ranking.curve(counts)
    return Report(
        orders=len(judged),
        frauds=counts.frauds,
        auc=ranking.auc(counts),
        tpr_at_1pct_fpr=ranking.tpr_at(LOW_FALSE_POSITIVE_RATE, roc),
        last_fifth=_last_fifth(judged) if "created_at" in past.columns else None,
        thresholds=[_threshold(score, counts) for score in _THRESHOLDS],
        sensitivity=[_level(level, judged, counts.frauds, "total" in past.columns) for level in THRESHOLDS],
        signals=_signals(judged, counts),
        roc=roc,
        scores=counts,
        settings=settings,
        missing_columns=past.missing,
        list_warnings=list_warnings,
        skipped=len(past.skipped),
        skipped_rows=[_skipped(row) for row in past.skipped[:_NAMED_ROWS]],
        seconds=round(seconds, 3),
    )


def _last_fifth(judged: Sequence[JudgedOrder]) -> LastFifth:
    in_time = sorted(judged, key=lambda order: order.order.created_at or 0)
    last = in_time[len(in_time) * 4 // 5 :]
    counts = ranking.tally((order.verdict.risk_score, order.order.is_fraud) for order in last)
    return LastFifth(
        len(last), counts.frauds, ranking.auc(counts), ranking.tpr_at(LOW_FALSE_POSITIVE_RATE, ranking.curve(counts))
    )


def _threshold(score: int, counts: ranking.ScoreTally) -> Threshold:
    frauds, goods = sum(counts.fraud[score:]), sum(counts.good[score:])
    return Threshold(
        score=score,
        flagged=frauds + goods,
        frauds=frauds,
        precision=_share(frauds, frauds + goods),
        recall=_share(frauds, counts.frauds),
        false_positive_rate=_share(goods, counts.goods),
    )


def _level(level: Sensitivity, judged: Sequence[JudgedOrder], frauds: int, has_totals: bool) -> SensitivityLevel:
    by_action: dict[Action, list[JudgedOrder]] = {}
    for order in judged:
        by_action.setdefault(order.actions[level], []).append(order)
    blocked, flagged = by_action.get("blocked", []), by_action.get("flagged", [])
    stopped = [order for order in blocked if order.order.is_fraud]
    return SensitivityLevel(
        level=level,
        threshold=THRESHOLDS[level],
        blocked=len(blocked),
        flagged=len(flagged),
        allowed=len(by_action.get("allowed", [])),
        frauds_blocked=len(stopped),
        frauds_flagged=sum(order.order.is_fraud for order in flagged),
        precision=_share(len(stopped), len(blocked)),
        recall=_share(len(stopped), frauds),
        fraud_total_blocked=_total(stopped) if has_totals else None,
        good_total_blocked=_total(order for order in blocked if not order.order.is_fraud) if has_totals else None,
    )


def _signals(judged: Sequence[JudgedOrder], counts: ranking.ScoreTally) -> list[SignalShare]:
    fired: dict[str, list[JudgedOrder]] = {signal.name: [] for signal in SIGNALS}
    for order in judged:
        for name in order.verdict.signals:
            fired[name].append(order)
    shares = [_signal(signal.name, signal.label, fired[signal.name], counts) for signal in SIGNALS]
    return sorted(shares, key=lambda share: (-(share.auc_gain or 0), -share.fired))


def _signal(name: str, label: str, fired: list[JudgedOrder], counts: ranking.ScoreTally) -> SignalShare:
    frauds = sum(judged.order.is_fraud for judged in fired)
    auc, other = ranking.auc(counts), ranking.auc(_without(name, fired, counts))
    return SignalShare(
        name=name,
        label=label,
        fired=len(fired),
        frauds=frauds,
        precision=_share(frauds, len(fired)),
        recall=_share(frauds, counts.frauds),
        average_points=_share(sum(judged.verdict.signals[name] for judged in fired), len(fired)),
        auc_gain=None if auc is None or other is None else auc - other,
    )


def _without(name: str, fired: list[JudgedOrder], counts: ranking.ScoreTally) -> ranking.ScoreTally:
    """The scores without the signal."""
    changed = ranking.ScoreTally(counts.fraud.copy(), counts.good.copy())
    for judged in fired:
        kind = changed.fraud if judged.order.is_fraud else changed.good
        rest = sum(judged.verdict.signals.values()) - judged.verdict.signals[name]
        kind[judged.verdict.risk_score] -= 1
        kind[max(0, min(rest, HIGHEST_SCORE))] += 1
    return changed


def _total(judged: Iterable[JudgedOrder]) -> str:
    return text(Hundredths(sum(order.order.total or 0 for order in judged)))


def _share(part: int, whole: int) -> float | None:
    return part / whole if whole else None


def _skipped(row: BadRow) -> Skipped:
    return Skipped(row.line, row.reason)
