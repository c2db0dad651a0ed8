"""SIGKILL of `lootkeep key rotate` at any time: the next run goes on, and nothing is lost or left with the old key."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import func, select

from lootkeep import wiring
from lootkeep.domain.emails import NewEmail
from lootkeep.settings import Settings, variable
from lootkeep.storage import emails as emails_db, migrations, secret_key as secret_key_db
from lootkeep.storage.engine.query import Query
from lootkeep.storage.schema import mails
from tests import forked
from tests.faults.processes import KEY
from tests.rules.tree import ROOT

FAULTS = ROOT / "tests/faults"
# Six batches.
ROWS = 1200
SECONDS = 300
# Before the new key is announced, after that, and before some batches are sealed with it.
SEALING = tuple(
    f"services/key_rotation.py:{call}" for call in ("_announce:1", "_announce:2", "_seal_rows_again:1")
) + tuple(f"storage/secret_key.py:replace:{number}" for number in (1, 3))
# Before the new key gets the name of the old one, and before the old one ends.
ENDING = ("engines/key_file.py:promote:1", "services/key_rotation.py:finish:1")
NEW = "b4f0a2d96c1e8375b4f0a2d96c1e8375b4f0a2d96c1e8375"
ENDED = "The old key opens nothing any more; keep it only for older backups."

_SEALED_AGAIN = Query(select(func.count()).select_from(mails).where(mails.c.body.startswith("1.")))


class Store:
    """An embedded store has its key in a file, one on PostgreSQL in its settings."""

    def __init__(self, url: str, folder: Path) -> None:
        self.folder = folder
        self.values: dict[str, Any] = {"database_url": url} | ({} if url.startswith("sqlite") else {"secret_key": KEY})
        self.new_key = folder / "new.key"
        self.new_key.write_text(NEW + "\n")

    @property
    def settings(self) -> Settings:
        return Settings(_env_file=None, **self.values)

    @property
    def is_embedded(self) -> bool:
        return "secret_key" not in self.values

    def run(self) -> str:
        done = self._run()
        assert done.returncode == 0, done.stderr
        return done.stdout.strip()

    def killed_at(self, mark: str) -> None:
        done = self._run(str(FAULTS / "killed_at.py"), mark)
        assert done.returncode == -signal.SIGKILL, (mark, done)

    def _run(self, *launcher: str) -> subprocess.CompletedProcess[str]:
        plain = {name: value for name, value in os.environ.items() if not name.startswith("LOOTKEEP_")}
        environment = plain | {variable(name): value for name, value in self.values.items()}
        new_key = [] if self.is_embedded else [str(self.new_key)]
        command = [*launcher, str(FAULTS / "rotate_key.py"), *new_key]
        return forked.run(command, SECONDS, cwd=self.folder, env=environment)


@pytest.fixture
def store(database_url: str, tmp_path: Path) -> Store:
    store = Store(database_url, tmp_path)
    asyncio.run(_begin(store))
    return store


def test_a_rotation_killed_at_many_points_goes_on_until_everything_is_sealed_with_the_new_key(store: Store) -> None:
    before = asyncio.run(_bodies(store))
    for mark in (*SEALING, *(ENDING if store.is_embedded else ())):
        store.killed_at(mark)
        assert asyncio.run(_bodies(store)) == before
    if not store.is_embedded:
        store.run()
        store.values["secret_key"] = NEW
        store.killed_at(ENDING[-1])
    assert asyncio.run(_valid_keys(store)) == 2
    assert store.run() == ENDED
    assert asyncio.run(_valid_keys(store)) == 1
    assert asyncio.run(_bodies(store)) == before
    assert asyncio.run(_sealed_again(store)) == ROWS
    assert [path.name for path in store.folder.glob("store.db.key*")] == ["store.db.key"] * store.is_embedded


async def _begin(store: Store) -> None:
    engine = await wiring.open_database(store.settings)
    await migrations.upgrade(engine)
    await engine.close()
    async with wiring.opened(store.settings) as deps, deps.db.write() as tx:
        for number in range(ROWS):
            email = NewEmail("test", "ann@mail.example", "Ann", "Hello", f"e-mail {number}", "<p>Hello</p>")
            await emails_db.add(tx, email, deps.vault.seal, deps.clock.now())


async def _bodies(store: Store) -> list[str]:
    async with wiring.opened(store.settings) as deps, deps.db.read() as tx:
        emails = await emails_db.ROWS.find(tx)
        return sorted(emails_db.body_of(email, deps.vault.open).text for email in emails)


async def _sealed_again(store: Store) -> int:
    async with wiring.opened(store.settings) as deps, deps.db.read() as tx:
        ((count,),) = await tx.all(_SEALED_AGAIN)
        return int(count)


async def _valid_keys(store: Store) -> int:
    async with wiring.opened(store.settings) as deps, deps.db.read() as tx:
        return len((await secret_key_db.mark(tx)).rings)
