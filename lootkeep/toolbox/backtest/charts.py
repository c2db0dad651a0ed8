"""The charts of the page, as inline SVG; colours come from its style."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from lootkeep.domain.fraud import ranking
from lootkeep.domain.fraud.score import HIGHEST_SCORE, THRESHOLDS
from lootkeep.toolbox.backtest.report import LOW_FALSE_POSITIVE_RATE, Report
from lootkeep.toolbox.backtest.tables import percent

_SIDE = 320
_WIDTH = 560
_PANEL = 165
_MARGIN = 44
# Where the curve starts: next to it are the shares and their meaning.
_ASIDE = 60
_BIN = 5
_BINS = HIGHEST_SCORE // _BIN + 1
_GRID = (0.0, 0.25, 0.5, 0.75, 1.0)
# A bar of one order among thousands should still be visible.
_LEAST_BAR = 1.5


def roc(report: Report) -> str:
    """How many frauds are caught for how many mistakes; the dotted diagonal is guessing."""
    if not report.roc:
        return ""
    line = " ".join(f"{_across(point.fpr)},{_up(point.tpr)}" for point in report.roc)
    parts = [
        *_grid(),
        f'<polygon class="area" points="{line} {_across(1)},{_up(0)}"/>',
        f'<line class="guess" x1="{_across(0)}" y1="{_up(0)}" x2="{_across(1)}" y2="{_up(1)}"/>',
        f'<polyline class="curve" points="{line}"/>',
        *_points(report.roc),
        *_mark(report.tpr_at_1pct_fpr),
        _text(_across(0.5), _up(0) + 36, "mistakes: good orders caught", "middle"),
        f'<g transform="translate(14 {_up(0.5)}) rotate(-90)">{_text(0, 0, "frauds caught", "middle")}</g>',
    ]
    return _svg("ROC curve", _ASIDE + _SIDE + 20, int(_up(0)) + 44, parts)


def histogram(report: Report) -> str:
    """The scores of good orders and frauds, each as a share of its own kind."""
    good = _panel("Good orders", "good", report.scores.good, 0)
    fraud = _panel("Frauds", "fraud", report.scores.fraud, _PANEL + _MARGIN)
    bottom = 2 * _PANEL + 2 * _MARGIN
    marks = [
        part
        for name, score in THRESHOLDS.items()
        for part in (
            f'<line class="threshold" x1="{_left(score)}" y1="22" x2="{_left(score)}" y2="{bottom - 4}"/>',
            _text(_left(score), 14, f"{name} {score}", "middle"),
        )
    ]
    ticks = [_text(_left(score), bottom + 12, str(score), "middle") for score in range(0, HIGHEST_SCORE + 1, 20)]
    words = _text(_left(50), bottom + 30, "score", "middle")
    return _svg("Scores of good orders and of frauds", _WIDTH, bottom + 38, [*marks, *good, *fraud, *ticks, words])


def _grid() -> Iterable[str]:
    for share in _GRID:
        x, y = _across(share), _up(share)
        yield f'<line class="grid" x1="{x}" y1="{_up(0)}" x2="{x}" y2="{_up(1)}"/>'
        yield f'<line class="grid" x1="{_across(0)}" y1="{y}" x2="{_across(1)}" y2="{y}"/>'
        yield _text(x, _up(0) + 16, f"{share:.0%}", "middle")
        yield _text(_across(0) - 6, y + 4, f"{share:.0%}", "end")


def _points(points: Sequence[ranking.Point]) -> Iterable[str]:
    """Invisible until hovered: each shows its numbers."""
    for point in points:
        words = f"{percent(point.tpr)} of the frauds at {percent(point.fpr)} mistakes"
        yield (
            f'<circle class="spot" cx="{_across(point.fpr)}" cy="{_up(point.tpr)}" r="5">'
            f"<title>{words}</title></circle>"
        )


def _mark(tpr: float | None) -> Iterable[str]:
    if tpr is None:
        return
    x, y = _across(LOW_FALSE_POSITIVE_RATE), _up(tpr)
    yield f'<circle class="mark" cx="{x}" cy="{y}" r="4.5"/>'
    # Next to the curve and never over the frame.
    yield _text(x + 12, min(max(y + 18, _up(1) + 20), _up(0) - 8), f"{percent(tpr)} at 1 % mistakes", "start", "note")


def _panel(title: str, kind: str, counts: Sequence[int], top: int) -> Iterable[str]:
    whole = sum(counts) or 1
    bins = [sum(counts[begin : begin + _BIN]) for begin in range(0, _BINS * _BIN, _BIN)]
    tallest = max(bins) or 1
    base = top + _MARGIN + _PANEL - 14
    yield _text(_left(0), top + _MARGIN - 18, title, "start", "note")
    yield f'<line class="base" x1="{_left(0) - 4}" y1="{base}" x2="{_WIDTH - 8}" y2="{base}"/>'
    for index, count in enumerate(bins):
        if not count:
            continue
        height = max(_LEAST_BAR, round(count / tallest * (_PANEL - 34), 1))
        x, width = _left(index * _BIN), round(_step() * _BIN - 2, 1)
        share = percent(count / whole)
        yield (
            f'<rect class="{kind}" x="{x}" y="{round(base - height, 1)}" width="{width}" height="{height}" rx="2">'
            f"<title>{title} with a score of {_scores(index)}: {count:,} ({share})</title></rect>"
        )
        if count == tallest:
            yield _text(x + width / 2, round(base - height - 5, 1), share, "middle")


def _scores(index: int) -> str:
    begin = index * _BIN
    return f"{begin} to {begin + _BIN - 1}" if begin < HIGHEST_SCORE else str(begin)


def _text(x: float, y: float, words: str, anchor: str, kind: str = "axis") -> str:
    return f'<text class="{kind}" x="{round(x, 1)}" y="{y}" text-anchor="{anchor}">{words}</text>'


def _svg(title: str, width: int, height: int, parts: Iterable[str]) -> str:
    """It contains only our own numbers and words, so the page does not escape it."""
    return f'<svg viewBox="0 0 {width} {height}" role="img" aria-label="{title}">{"".join(parts)}</svg>'


def _across(share: float) -> float:
    return round(_ASIDE + share * _SIDE, 2)


def _up(share: float) -> float:
    return round(12 + (1 - share) * _SIDE, 2)


def _left(score: int) -> float:
    return round(8 + score * _step(), 1)


def _step() -> float:
    """Pixels for each score; the last bin is as wide as the others."""
    return (_WIDTH - 24) / (_BINS * _BIN)
