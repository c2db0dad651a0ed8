"""Templates to pages: the one environment, with everything that templates may use."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from lootkeep.console import formats
from lootkeep.console.charts import Tile
from lootkeep.console.labels import badge, label, reasons
from lootkeep.console.page import PREFIX, url
from lootkeep.domain.orders import order_number
from lootkeep.kernel.wording import change, duration, number, percent, plural

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
    formatting = ("money", "whole_money", "day", "short_day", "long_day", "time", "clock", "ago")
    environment.filters |= {name: getattr(formats_of_store, name) for name in formatting}
    functions = (number, percent, change, formats.pretty, plural, duration)
    environment.filters |= {function.__name__: function for function in (*functions, order_number, reasons)}
    environment.filters |= {"badge": badge, "label": label}
    environment.globals |= {
        "url": url,
        "prefix": PREFIX,
        "badge_html": badge,
        "tile": Tile,
        "assets": {name: f"{PREFIX}/static/{name}?v={_version(body)}" for name, (_, body) in ASSETS.items()},
    }
    # The shared components, under the names by which every template calls them.
    for name, file in (("parts", "_parts.html"), ("lists", "_list.html")):
        environment.globals[name] = environment.get_template(file).module
    return environment


def _version(body: bytes) -> str:
    # In the address, so that a browser may store an asset for good and still sees the next release.
    return hashlib.sha256(body).hexdigest()[:12]
