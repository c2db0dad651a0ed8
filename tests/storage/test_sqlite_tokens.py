"""The file by which processes of an embedded database notice changes of tokens."""

from __future__ import annotations

import stat
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from lootkeep.kernel.errors import Unavailable
from lootkeep.storage.engine.sqlite import SqliteDatabase


@pytest.fixture
async def database(tmp_path: Path) -> AsyncIterator[SqliteDatabase]:
    database = SqliteDatabase(tmp_path / "store.db")
    yield database
    await database.close()


async def change(database: SqliteDatabase) -> None:
    async with database.write_tokens():
        pass


async def test_the_number_differs_after_every_change(database: SqliteDatabase) -> None:
    async with database.watch_tokens() as version:
        seen = [version(), version()]
        for _ in range(3):
            await change(database)
            seen.append(version())
    assert (seen[0], len(set(seen))) == (seen[1], 4)


async def test_another_watcher_does_not_keep_the_number_of_an_earlier_one(database: SqliteDatabase) -> None:
    async with database.watch_tokens() as version:
        before = version()
        async with database.watch_tokens() as other:
            assert version() == other() != before


async def test_a_change_that_fails_is_no_change(database: SqliteDatabase) -> None:
    async with database.watch_tokens() as version:
        before = version()
        with pytest.raises(ZeroDivisionError):
            async with database.write_tokens():
                raise ZeroDivisionError
        assert version() == before


async def test_a_change_that_nobody_watches_leaves_no_file(database: SqliteDatabase, tmp_path: Path) -> None:
    await change(database)
    assert not (tmp_path / "store.db-tokens").exists()


async def test_the_file_is_as_private_as_the_database(database: SqliteDatabase, tmp_path: Path) -> None:
    (tmp_path / "store.db").chmod(0o640)
    async with database.watch_tokens():
        assert stat.S_IMODE((tmp_path / "store.db-tokens").stat().st_mode) == 0o640


async def test_a_process_that_uses_a_link_to_the_database_notices_changes(
    database: SqliteDatabase, tmp_path: Path
) -> None:
    (tmp_path / "link.db").symlink_to(tmp_path / "store.db")
    linked = SqliteDatabase(tmp_path / "link.db")
    async with linked.watch_tokens() as version:
        before = version()
        await change(database)
        assert version() != before
    await linked.close()


async def test_without_the_file_nothing_is_known_and_a_change_is_not_acknowledged(
    database: SqliteDatabase, tmp_path: Path
) -> None:
    (tmp_path / "store.db-tokens").mkdir()
    async with database.watch_tokens() as version:
        assert version() is None
        with pytest.raises(Unavailable):
            await change(database)
