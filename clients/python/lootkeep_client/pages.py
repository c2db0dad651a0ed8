"""Lists that come in pages, read as if they were whole."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

Record = TypeVar("Record")
Rows = list[Record]


@dataclass(frozen=True, slots=True)
class Page(Generic[Record]):
    """One page of a list."""

    items: Rows[Record]
    current_page: int
    last_page: int
    per_page: int
    total: int


class Pages(Generic[Record]):
    """All items of a list: iterating asks for one page after the other. `page(3)` answers a single one."""

    def __init__(self, fetch: Callable[[int | None], Page[Record]], start: int | None) -> None:
        self._fetch = fetch
        self._start = start

    def __iter__(self) -> Iterator[Record]:
        page = self._fetch(self._start)
        yield from page.items
        while page.current_page < page.last_page:
            page = self._fetch(page.current_page + 1)
            yield from page.items

    def page(self, number: int | None = None) -> Page[Record]:
        """The page of that number, or the one that was asked for."""
        return self._fetch(self._start if number is None else number)


class AsyncPages(Generic[Record]):
    """The same for `async for`; `page` is awaited."""

    def __init__(self, fetch: Callable[[int | None], Awaitable[Page[Record]]], start: int | None) -> None:
        self._fetch = fetch
        self._start = start

    async def __aiter__(self) -> AsyncIterator[Record]:
        page = await self._fetch(self._start)
        for item in page.items:
            yield item
        while page.current_page < page.last_page:
            page = await self._fetch(page.current_page + 1)
            for item in page.items:
                yield item

    async def page(self, number: int | None = None) -> Page[Record]:
        return await self._fetch(self._start if number is None else number)


def read_page(record: type[Record], answer: dict[str, Any]) -> Page[Record]:
    meta = answer["meta"]
    items: Rows[Record] = answer["data"]
    return Page(items, meta["current_page"], meta["last_page"], meta["per_page"], meta["total"])
