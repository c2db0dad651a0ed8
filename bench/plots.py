"""Bars and lines as SVG, readable on light and on dark pages."""

import math
from dataclasses import dataclass
from html import escape
from typing import TypeAlias

WIDTH, LEFT, RIGHT = 760, 210, 60
BAR, GAP, TOP = 16, 8, 46
HEIGHT = 320
COLOURS = ("#2f6fde", "#d9822b", "#2d9d78", "#a450c8", "#c23c3c", "#6b7280", "#8a6d1d", "#0e8fa3", "#b83280", "#4d7c0f")
INK = "#808080"

Series: TypeAlias = dict[str, list[tuple[str | float, float]]]


@dataclass(frozen=True)
class Plot:
    """Points by series: of bars each has a label, of lines a number, drawn in powers of ten on both axes."""

    name: str
    title: str
    unit: str
    series: Series
    # A vertical line across bars, a horizontal one across lines.
    targets: dict[str, float]
    is_lines: bool = False


def svg(plot: Plot) -> str:
    body, height = _lines(plot) if plot.is_lines else _bars(plot)
    size = f'viewBox="0 0 {WIDTH} {height}" font-family="sans-serif" font-size="12"'
    head = f'<svg xmlns="http://www.w3.org/2000/svg" {size}>'
    title = _text(10, 18, f"{plot.title} ({plot.unit})", weight="bold")
    return "\n".join([head, title, *body, "</svg>", ""])


def _bars(plot: Plot) -> tuple[list[str], int]:
    names = list(plot.series)
    labels = list(dict.fromkeys(str(label) for points in plot.series.values() for label, _ in points))
    highest = max([value for points in plot.series.values() for _, value in points] + list(plot.targets.values()))
    scale = (WIDTH - LEFT - RIGHT) / highest
    step = len(names) * BAR + GAP
    body = _legend(names)
    for index, name in enumerate(names):
        for label, value in plot.series[name]:
            y = TOP + labels.index(str(label)) * step + index * BAR
            body.append(
                f'<rect x="{LEFT}" y="{y}" width="{value * scale:.1f}" height="{BAR - 2}" fill="{COLOURS[index]}"/>'
            )
            body.append(_text(LEFT + value * scale + 4, y + 11, f"{value:.3g}"))
    for index, label in enumerate(labels):
        body.append(_text(LEFT - 8, TOP + index * step + len(names) * BAR / 2 + 3, label, anchor="end"))
    bottom = TOP + len(labels) * step
    for label, value in plot.targets.items():
        x = LEFT + value * scale
        body.append(f'<path d="M{x:.1f} {TOP - 6}V{bottom}" stroke="{INK}" stroke-dasharray="4 3"/>')
        body.append(_text(x, bottom + 12, label, anchor="middle"))
    return body, bottom + 22


def _lines(plot: Plot) -> tuple[list[str], int]:
    points = [(float(x), y) for line in plot.series.values() for x, y in line]
    columns = sorted({x for x, _ in points})
    low, high = (
        math.log10(min(y for _, y in points)),
        math.log10(max([y for _, y in points] + list(plot.targets.values()))),
    )
    first, last = math.log10(columns[0]), math.log10(columns[-1])
    bottom, right = HEIGHT - 30, WIDTH - LEFT

    def place(x: float, y: float) -> tuple[float, float]:
        across = (math.log10(x) - first) / (last - first or 1)
        up = (math.log10(y) - low) / (high - low or 1)
        return 60 + across * (right - 60), bottom - up * (bottom - TOP)

    body = [_text(place(x, 10**low)[0], HEIGHT - 10, f"{x:,.0f}", anchor="middle") for x in columns]
    for power in range(math.ceil(low), math.floor(high) + 1):
        y = place(columns[0], 10**power)[1]
        body.append(f'<path d="M60 {y:.1f}H{right}" stroke="{INK}" stroke-opacity=".3"/>')
        body.append(_text(54, y + 4, f"{10.0**power:,g}", anchor="end"))
    for label, value in plot.targets.items():
        y = place(columns[0], value)[1]
        body.append(f'<path d="M60 {y:.1f}H{right}" stroke="{INK}" stroke-dasharray="4 3"/>')
        body.append(_text(64, y - 4, label))
    for index, (name, line) in enumerate(plot.series.items()):
        colour = COLOURS[index % len(COLOURS)]
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in (place(float(x), y) for x, y in line))
        body.append(f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="1.5"/>')
        body.append(_text(right + 12, TOP + index * 15, name, colour=colour))
    return body, max(HEIGHT, TOP + len(plot.series) * 15 + 10)


def _legend(names: list[str]) -> list[str]:
    return [
        _text(LEFT + index * 170, 36, name, colour=COLOURS[index]) for index, name in enumerate(names) if len(names) > 1
    ]


def _text(x: float, y: float, text: str, *, anchor: str = "start", colour: str = INK, weight: str = "normal") -> str:
    style = f'text-anchor="{anchor}" fill="{colour}" font-weight="{weight}"'
    return f'<text x="{x:.1f}" y="{y:.1f}" {style}>{escape(text)}</text>'
