"""Charts as numbers for SVG: the templates draw them without a line of inline style or script."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from html import escape
from itertools import zip_longest
from typing import Any

from starlette.responses import Response

from lootkeep.console.page import file
from lootkeep.domain.roles import Permissions

WIDTH = 1000
HEIGHT = 200
_TICKS = 3
_MAX_LABELS = 6

# A value and what is shown of it.
Labelled = tuple[int, str]


@dataclass(frozen=True, slots=True)
class Tile:
    """A figure, how it changed, its course, and the page behind it."""

    label: str
    value: str
    note: str
    tone: str = ""
    line: str = ""
    to: str = ""
    # Not for those from whom revenue is hidden.
    is_revenue: bool = False


def seen(tiles: Sequence[Tile], permissions: Permissions) -> list[Tile]:
    return [tile for tile in tiles if not (tile.is_revenue and permissions.hides_revenue)]


def line_chart(
    title: str,
    labels: Sequence[str],
    now: Sequence[Labelled],
    before: Sequence[Labelled],
    tick: Callable[[int], str],
    head: str = "Day",
) -> dict[str, Any]:
    """A line over an area, the period before as a dotted line, ticks from the top down, some labels below.

    Each value comes with its text; `tick` writes the numbers of the axis, and the labels stand under the head.
    """
    values, values_before = [value for value, _ in now], [value for value, _ in before]
    most = max((*values, *values_before, 0))
    top = _rounded_up(max(most, 1))
    step = WIDTH / max(1, len(values) - 1)
    line = _line(values, top, step)
    rows = zip_longest(labels, now, before[: len(now)], fillvalue=(0, ""))
    label_count = min(_MAX_LABELS, len(labels))
    return {
        "title": title,
        "head": head,
        "points": [
            {"x": round(number * step, 1), "y": _height(value, top), "label": str(label), "text": text, "before": was}
            for number, (label, (value, text), (_, was)) in enumerate(rows)
        ],
        "line": line,
        "area": f"0,{HEIGHT} {line} {WIDTH},{HEIGHT}" if values else "",
        "before": _line(values_before, top, step),
        # An axis of nothing has only its zero.
        "ticks": [tick(top * part // _TICKS) if most or not part else "" for part in range(_TICKS, -1, -1)],
        # Evenly spaced, the first and the last among them.
        "labels": [labels[round(index * (len(labels) - 1) / max(1, label_count - 1))] for index in range(label_count)],
        # Half the width of what belongs to one point.
        "half": round(step / 2, 1),
    }


_SVG = """<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1160 300" font-family="sans-serif" font-size="14">
<title>{title}</title><rect width="1160" height="300" fill="#fff"/><text x="20" y="28" font-size="18">{title}</text>
<g transform="translate(140 50)"><polygon points="{area}" fill="#edecfb"/>
<polyline points="{before}" fill="none" stroke="#8a8a96" stroke-dasharray="4 4"/>
<polyline points="{line}" fill="none" stroke="#4f46c9" stroke-width="2"/>
{texts}</g></svg>
"""


def svg_file(name: str, chart: dict[str, Any]) -> Response:
    """A chart by itself, for other programs."""
    step = HEIGHT / _TICKS
    ticks = [
        f'<text x="-8" y="{n * step + 5:g}" text-anchor="end">{escape(t)}</text>' for n, t in _each(chart["ticks"])
    ]
    between = WIDTH / max(1, len(chart["labels"]) - 1)
    texts = [
        f'<text x="{n * between:g}" y="{HEIGHT + 24}" text-anchor="middle">{escape(t)}</text>'
        for n, t in _each(chart["labels"])
    ]
    parts = {part: chart[part] for part in ("area", "before", "line")}
    svg = _SVG.format(title=escape(chart["title"]), texts="".join([*ticks, *texts]), **parts)
    return file(f"{name}.svg", svg, "image/svg+xml")


_GRID = """<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1160 {height}" font-family="sans-serif" font-size="14">
<title>{title}</title><rect width="1160" height="{height}" fill="#fff"/>
<text x="20" y="28" font-size="18">{title}</text>{cells}</svg>
"""


def grid_file(
    name: str, title: str, head: Sequence[str], rows: Sequence[tuple[str, Sequence[tuple[float, str]]]]
) -> Response:
    """A row for each label, a column for each head; a cell has a bar for its share of one, and a text."""
    width = WIDTH / len(head)
    cells = [
        f'<text x="{140 + n * width:g}" y="56" fill="#5d5d69">{escape(text)}</text>' for n, text in enumerate(head)
    ]
    for number, (label, values) in enumerate(rows):
        y = 70 + number * 26
        cells.append(f'<text x="20" y="{y + 16}">{escape(label)}</text>')
        for n, (share, text) in enumerate(values):
            x = 140 + n * width
            cells.append(f'<rect x="{x:g}" y="{y}" width="{share * (width - 8):g}" height="22" fill="#c9c5f4"/>')
            cells.append(f'<text x="{x + 4:g}" y="{y + 16}">{escape(text)}</text>')
    svg = _GRID.format(title=escape(title), height=90 + 26 * len(rows), cells="".join(cells))
    return file(f"{name}.svg", svg, "image/svg+xml")


def _each(texts: Sequence[object]) -> list[tuple[int, str]]:
    return [(index, str(text)) for index, text in enumerate(texts)]


def sparkline(values: Sequence[int]) -> str:
    """The points of a small line, the least value at the bottom."""
    least, most = min(values, default=0), max(values, default=0)
    spread = (most - least) or 1
    step = WIDTH / max(1, len(values) - 1)
    points = [(number * step, 28 - 26 * (value - least) / spread) for number, value in enumerate(values)]
    return " ".join(f"{round(x, 1)},{round(y, 1)}" for x, y in points)


def _line(values: Sequence[int], top: int, step: float) -> str:
    return " ".join(f"{round(number * step, 1)},{_height(value, top)}" for number, value in enumerate(values))


def _height(value: int, top: int) -> float:
    return round(HEIGHT - HEIGHT * max(0, value) / top, 1)


def _rounded_up(value: int) -> int:
    """The next number that divides into round ticks."""
    power = 1
    while True:
        for factor in (3, 6, 9, 12, 15, 18, 24):
            if factor * power >= value:
                return factor * power
        power *= 10
