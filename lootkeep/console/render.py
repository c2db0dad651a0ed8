"""Templates to pages: the one environment with everything that templates may use, and the navigation."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined, Template
from markupsafe import Markup

from lootkeep.console.charts import Tile
from lootkeep.console.formats import (
    Formats,
    badge,
    browser,
    country,
    country_options,
    day_of,
    field_name,
    label,
    long,
    marked,
    pretty,
    rate,
    reasons,
    risk,
)
from lootkeep.console.page import PREFIX, Page, url
from lootkeep.console.tickets import WAITING
from lootkeep.deps import Deps
from lootkeep.domain.accounts import Person
from lootkeep.domain.orders import order_number
from lootkeep.kernel.clock import SECOND, Instant
from lootkeep.kernel.wording import change, duration, number, percent, plural
from lootkeep.services import receivers as receivers_service
from lootkeep.storage.fraud import queue as fraud_queue_db
from lootkeep.storage.goods import servers as servers_db
from lootkeep.storage.payments import events as payment_events_db
from lootkeep.storage.tickets import figures as ticket_figures_db

_HERE = Path(__file__).parent
_TYPES = {".css": "text/css; charset=utf-8", ".js": "text/javascript; charset=utf-8"} | {".svg": "image/svg+xml"}

# What a browser does not need: comments, and blanks where they mean nothing. A tenth of the bytes.
_FOR_READERS = {
    ".css": re.compile(rb"/\*.*?\*/|(?<=[{};:,>])\s+|\s+(?=[{}>])|;(?=\s*\})", re.DOTALL),
    ".js": re.compile(rb"^\s*//.*\n|^\s+", re.MULTILINE),
}


def _sent(file: Path) -> bytes:
    pattern = _FOR_READERS.get(file.suffix)
    return pattern.sub(b"", file.read_bytes()) if pattern else file.read_bytes()


# Everything a page loads, with its content type.
ASSETS: Mapping[str, tuple[str, bytes]] = {
    file.name: (_TYPES[file.suffix], _sent(file)) for file in sorted((_HERE / "static").iterdir())
}

GROUPS = ("", "Sell", "Money", "Grow", "Protect", "Support", "Connect", "Store")
# What is set up once.
_FOLDED = ("Connect", "Store")
# The numbers are this old at most.
_FRESH = 10 * SECOND


@cache
def templates(timezone: str, currency: str) -> tuple[Environment, Formats]:
    """What templates may use in a store, with its formats. Compiled once: a process may serve several stores."""
    environment = Environment(
        loader=FileSystemLoader(_HERE / "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
    )
    formats_of_store = Formats(timezone, currency)
    formatting = ("money", "whole_money", "day", "last_day", "short_day", "long_day", "time", "clock", "ago", "logged")
    environment.filters |= {name: getattr(formats_of_store, name) for name in formatting}
    functions = (
        number,
        percent,
        change,
        pretty,
        long,
        day_of,
        plural,
        duration,
        order_number,
        reasons,
        badge,
        label,
        field_name,
        marked,
        country,
        browser,
        rate,
    )
    environment.filters |= {function.__name__: function for function in functions}
    environment.globals |= {"url": url, "prefix": PREFIX, "badge": badge, "risk": risk, "tile": Tile}
    assets = {name: f"{PREFIX}/static/{name}?v={_version(body)}" for name, (_, body) in ASSETS.items()}
    environment.globals |= {"assets": assets, "country_options": country_options}
    # The shared components, under the names by which every template calls them.
    for name, file in (("parts", "_parts.html"), ("lists", "_list.html"), ("fraud", "_fraud.html")):
        environment.globals[name] = environment.get_template(file).module
    return environment, formats_of_store


def _version(body: bytes) -> str:
    # In the address, so that a browser may store an asset for good and still sees the next release.
    return hashlib.sha256(body).hexdigest()[:12]


class Navigation:
    """Rendered once for each set of scopes and page, until a number in it may have changed."""

    def __init__(self, deps: Deps, pages: Sequence[Page], template: Template) -> None:
        self._deps = deps
        self._pages = pages
        self._template = template
        self._counted_at: Instant | None = None
        # By the page where they wait: how many, and how urgently.
        self.waiting: dict[str, tuple[int, str]] = {}
        self._rendered: dict[tuple[frozenset[str], str], Markup] = {}

    async def html(self, user: Person, lit: str) -> Markup:
        """For a page under the entry `lit`."""
        await self._count()
        key = user.permissions.scopes, lit
        if key not in self._rendered:
            html = self._template.render(groups=self._groups(user), folded=_FOLDED, lit=lit)
            self._rendered[key] = Markup(html)  # noqa: S704  what a template rendered is escaped
        return self._rendered[key]

    async def _count(self) -> None:
        now = self._deps.clock.now()
        if self._counted_at is None or not 0 <= now - self._counted_at < _FRESH:
            await self.count_again()

    async def count_again(self) -> None:
        now = self._deps.clock.now()
        async with self._deps.db.read() as tx:
            waiting = {
                "/fraud": ((await fraud_queue_db.to_decide(tx)).count, "warn"),
                "/tickets": (await ticket_figures_db.total(tx, WAITING), "warn"),
                "/payments": (await payment_events_db.count_unmatched(tx), "warn"),
                "/servers": (sum((await servers_db.failures(tx)).values()), "bad"),
                "/webhooks": (len(await receivers_service.failing(tx, now)), "bad"),
            }
        self._counted_at = now
        if waiting != self.waiting:
            self._rendered = {}
        self.waiting = waiting

    def _groups(self, user: Person) -> dict[str, list[tuple[Page, int, str]]]:
        """The pages of each group, each with how many wait there and how urgently."""
        groups: dict[str, list[tuple[Page, int, str]]] = {name: [] for name in GROUPS}
        for page in self._pages:
            if page.group is not None and page.scope is not None and user.may(page.scope):
                groups[page.group].append((page, *self.waiting.get(page.path, (0, ""))))
        return groups
