"""The navigation: every page that a user may open, by group, with how many wait there."""

from __future__ import annotations

from collections.abc import Sequence

from jinja2 import Template
from markupsafe import Markup

from lootkeep.console import attention
from lootkeep.console.attention import Waiting
from lootkeep.console.page import Page
from lootkeep.deps import Deps
from lootkeep.domain.accounts import Person
from lootkeep.kernel.clock import SECOND, Instant

# The numbers are this old at most.
_FRESH = 10 * SECOND


class Navigation:
    """Rendered once for each role and page, until a number in it may have changed."""

    def __init__(self, deps: Deps, pages: Sequence[Page], template: Template) -> None:
        self._deps = deps
        self._pages = pages
        self._template = template
        self._counted_at: Instant | None = None
        self._waiting = Waiting()
        self._rendered: dict[tuple[str, str], Markup] = {}

    async def html(self, user: Person, lit: str) -> Markup:
        """For a page under the entry `lit`."""
        await self._count()
        if (user.role, lit) not in self._rendered:
            html = self._template.render(groups=self._groups(user), lit=lit)
            self._rendered[user.role, lit] = Markup(html)  # noqa: S704  what a template rendered is escaped
        return self._rendered[user.role, lit]

    async def _count(self) -> None:
        now = self._deps.clock.now()
        if self._counted_at is not None and 0 <= now - self._counted_at < _FRESH:
            return
        async with self._deps.db.read() as tx:
            waiting = await attention.waiting(tx, now)
        self._counted_at = now
        if waiting != self._waiting:
            self._waiting, self._rendered = waiting, {}

    def _groups(self, user: Person) -> dict[str, list[tuple[Page, int, str]]]:
        """The pages of each group, each with how many wait there and how urgently."""
        numbers = {
            "/fraud": (self._waiting.reviews, "warn"),
            "/tickets": (self._waiting.tickets, "warn"),
            "/webhooks": (self._waiting.failing_receivers, "bad"),
        }
        groups: dict[str, list[tuple[Page, int, str]]] = {}
        for page in self._pages:
            if page.group is not None and page.role is not None and user.may(page.role):
                groups.setdefault(page.group, []).append((page, *numbers.get(page.path, (0, ""))))
        return groups
