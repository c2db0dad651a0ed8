"""The results of a replay in numbers: the format of `--json`, from which tables and page are generated."""

from __future__ import annotations

from collections import Counter
from operator import add

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
    settings: str = "the defaults of a new store"
    missing_columns: list[str]
    # The limits of IP lists and domain lists for these orders.
    list_warnings: list[str]
    skipped: int
    skipped_rows: list[Skipped]
    # Of the database or a folder: orders that are left out, because nobody knows yet whether they were fraud.
    without_outcome: int
    seconds: float = 0.0


class Figures:
    """What the report counts of judged orders, which it takes in chronological order: a byte for each, and no more."""

    def __init__(self) -> None:
        self.counts = ranking.tally(())
        self.levels = {level: _LevelTally() for level in THRESHOLDS}
        self.signals = {signal.name: _SignalTally() for signal in SIGNALS}
        # The score of each order, and whether it was fraud, in one number.
        self._scored = bytearray()

    @property
    def orders(self) -> int:
        return len(self._scored)

    def add(self, judged: JudgedOrder) -> None:
        is_fraud, score = judged.order.is_fraud, judged.verdict.risk_score
        (self.counts.fraud if is_fraud else self.counts.good)[score] += 1
        self._scored.append(score * 2 + is_fraud)
        for level, action in judged.actions.items():
            self.levels[level].add(action, is_fraud, judged.order.total or 0)
        whole = sum(judged.verdict.signals.values())
        for name, points in judged.verdict.signals.items():
            self.signals[name].add(points, is_fraud, score, max(0, min(whole - points, HIGHEST_SCORE)))

    def last_fifth(self) -> LastFifth:
        last = self._scored[self.orders * 4 // 5 :]
        counts = ranking.tally((number // 2, bool(number % 2)) for number in last)
        rate = ranking.tpr_at(LOW_FALSE_POSITIVE_RATE, ranking.curve(counts))
        return LastFifth(len(last), counts.frauds, ranking.auc(counts), rate)


class _LevelTally:
    """What one sensitivity would have done to good orders and frauds, and the amounts it would have blocked."""

    def __init__(self) -> None:
        self.actions: Counter[tuple[Action, bool]] = Counter()
        self.blocked_totals = [0, 0]

    def add(self, action: Action, is_fraud: bool, total: int) -> None:
        self.actions[action, is_fraud] += 1
        if action == "blocked":
            self.blocked_totals[is_fraud] += total

    def count(self, action: Action) -> int:
        return self.actions[action, True] + self.actions[action, False]


class _SignalTally:
    """The orders on which a signal fired, and how it moved their scores."""

    def __init__(self) -> None:
        self.fired = self.frauds = self.points = 0
        # By how much the number of orders with each score would change without it.
        self.changes = ranking.tally(())

    def add(self, points: int, is_fraud: bool, score: int, score_without: int) -> None:
        self.fired += 1
        self.frauds += is_fraud
        self.points += points
        kind = self.changes.fraud if is_fraud else self.changes.good
        kind[score] -= 1
        kind[score_without] += 1


def report(figures: Figures, past: PastOrders, list_warnings: list[str], without_outcome: int = 0) -> Report:
    counts = figures.counts
    roc = ranking.curve(counts)
    return Report(
        orders=figures.orders,
        frauds=counts.frauds,
        auc=ranking.auc(counts),
        tpr_at_1pct_fpr=ranking.tpr_at(LOW_FALSE_POSITIVE_RATE, roc),
        last_fifth=figures.last_fifth() if "created_at" in past.columns else None,
        thresholds=[_threshold(score, counts) for score in _THRESHOLDS],
        sensitivity=[_level(level, figures, "total" in past.columns) for level in THRESHOLDS],
        signals=_signals(figures),
        roc=roc,
        scores=counts,
        missing_columns=past.missing,
        list_warnings=list_warnings,
        skipped=len(past.skipped),
        skipped_rows=[_skipped(row) for row in past.skipped[:_NAMED_ROWS]],
        without_outcome=without_outcome,
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


def _level(level: Sensitivity, figures: Figures, has_totals: bool) -> SensitivityLevel:
    tally = figures.levels[level]
    blocked, stopped = tally.count("blocked"), tally.actions["blocked", True]
    good_total, fraud_total = (text(Hundredths(total)) for total in tally.blocked_totals)
    return SensitivityLevel(
        level=level,
        threshold=THRESHOLDS[level],
        blocked=blocked,
        flagged=tally.count("flagged"),
        allowed=tally.count("allowed"),
        frauds_blocked=stopped,
        frauds_flagged=tally.actions["flagged", True],
        precision=_share(stopped, blocked),
        recall=_share(stopped, figures.counts.frauds),
        fraud_total_blocked=fraud_total if has_totals else None,
        good_total_blocked=good_total if has_totals else None,
    )


def _signals(figures: Figures) -> list[SignalShare]:
    shares = [_signal(signal.name, signal.label, figures.signals[signal.name], figures.counts) for signal in SIGNALS]
    return sorted(shares, key=lambda share: (-(share.auc_gain or 0), -share.fired))


def _signal(name: str, label: str, tally: _SignalTally, counts: ranking.ScoreTally) -> SignalShare:
    auc, other = ranking.auc(counts), ranking.auc(_sum(counts, tally.changes))
    return SignalShare(
        name=name,
        label=label,
        fired=tally.fired,
        frauds=tally.frauds,
        precision=_share(tally.frauds, tally.fired),
        recall=_share(tally.frauds, counts.frauds),
        average_points=_share(tally.points, tally.fired),
        auc_gain=None if auc is None or other is None else auc - other,
    )


def _sum(counts: ranking.ScoreTally, changes: ranking.ScoreTally) -> ranking.ScoreTally:
    return ranking.ScoreTally(
        *(list(map(add, *pair)) for pair in ((counts.fraud, changes.fraud), (counts.good, changes.good)))
    )


def _share(part: int, whole: int) -> float | None:
    return part / whole if whole else None


def _skipped(row: BadRow) -> Skipped:
    return Skipped(row.line, row.reason)
