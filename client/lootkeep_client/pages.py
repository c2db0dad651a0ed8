"""Lists that come in pages, read as if they were whole."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from dataclasses import dataclass
from typing import Any

Data = dict[str, Any]
Rows = list[Data]


@dataclass(frozen=True, slots=True)
class Page:
    """One page of a list."""

    items: Rows
    current_page: int
    last_page: int
    per_page: int
    total: int


class Pages:
    """All items of a list: iterating asks for one page after the other. `page(3)` answers a single one."""

    def __init__(self, fetch: Callable[[int | None], Page], start: int | None) -> None:
        self._fetch = fetch
        self._start = start

    def __iter__(self) -> Iterator[Data]:
        page = self._fetch(self._start)
        yield from page.items
        while page.current_page < page.last_page:
            page = self._fetch(page.current_page + 1)
            yield from page.items

    def page(self, number: int | None = None) -> Page:
        """The page of that number, or the one that was asked for."""
        return self._fetch(self._start if number is None else number)


class AsyncPages:
    """The same for `async for`; `page` is awaited."""

    def __init__(self, fetch: Callable[[int | None], Awaitable[Page]], start: int | None) -> None:
        self._fetch = fetch
        self._start = start

    async def __aiter__(self) -> AsyncIterator[Data]:
        page = await self._fetch(self._start)
        for item in page.items:
            yield item
        while page.current_page < page.last_page:
            page = await self._fetch(page.current_page + 1)
            for item in page.items:
                yield item

    async def page(self, number: int | None = None) -> Page:
        return await self._fetch(self._start if number is None else number)


def read_page(answer: Data) -> Page:
    meta = answer["meta"]
    return Page(answer["data"], meta["current_page"], meta["last_page"], meta["per_page"], meta["total"])
