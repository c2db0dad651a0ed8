"""SIGKILL of `lootkeep key rotate` at any time: the next run goes on, and nothing is lost or left with the old key."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import func, select

from lootkeep import wiring
from lootkeep.deps import Deps
from lootkeep.domain.emails import NewEmail
from lootkeep.engines import key_file
from lootkeep.engines.vault import Vault
from lootkeep.services import key_rotation as key_rotation_service
from lootkeep.settings import Settings, variable
from lootkeep.storage import emails as emails_db, migrations, secret_key as secret_key_db
from lootkeep.storage.engine.query import Query
from lootkeep.storage.schema import mails
from tests.faults.processes import KEY
from tests.rules.tree import ROOT

ROWS = 1200
KILLS = 4
PATIENCE_SECONDS = 60.0
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

    def start(self) -> subprocess.Popen[str]:
        plain = {name: value for name, value in os.environ.items() if not name.startswith("LOOTKEEP_")}
        environment = plain | {variable(name): value for name, value in self.values.items()} | {"PYTHONPATH": str(ROOT)}
        command = [sys.executable, "-m", "tests.faults.rotate_key", *([] if self.is_embedded else [str(self.new_key)])]
        return subprocess.Popen(command, cwd=self.folder, env=environment, stdout=subprocess.PIPE, text=True)

    def run(self) -> str:
        with self.start() as process:
            output, _ = process.communicate(timeout=PATIENCE_SECONDS)
        assert process.returncode == 0
        return output.strip()


@pytest.fixture
def store(database_url: str, tmp_path: Path) -> Store:
    store = Store(database_url, tmp_path)
    asyncio.run(_begin(store))
    return store


def test_a_rotation_killed_repeatedly_goes_on_until_everything_is_sealed_with_the_new_key(store: Store) -> None:
    before = asyncio.run(_bodies(store))
    for number in range(KILLS):
        with store.start() as process:
            asyncio.run(_until(store, ROWS * number // KILLS))
            assert process.poll() is None, "It was faster than the test: raise ROWS."
            process.kill()
        assert asyncio.run(_bodies(store)) == before
    last = [store.run()]
    if not store.is_embedded:
        store.values["secret_key"] = NEW
        last.append(store.run())
    assert last[-1].endswith(ENDED)
    assert asyncio.run(_bodies(store)) == before
    assert asyncio.run(_sealed_again(store)) == ROWS
    assert [path.name for path in store.folder.glob("store.db.key*")] == ["store.db.key"] * store.is_embedded


def test_a_rotation_killed_before_its_last_step_is_ended_by_the_next_run(store: Store) -> None:
    """The new key has replaced the old one, and both are still valid."""
    before = asyncio.run(_bodies(store))
    asyncio.run(_rotate_without_end(store))
    assert store.run() == ENDED
    assert asyncio.run(_bodies(store)) == before
    assert asyncio.run(_valid_keys(store)) == 1


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


async def _until(store: Store, count: int) -> None:
    """Until the rotation has begun, and this many e-mails are sealed with the new key."""
    deadline = time.monotonic() + PATIENCE_SECONDS
    async with wiring.opened(store.settings) as deps:
        while time.monotonic() < deadline:
            if await _is_rotating(deps) and await _count(deps) >= count:
                return
            await asyncio.sleep(0.002)


async def _is_rotating(deps: Deps) -> bool:
    async with deps.db.read() as tx:
        return (await secret_key_db.mark(tx)).is_rotating


async def _count(deps: Deps) -> int:
    async with deps.db.read() as tx:
        ((count,),) = await tx.all(_SEALED_AGAIN)
        return int(count)


async def _sealed_again(store: Store) -> int:
    async with wiring.opened(store.settings) as deps:
        return await _count(deps)


async def _valid_keys(store: Store) -> int:
    async with wiring.opened(store.settings) as deps, deps.db.read() as tx:
        return len((await secret_key_db.mark(tx)).rings)


async def _rotate_without_end(store: Store) -> None:
    async def no_wait(_: float) -> None:
        """Nothing else runs."""

    async with wiring.opened(store.settings) as deps:
        await key_rotation_service.rotate(deps, Vault(NEW), no_wait, ends_links=False)
    if store.is_embedded:
        key_file.promote(store.new_key, store.folder / "store.db.key")
    else:
        store.values["secret_key"] = NEW
