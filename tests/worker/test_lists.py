"""Downloading and loading lists while the service runs, and what is logged about it."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path

from structlog.testing import capture_logs

from lootkeep.engines.intelligence.fetching import PublicList
from lootkeep.kernel.clock import HOUR, SECOND
from lootkeep.worker.lists import ListKeeper, ListRefresher
from tests.engines.lists import ListFolder


async def test_each_list_and_each_rejection_is_logged_once(tmp_path: Path) -> None:
    lists = ListFolder(tmp_path)
    lists.write("vpn.txt", "192.0.2.1\n")
    lists.write("tor.txt", "oops\n")
    keeper = ListKeeper(lists.intelligence)
    with capture_logs() as first:
        await keeper.reload()
    with capture_logs() as second:
        await keeper.reload()
    lists.write("vpn.txt", "192.0.2.2\n")
    with capture_logs() as third:
        await keeper.reload()
    assert [next(line[name] for name in ("file", "needs", "source") if name in line) for line in first] == [
        "tor.txt",
        "country, datacenter, proxy, tor, disposable",
        "vpn.txt",
    ]
    assert second == []
    assert [line["event"] for line in third] == ["list in use"]
    assert lists.flags("192.0.2.2") == "vpn"


async def test_a_list_is_downloaded_when_it_is_missing_or_old(tmp_path: Path) -> None:
    lists = ListFolder(tmp_path)
    asked: list[bytes] = []

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        asked.append(await reader.readuntil(b"\r\n\r\n"))
        body = b"".join(b"192.0.2.%d\n" % last for last in range(1, 100))
        writer.write(b"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: %d\r\n\r\n" % len(body) + body)
        writer.close()

    async with await asyncio.start_server(answer, "127.0.0.1", 0) as server:
        url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/list"
        public = PublicList("tor-exits.txt", "tor", url, "the makers", "none")
        refresher = ListRefresher(tmp_path, lists.clock, 24, [public])
        counts = []
        for hours in (0, 23, 1):
            lists.clock.advance(hours * HOUR)
            await refresher.refresh()
            counts.append(len(asked))
            if hours == 0:
                written = lists.clock.now() / SECOND
                os.utime(tmp_path / "tor-exits.txt", (written, written))
    assert counts == [1, 1, 2]
    assert lists.flags("192.0.2.7") == "tor"


async def test_a_list_that_cannot_be_downloaded_is_logged_and_the_service_goes_on(tmp_path: Path) -> None:
    lists = ListFolder(tmp_path)
    # Nothing listens on port 1.
    public = PublicList("tor-exits.txt", "tor", "http://127.0.0.1:1/", "the makers", "none")
    with capture_logs() as lines:
        await ListRefresher(tmp_path, lists.clock, 24, [public]).refresh()
    assert [line["event"] for line in lines] == ["list not downloaded"]
