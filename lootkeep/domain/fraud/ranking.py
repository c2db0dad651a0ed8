"""How well scores separate fraud from the rest: counted by score, so a million orders are a hundred numbers."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import accumulate

import msgspec

from lootkeep.domain.fraud.score import HIGHEST_SCORE


class ScoreTally(msgspec.Struct, frozen=True):
    """How many orders have each score from 0 to 100, fraud and good ones separately."""

    fraud: list[int]
    good: list[int]

    @property
    def frauds(self) -> int:
        return sum(self.fraud)

    @property
    def goods(self) -> int:
        return sum(self.good)


class Point(msgspec.Struct, frozen=True):
    """The share of good orders caught by mistake when this share of the frauds is caught."""

    fpr: float
    tpr: float


def tally(scored: Iterable[tuple[int, bool]]) -> ScoreTally:
    """From pairs of a score and whether the order was fraud."""
    counts = ScoreTally([0] * (HIGHEST_SCORE + 1), [0] * (HIGHEST_SCORE + 1))
    for score, is_fraud in scored:
        (counts.fraud if is_fraud else counts.good)[score] += 1
    return counts


def auc(counts: ScoreTally) -> float | None:
    """How often a fraud has a higher score than a good order; a tie counts half. Null without both kinds."""
    pairs = counts.frauds * counts.goods
    if not pairs:
        return None
    lower = 0
    doubled = 0
    for fraud, good in zip(counts.fraud, counts.good, strict=True):
        doubled += fraud * (2 * lower + good)
        lower += good
    return doubled / (2 * pairs)


def curve(counts: ScoreTally) -> list[Point]:
    """The ROC curve, from catching nothing to catching everything; only scores that occur make a point."""
    frauds, goods = counts.frauds, counts.goods
    if not frauds or not goods:
        return []
    points = [Point(0.0, 0.0)]
    for fraud, good in zip(accumulate(reversed(counts.fraud)), accumulate(reversed(counts.good)), strict=True):
        point = Point(good / goods, fraud / frauds)
        if point != points[-1]:
            points.append(point)
    return points


def tpr_at(fpr: float, points: list[Point]) -> float | None:
    """The share of the frauds that is caught at this share of mistakes, interpolated on the curve."""
    reached = [point for point in points if point.fpr <= fpr]
    if not reached:
        return None
    begin = reached[-1]
    if len(reached) == len(points):
        return begin.tpr
    end = points[len(reached)]
    return begin.tpr + (end.tpr - begin.tpr) * (fpr - begin.fpr) / (end.fpr - begin.fpr)
