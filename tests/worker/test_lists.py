"""The periodic task that loads new lists, and what it logs."""

from __future__ import annotations

from pathlib import Path

from structlog.testing import capture_logs

from lootkeep.worker.lists import ListKeeper
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
