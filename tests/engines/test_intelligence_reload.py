"""New lists replace old ones while the service runs; broken files change nothing."""

from __future__ import annotations

import gzip
import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from lootkeep.domain.fraud.facts import NetworkFacts
from lootkeep.engines.intelligence.folder import stamp_of
from lootkeep.engines.intelligence.opening import opened
from lootkeep.engines.intelligence.sources import FileChanging
from lootkeep.kernel.clock import DAY
from tests.engines.lists import ListFolder
from tests.world import NOON

# The user that owns nothing.
NOBODY = 65534
STAYS = "; the previous data stays in use."


@pytest.fixture
def loaded(lists: ListFolder) -> ListFolder:
    lists.write("vpn.txt", "192.0.2.0/24\n", at=NOON - DAY)
    lists.write_database("country.mmdb", {"192.0.2.0/24": {"country_code": "US"}})
    assert lists.intelligence.network("192.0.2.1") == NetworkFacts(country="US", is_vpn=True)
    return lists


def test_a_new_file_is_used_after_the_next_check(loaded: ListFolder) -> None:
    loaded.write("tor.txt", "192.0.2.1\n")
    assert loaded.flags("192.0.2.1") == "vpn"
    loaded.intelligence.refresh_if_changed()
    assert loaded.flags("192.0.2.1") == "vpn tor"


def test_a_changed_file_is_read_again(loaded: ListFolder) -> None:
    loaded.write("vpn.txt", "198.51.100.0/24\n")
    loaded.write_database("country.mmdb", {"192.0.2.0/24": {"country_code": "FR"}})
    loaded.intelligence.refresh_if_changed()
    assert loaded.intelligence.network("192.0.2.1") == NetworkFacts(country="FR")
    assert loaded.flags("198.51.100.1") == "vpn"


def test_a_list_whose_file_is_removed_is_no_longer_used(loaded: ListFolder) -> None:
    (loaded.folder / "vpn.txt").unlink()
    (loaded.folder / "country.mmdb").unlink()
    loaded.intelligence.refresh_if_changed()
    assert loaded.intelligence.network("192.0.2.1") == NetworkFacts()
    assert loaded.rejected == {}


def test_lists_stay_loaded_when_their_folder_disappears(loaded: ListFolder) -> None:
    elsewhere = loaded.folder.rename(loaded.folder.with_name("elsewhere"))
    loaded.intelligence.refresh_if_changed()
    loaded.intelligence.refresh_if_changed()
    assert loaded.flags("192.0.2.1") == "vpn"
    (sentence,) = loaded.rejected.values()
    assert sentence == f"cannot be read (No such file or directory){STAYS}"
    elsewhere.rename(loaded.folder)
    loaded.intelligence.refresh_if_changed()
    assert (loaded.rejected, loaded.flags("192.0.2.1")) == ({}, "vpn")


def test_a_missing_folder_holds_no_lists_until_it_is_created(tmp_path: Path) -> None:
    (tmp_path / "later").mkdir()
    lists = ListFolder(tmp_path / "later")
    lists.folder.rmdir()
    assert (lists.flags("192.0.2.1"), lists.rejected) == ("", {})
    lists.folder.mkdir()
    lists.write("vpn.txt", "192.0.2.1\n")
    lists.intelligence.refresh_if_changed()
    assert lists.flags("192.0.2.1") == "vpn"


