"""Templates to pages: the one environment, with everything that templates may use."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from lootkeep.console import formats
from lootkeep.console.labels import LABELS, badge, label
from lootkeep.console.page import PREFIX, url
from lootkeep.domain.fraud.review import detected_signals
from lootkeep.domain.orders import order_number

_HERE = Path(__file__).parent
_TYPES = {".css": "text/css; charset=utf-8", ".js": "text/javascript; charset=utf-8"} | {".svg": "image/svg+xml"}

# Everything a page loads, with its content type.
ASSETS: Mapping[str, tuple[str, bytes]] = {
    file.name: (_TYPES[file.suffix], file.read_bytes()) for file in sorted((_HERE / "static").iterdir())
}


def environment(formats_of_store: formats.Formats) -> Environment:
    environment = Environment(
        loader=FileSystemLoader(_HERE / "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
    )
    named: dict[str, Any] = {
        name: getattr(formats, name) for name in ("number", "percent", "change", "plural", "pretty")
    }
    named |= {name: getattr(formats_of_store, name) for name in ("money", "whole_money", "day", "short_day")}
    named |= {name: getattr(formats_of_store, name) for name in ("long_day", "time", "clock", "ago")}
    environment.filters |= named | {
        "duration": formats.duration,
        "order_number": order_number,
        "reasons": _reasons,
        "badge": badge,
        "label": label,
    }
    environment.globals |= {
        "url": url,
        "prefix": PREFIX,
        "labels": LABELS,
        "badge_html": badge,
        "assets": {name: f"{PREFIX}/static/{name}?v={_version(body)}" for name, (_, body) in ASSETS.items()},
    }
    # The shared components, under the names by which every template calls them.
    for name, file in (("parts", "_parts.html"), ("lists", "_list.html")):
        environment.globals[name] = environment.get_template(file).module
    return environment


def _reasons(points: Mapping[str, int]) -> str:
    """The two heaviest reasons of a score."""
    return " · ".join(detected_signals(points)[:2])


def _version(body: bytes) -> str:
    # In the address, so that a browser may store an asset for good and still sees the next release.
    return hashlib.sha256(body).hexdigest()[:12]
