"""The document, the reference and the guides are compressed for who accepts it, and not sent again to who has them."""

from __future__ import annotations

import asyncio
import gzip
import threading

import pytest

from lootkeep.api.http.reference import ASSETS
from lootkeep.api.http.resources import Resource
from lootkeep.kernel.late import Late
from tests.world import World

GUIDES = ["/docs/guides/quickstart", "/docs/guides/operate/backup.md", "/docs/search.json", "/llms.txt"]
PAGES = ["/openapi.json", "/docs", *(f"/docs/{name}" for name in ASSETS), *GUIDES]


@pytest.mark.parametrize("path", PAGES)
async def test_a_client_that_accepts_gzip_gets_it(shared_world: World, path: str) -> None:
    plain = await shared_world.http.get(path, headers={"Accept-Encoding": "identity"})
    for accepted in ("gzip", "br, gzip;q=0.5", "GZIP", "*", "deflate, *;q=0.1"):
        async with shared_world.http.stream("GET", path, headers={"Accept-Encoding": accepted}) as answer:
            raw = b"".join([chunk async for chunk in answer.aiter_raw()])
        assert answer.headers["Content-Encoding"] == "gzip"
        assert answer.headers["Content-Length"] == str(len(raw))
        assert gzip.decompress(raw) == plain.content
        assert len(raw) < len(plain.content) * 0.7


@pytest.mark.parametrize("path", PAGES)
async def test_a_client_that_does_not_accept_gzip_gets_it_plain(shared_world: World, path: str) -> None:
    for accepted in ("identity", "", "br", "gzip;q=0", "gzip; q=0.00, *"):
        answer = await shared_world.http.get(path, headers={"Accept-Encoding": accepted})
        assert "Content-Encoding" not in answer.headers
        assert answer.headers["Vary"] == "Accept-Encoding"


@pytest.mark.parametrize("path", PAGES)
async def test_a_client_that_has_this_version_gets_no_body(shared_world: World, path: str) -> None:
    etag = (await shared_world.http.get(path)).headers["ETag"]
    for tag in (etag, etag.removeprefix("W/"), f'"other", {etag}', "*"):
        again = await shared_world.http.get(path, headers={"If-None-Match": tag})
        assert (again.status_code, again.content, again.headers["ETag"]) == (304, b"", etag)
        assert again.headers["Cache-Control"] == "no-cache"
    for unknown in ('"other"', etag.replace('"', ""), ""):
        assert (await shared_world.http.get(path, headers={"If-None-Match": unknown})).status_code == 200


async def test_requests_that_arrive_while_a_page_is_built_wait_for_that_one_and_nothing_else_does() -> None:
    asked, builders = threading.Event(), []

    def build() -> Resource:
        # The event loop goes on: only it can set this.
        assert asked.wait()
        builders.append(threading.current_thread())
        return Resource.of("text/plain", b"built")

    page = Late(build)
    first, leaving, last = (asyncio.create_task(page.get()) for _ in range(3))
    await asyncio.sleep(0)
    leaving.cancel()
    asked.set()
    assert await first is await last is await page.get()
    assert len(builders) == 1
    assert builders[0] is not threading.main_thread()


async def test_what_could_not_be_built_is_built_for_the_next_who_asks() -> None:
    failures = [OSError("no memory")]

    def build() -> str:
        if failures:
            raise failures.pop()
        return "built"

    page = Late(build)
    with pytest.raises(OSError, match="no memory"):
        await page.get()
    assert await page.get() == "built"