@pytest.mark.parametrize(
    ("name", "content", "reason"),
    [
        ("vpn.txt", b"<html>down for maintenance</html>\n", "does not have an IP address or a network in line 1"),
        ("vpn.txt", b"", "is empty"),
        ("vpn.txt", b"192.0.2.1\n" * 200, "has more than 0 MiB of text"),
        ("vpn.txt", b"192.0.2.1" * 2000, "has more than 0 MiB of text"),
        ("country.mmdb", b"\0" * 4000, "is not an MMDB file, or it is truncated or damaged"),
        ("country.mmdb", None, "is not an MMDB file, or it is truncated or damaged"),
    ],
    ids=["corrupt", "empty", "huge", "one huge line", "corrupt database", "truncated database"],
)
def test_a_file_that_becomes_unusable_leaves_the_data_as_it_was(
    tmp_path: Path, name: str, content: bytes | None, reason: str
) -> None:
    lists = ListFolder(tmp_path, max_text=1000)
    lists.write("vpn.txt", "192.0.2.0/24\n")
    original = lists.write_database("country.mmdb", {"192.0.2.0/24": {"country_code": "US"}}).read_bytes()
    assert lists.intelligence.network("192.0.2.1") == NetworkFacts(country="US", is_vpn=True)
    lists.write(name, original[: len(original) // 2] if content is None else content)
    lists.write("tor.txt", "192.0.2.1\n")
    lists.intelligence.refresh_if_changed()
    assert lists.intelligence.network("192.0.2.1") == NetworkFacts(
        country="US", is_vpn=True, is_tor=True, tor_list_days=0
    )
    assert lists.rejected == {name: reason + STAYS}


def test_a_decompression_bomb_is_rejected(tmp_path: Path) -> None:
    lists = ListFolder(tmp_path, max_text=1 << 20)
    lists.write("vpn.txt.gz", gzip.compress(b"192.0.2.1\n" * 1_000_000))
    assert lists.rejected == {"vpn.txt.gz": "has more than 1 MiB of text."}


def test_a_refused_file_is_read_again_only_when_it_changes(loaded: ListFolder) -> None:
    path = loaded.write("vpn.txt", "oops\n")
    loaded.intelligence.refresh_if_changed()
    read = os.stat(path).st_atime_ns
    before = loaded.intelligence.rejections()
    loaded.intelligence.refresh_if_changed()
    assert (os.stat(path).st_atime_ns, loaded.intelligence.rejections()) == (read, before)
    loaded.write("vpn.txt", "198.51.100.1\n")
    loaded.intelligence.refresh_if_changed()
    assert (loaded.rejected, loaded.flags("198.51.100.1")) == ({}, "vpn")


def test_checking_an_unchanged_folder_reads_and_replaces_nothing(loaded: ListFolder) -> None:
    knowledge = loaded.intelligence._known
    loaded.intelligence.refresh_if_changed()
    assert loaded.intelligence._known is knowledge


@contextmanager
def not_as_root() -> Iterator[None]:
    """Root may read everything: tests that run as root become nobody for a while."""
    if os.geteuid() != 0:
        yield
        return
    os.seteuid(NOBODY)
    try:
        yield
    finally:
        os.seteuid(0)


def test_an_unreadable_file_is_rejected_until_permission_is_granted() -> None:
    # Of its own, since nobody may enter the folders that pytest makes as root.
    with not_as_root(), TemporaryDirectory() as folder:
        lists = ListFolder(Path(folder))
        path = lists.write("tor.txt", "192.0.2.1\n")
        path.chmod(0)
        assert (lists.flags("192.0.2.1"), lists.rejected) == ("", {"tor.txt": "cannot be read (Permission denied)."})
        path.chmod(0o600)
        lists.intelligence.refresh_if_changed()
        assert (lists.flags("192.0.2.1"), lists.rejected) == ("tor", {})


def test_a_path_that_is_not_a_regular_file_is_rejected_without_blocking(loaded: ListFolder) -> None:
    os.mkfifo(loaded.folder / "tor.txt")
    (loaded.folder / "proxy.txt").symlink_to("proxy.txt")
    (loaded.folder / "datacenter.txt").symlink_to("nowhere")
    loaded.intelligence.refresh_if_changed()
    assert loaded.rejected == {
        "tor.txt": "is not a file.",
        "proxy.txt": "cannot be read (Too many levels of symbolic links).",
    }
    assert loaded.flags("192.0.2.1") == "vpn"


def test_a_symlink_is_followed_and_a_new_target_is_noticed(
    loaded: ListFolder, tmp_path_factory: pytest.TempPathFactory
) -> None:
    outside = tmp_path_factory.mktemp("outside")
    (outside / "old").write_text("192.0.2.1\n")
    (outside / "new").write_text("192.0.2.2\n")
    link = loaded.folder / "tor.txt"
    link.symlink_to(outside / "old")
    loaded.intelligence.refresh_if_changed()
    assert (loaded.flags("192.0.2.1"), loaded.flags("192.0.2.2")) == ("vpn tor", "vpn")
    link.unlink()
    link.symlink_to(outside / "new")
    loaded.intelligence.refresh_if_changed()
    assert (loaded.flags("192.0.2.1"), loaded.flags("192.0.2.2")) == ("vpn", "vpn tor")


def test_a_file_replaced_during_a_read_is_read_whole_and_then_reloaded(lists: ListFolder) -> None:
    path = lists.write("vpn.txt", "".join(f"192.0.2.{last}\n" for last in range(256)))
    with opened(path, path.name) as file:
        lines = file.lines()
        first = next(lines)
        lists.write("vpn.txt", "198.51.100.1\n")
        remaining_lines = list(lines)
    assert (first, len(remaining_lines)) == ("192.0.2.0\n", 255)
    assert stamp_of(file.status) != stamp_of(path.stat())


def test_a_file_modified_during_a_read_is_not_used(lists: ListFolder) -> None:
    path = lists.write("vpn.txt", "192.0.2.1\n" * 100_000)

    def read_while_it_grows() -> Iterator[str]:
        with opened(path, path.name) as file:
            lines = file.lines()
            yield next(lines)
            with path.open("a") as writer:
                writer.write("192.0.2.2\n")
            yield from lines

    with pytest.raises(FileChanging, match="was written to while it was read"):
        list(read_while_it_grows())


def test_a_file_slowly_written_in_place_is_loaded_when_complete(loaded: ListFolder) -> None:
    path = loaded.folder / "vpn.txt"

    def write() -> None:
        with path.open("w") as file:
            for last in range(1, 255):
                file.write(f"198.51.100.{last}\n")
                file.flush()

    writing = threading.Thread(target=write)
    writing.start()
    while writing.is_alive():
        loaded.intelligence.refresh_if_changed()
        assert loaded.flags("192.0.2.1") in ("vpn", "")
    loaded.intelligence.refresh_if_changed()
    assert (loaded.served("vpn")[0].entries, loaded.rejected) == ({"vpn": 254}, {})


def test_a_database_truncated_in_place_does_not_crash_the_process(loaded: ListFolder) -> None:
    with (loaded.folder / "country.mmdb").open("r+b") as file:
        file.truncate(0)
    assert loaded.intelligence.network("192.0.2.1").country == "US"
    loaded.intelligence.refresh_if_changed()
    assert loaded.intelligence.network("192.0.2.1").country == "US"


def test_lookups_see_either_the_old_or_the_new_version_while_lists_are_replaced(loaded: ListFolder) -> None:
    done = threading.Event()
    answers = set()

    def ask() -> None:
        while not done.is_set():
            answers.add((loaded.flags("192.0.2.1"), loaded.flags("198.51.100.1")))

    asking = threading.Thread(target=ask)
    asking.start()
    for number in range(30):
        loaded.write("vpn.txt", "192.0.2.0/24\n" if number % 2 else "198.51.100.0/24\n")
        loaded.intelligence.refresh_if_changed()
    done.set()
    asking.join()
    assert answers <= {("vpn", ""), ("", "vpn"), ("", ""), ("vpn", "vpn")}
    assert loaded.rejected == {}
