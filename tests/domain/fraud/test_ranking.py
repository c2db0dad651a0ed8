"""AUC and the curve, compared with a comparison of every fraud with every good order."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given, strategies as st

from lootkeep.domain.fraud.ranking import Point, auc, curve, tally, tpr_at

scored = st.lists(st.tuples(st.integers(0, 100) | st.sampled_from([0, 25, 100]), st.booleans()), max_size=60)


@given(scored)
def test_the_auc_equals_a_comparison_of_every_pair(rows: list[tuple[int, bool]]) -> None:
    frauds = [score for score, is_fraud in rows if is_fraud]
    goods = [score for score, is_fraud in rows if not is_fraud]
    pairs = [(fraud > good) + 0.5 * (fraud == good) for fraud in frauds for good in goods]
    assert auc(tally(rows)) == (pytest.approx(sum(pairs) / len(pairs)) if pairs else None)


@given(scored)
def test_the_area_under_the_curve_is_the_auc(rows: list[tuple[int, bool]]) -> None:
    counts = tally(rows)
    points = curve(counts)
    steps = pairwise(points)
    area = sum((b.fpr - a.fpr) * (a.tpr + b.tpr) / 2 for a, b in steps)
    assert auc(counts) == (pytest.approx(area) if points else None)


@given(scored)
def test_a_curve_goes_from_nothing_to_everything_and_never_back(rows: list[tuple[int, bool]]) -> None:
    points = curve(tally(rows))
    if points:
        assert (points[0], points[-1]) == (Point(0, 0), Point(1, 1))
    assert points == sorted(points, key=lambda point: (point.fpr, point.tpr))


@pytest.mark.parametrize(
    ("points", "tpr"),
    [
        ([], None),
        ([Point(0, 0), Point(1, 1)], 0.01),
        ([Point(0, 0), Point(0, 0.5), Point(1, 1)], 0.505),
        ([Point(0, 0), Point(0.01, 0.4), Point(0.01, 0.6), Point(1, 1)], 0.6),
        ([Point(0, 0), Point(0.02, 0.8), Point(1, 1)], 0.4),
        ([Point(0, 0), Point(0, 1), Point(1, 1)], 1),
    ],
)
def test_the_share_of_frauds_is_on_the_line_between_two_points(points: list[Point], tpr: float | None) -> None:
    assert tpr_at(0.01, points) == (None if tpr is None else pytest.approx(tpr))


def test_a_perfect_score_and_a_worthless_one() -> None:
    assert auc(tally([(80, True), (20, False)])) == 1
    assert auc(tally([(20, True), (80, False)])) == 0
    assert auc(tally([(50, True), (50, False)])) == 0.5
    assert auc(tally([(50, False)])) is None
