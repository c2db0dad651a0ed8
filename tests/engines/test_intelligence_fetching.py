"""Fetching public lists from a real server on loopback: a bad download changes nothing."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

from lootkeep.engines.intelligence.fetching import PUBLIC_LISTS, FetchLimits, FetchResult, PublicList, refresh
from lootkeep.engines.intelligence.sources import SourceKind
from lootkeep.kernel.clock import DAY, Instant, ManualClock
from tests.engines.lists import ListFolder
from tests.world import NOON

EXITS = b"".join(b"192.0.2.%d\n" % last for last in range(100))
# Short, since a test waits for it; long enough for a loaded machine to answer.
LIMITS = FetchLimits(seconds=2, size=100_000)


class ListServer:
    """Answers each path with the bytes it was given, headers and all; a path that hangs sends nothing."""

    def __init__(self) -> None:
        self.answers: dict[str, bytes] = {}
        self.url = ""

    def give(
        self, path: str, body: bytes, *, status: str = "200 OK", headers: str = "", length: int | None = None
    ) -> None:
        size = len(body) if length is None else length
        head = f"HTTP/1.1 {status}\r\nContent-Length: {size}\r\nConnection: close\r\n{headers}\r\n"
        self.answers[path] = head.encode() + body

    async def answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        request = await reader.readuntil(b"\r\n\r\n")
        path = request.split()[1].decode()
        if path in self.answers:
            writer.write(self.answers[path])
        else:
            await reader.read()
        writer.close()


@pytest_asyncio.fixture
async def server() -> AsyncIterator[ListServer]:
    behind = ListServer()
    listening = await asyncio.start_server(behind.answer, "127.0.0.1", 0)
    behind.url = f"http://127.0.0.1:{listening.sockets[0].getsockname()[1]}"
    async with listening:
        yield behind


def source(
    server: ListServer, file: str = "tor-exits.txt", need: SourceKind = "tor", path: str = "/list"
) -> PublicList:
    return PublicList(file, need, server.url + path, "the makers", "none")


async def fetch(lists: ListFolder, *sources: PublicList, limits: FetchLimits = LIMITS) -> list[FetchResult]:
    return await refresh(lists.folder, lists.clock, sources, limits)


async def test_a_list_is_fetched_verified_sealed_and_used(lists: ListFolder, server: ListServer) -> None:
    server.give("/list", EXITS, headers="Last-Modified: Fri, 13 Nov 2026 12:00:00 GMT\r\n")
    assert await fetch(lists, source(server)) == [FetchResult("tor-exits.txt", True, "100 entries, the first time.")]
    head, _, body = (lists.folder / "tor-exits.txt").read_bytes().partition(b"\n")
    assert head.startswith(b"# lootkeep list sha256=")
    assert head.endswith(f" date=2026-11-13T12:00:00Z from {server.url}/list".encode())
    assert body == EXITS
    assert lists.intelligence.network("192.0.2.7").tor_list_days == 2
    assert os.listdir(lists.folder) == ["tor-exits.txt"]


async def test_a_list_without_a_date_is_dated_by_its_download(lists: ListFolder, server: ListServer) -> None:
    server.give("/list", EXITS)
    await fetch(lists, source(server))
    lists.clock.advance(5 * DAY)
    assert lists.intelligence.network("192.0.2.7").tor_list_days == 5


async def test_the_folder_is_created(tmp_path: Path, server: ListServer) -> None:
    server.give("/list", EXITS)
    (outcome,) = await refresh(tmp_path / "new" / "folder", ManualClock(Instant(NOON)), [source(server)], LIMITS)
    assert outcome.is_good
    assert (tmp_path / "new" / "folder" / "tor-exits.txt").exists()


async def test_changes_are_reported(lists: ListFolder, server: ListServer) -> None:
    server.give("/list", EXITS)
    await fetch(lists, source(server))
    assert (await fetch(lists, source(server)))[0].sentence == "100 entries, as before."
    server.give("/list", EXITS + b"198.51.100.1\n198.51.100.2\n".replace(b"\n", b"\r\n") + b"# a comment\n")
    assert (await fetch(lists, source(server)))[0].sentence == "102 entries: 2 new, 0 removed."
    server.give("/list", EXITS[20:])
    assert (await fetch(lists, source(server)))[0].sentence == "98 entries: 0 new, 4 removed."


async def test_a_running_service_loads_a_downloaded_list(lists: ListFolder, server: ListServer) -> None:
    assert lists.flags("192.0.2.7") == ""
    server.give("/list", EXITS)
    await fetch(lists, source(server))
    lists.intelligence.refresh_if_changed()
    assert lists.flags("192.0.2.7") == "tor"


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        ({"body": b"gone", "status": "404 Not Found"}, "cannot be downloaded: the server responded with 404"),
        ({"body": b"", "status": "500 Oops"}, "cannot be downloaded: the server responded with 500"),
        ({"body": b"", "status": "304 Not Modified"}, "cannot be downloaded: the server responded with 304"),
        ({"body": EXITS[:500], "length": 5000}, "cannot be downloaded: the response was truncated"),
        ({"body": b"192.0.2.1\n" * 20_000}, "has more than 100000 bytes"),
        ({"body": b""}, "is empty"),
        ({"body": b"<html>\nBlocked by your provider\n"}, "does not have an IP address or a network in line 1"),
        ({"body": b"0.0.0.0/0\n"}, "covers half of all IP addresses"),
        (
            {"body": b"\x1f\x8b\x08garbage", "headers": "Content-Encoding: gzip\r\n"},
            "cannot be downloaded: the response is compressed, although this was not requested",
        ),
        ({"body": EXITS[:90]}, "has 9 entries instead of 100: delete "),
        (None, "cannot be downloaded: the server took more than 0.5 seconds"),
    ],
    ids=["404", "500", "304", "truncated", "huge", "empty", "wrong", "everything", "packing", "shrunk", "hanging"],
)
async def test_a_failed_or_invalid_download_keeps_the_previous_list(
    lists: ListFolder, server: ListServer, answer: dict[str, object] | None, reason: str
) -> None:
    server.give("/list", EXITS)
    server.give("/other", b"192.0.2.200\n")
    await fetch(lists, source(server))
    before = (lists.folder / "tor-exits.txt").read_bytes()
    del server.answers["/list"]
    if answer is not None:
        server.give("/list", **answer)  # type: ignore[arg-type]
    limits = LIMITS if answer is not None else LIMITS._replace(seconds=0.5)
    bad, good = await fetch(lists, source(server), source(server, "vpn.txt", "vpn", "/other"), limits=limits)
    assert (bad.file, bad.is_good) == ("tor-exits.txt", False)
    assert bad.sentence.startswith(f"The list of the makers {reason}")
    assert bad.sentence.endswith(". The previous one stays in use.")
    assert good.is_good
    assert (lists.folder / "tor-exits.txt").read_bytes() == before
    assert sorted(os.listdir(lists.folder)) == ["tor-exits.txt", "vpn.txt"]


async def test_without_internet_access_each_list_reports_an_error_and_nothing_is_created(lists: ListFolder) -> None:
    nowhere = PublicList("vpn.txt", "vpn", "http://127.0.0.1:1/list", "nobody", "none")
    assert await fetch(lists, nowhere) == [
        FetchResult(
            "vpn.txt",
            False,
            "The list of nobody cannot be downloaded: 127.0.0.1 cannot be reached. Nothing was written.",
        )
    ]
    assert os.listdir(lists.folder) == []


async def test_a_folder_that_cannot_be_written_is_reported(lists: ListFolder, server: ListServer) -> None:
    server.give("/list", EXITS)
    (lists.folder / "file").write_text("")
    (outcome,) = await refresh(lists.folder / "file", lists.clock, [source(server)], LIMITS)
    assert not outcome.is_good
    assert "cannot be written into" in outcome.sentence


async def test_a_truncated_or_edited_download_is_rejected(lists: ListFolder, server: ListServer) -> None:
    server.give("/list", EXITS)
    await fetch(lists, source(server))
    path = lists.folder / "tor-exits.txt"
    content = path.read_bytes()
    for damaged in (content[: len(content) // 2], content[:-11], content + b"198.51.100.1\n"):
        path.write_bytes(damaged)
        lists.intelligence.refresh_if_changed()
        assert lists.rejected["tor-exits.txt"].startswith("does not match the checksum in its first line")
    path.write_bytes(content.partition(b"\n")[2] + b"198.51.100.1\n")
    lists.intelligence.refresh_if_changed()
    assert (lists.rejected, lists.flags("198.51.100.1")) == ({}, "tor")


async def test_redirects_are_followed_up_to_a_limit(lists: ListFolder, server: ListServer) -> None:
    server.give("/moved", b"", status="302 Found", headers=f"Location: {server.url}/list\r\n")
    server.give("/round", b"", status="302 Found", headers=f"Location: {server.url}/round\r\n")
    server.give("/list", EXITS)
    good, bad = await fetch(lists, source(server, path="/moved"), source(server, "tor-2.txt", path="/round"))
    assert (good.is_good, bad.is_good) == (True, False)


@pytest.mark.parametrize("item", PUBLIC_LISTS, ids=lambda item: item.file)
def test_a_public_list_is_fetched_over_tls_and_stored_under_the_name_of_its_kind(
    item: PublicList, lists: ListFolder
) -> None:
    assert item.url.startswith("https://")
    lists.write(item.file, "throw.example\n" if item.need == "disposable" else "192.0.2.1\n")
    assert [source.name for source in lists.served(item.need)] == [item.file]
