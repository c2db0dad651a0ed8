"""A store is backed up while it is written to, and restored elsewhere, as docs/operate/backup.md says."""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import stat
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import apsw
import asyncpg
import httpx
import pytest

from tests.cli.terminal import KEY, SECONDS, Serving, Terminal
from tests.conftest import ENGINES, drop_postgres_database, new_postgres_database
from tests.receiver import Receiver

EXTERNAL, STORE = "/api/external/v1", "/api/store/v1"
SETTINGS = {"rate_limit_per_minute": "0", "webhook_allow_insecure": "true", "log_level": "error"}
READINGS = ("/referrals", "/referrals/statistics", "/referrals/leaderboard", "/webhooks", "/events")


async def test_the_embedded_database_is_backed_up_while_it_is_written_to(terminal: Terminal, tmp_path: Path) -> None:
    restored = tmp_path / "restored"
    restored.mkdir()
    file = tmp_path / "store.backup"
    async with Receiver() as receiver:
        with terminal.serving(**SETTINGS) as server:
            token = server.token
            contents = await _backed_up(terminal, server, token, file, "--with-key", receiver=receiver)
        terminal.folder = restored
        assert (await asyncio.to_thread(terminal.run, "restore", str(file))).code == 0
        assert [stat.S_IMODE(path.stat().st_mode) for path in (file, *restored.iterdir())] == [0o600] * 3
        await _check_restored(terminal, token, contents, receiver)


async def test_postgresql_is_backed_up_while_it_is_written_to(
    terminal: Terminal, tmp_path: Path, new_postgres_url: str, postgres_admin_url: str
) -> None:
    dump = tmp_path / "store.backup"
    terminal.settings = {"database_url": new_postgres_url, "secret_key": KEY}
    await asyncio.to_thread(terminal.run, "migrate")
    async with Receiver() as receiver:
        with terminal.serving(**SETTINGS) as server:
            token = server.token
            contents = await _backed_up(terminal, server, token, dump, receiver=receiver)
        async with _empty_database(postgres_admin_url, new_postgres_url + "_restored") as url:
            terminal.settings["database_url"] = url
            assert (await asyncio.to_thread(terminal.run, "restore", str(dump))).code == 0
            again = await asyncio.to_thread(terminal.run, "restore", str(dump))
            assert again.sentence.startswith("The database is not empty")
            await _check_restored(terminal, token, contents, receiver)


class BackupContents:
    """What the backup must hold."""

    def __init__(self, readings: dict[str, Any], secret: str) -> None:
        self.readings = readings
        self.secret = secret
        self.tiers_at_least = 0
        self.tiers_at_most = 0
        self.is_growing = asyncio.Event()


async def _backed_up(
    terminal: Terminal, server: Serving, token: str, file: Path, *options: str, receiver: Receiver
) -> BackupContents:
    """Fills the store, then backs it up while tiers are created one after the other."""
    async with _client(server, token) as http:
        contents = BackupContents({}, await _fill(http, receiver))
        contents.readings = await _readings(http)
        writing = asyncio.create_task(_write(http, contents))
        # The backup begins in the midst of it.
        async with asyncio.timeout(SECONDS):
            await contents.is_growing.wait()
        contents.tiers_at_least = contents.tiers_at_most
        done = await asyncio.to_thread(terminal.run, "backup", str(file), *options)
        writing.cancel()
        await asyncio.gather(writing, return_exceptions=True)
    assert (done.code, f"{file} is complete: " in done.out) == (0, True), done.err
    # One more may have been written without having been answered.
    contents.tiers_at_most += 1
    return contents


async def _check_restored(terminal: Terminal, token: str, contents: BackupContents, receiver: Receiver) -> None:
    checked = await asyncio.to_thread(terminal.run, "doctor", "--check-counters")
    assert "Every maintained total equals a recount." in checked.out, checked.out + checked.err
    with terminal.serving(**SETTINGS) as server:
        async with _client(server, token) as http:
            assert await _readings(http) == contents.readings
            tiers = [tier["name"] for tier in (await http.get(f"{EXTERNAL}/referrals/tiers")).json()["data"]]
            assert contents.tiers_at_least <= len(tiers) <= contents.tiers_at_most
            assert tiers == [f"Tier {number}" for number in range(len(tiers))]
            await http.post(f"{EXTERNAL}/webhooks/1/test")
    last = receiver.received[-1]
    signature = hmac.new(contents.secret.encode(), last.body, hashlib.sha256).hexdigest()
    assert last.headers["X-Webhook-Signature"] == signature


async def _fill(http: httpx.AsyncClient, receiver: Receiver) -> str:
    """A referral that has turned successful, an event, and a webhook whose secret this gives."""
    webhook = await _post(http, f"{EXTERNAL}/webhooks", url=receiver.url, events=["product.deleted"])
    await _post(http, f"{STORE}/products", name="Sword", price="19.99")
    mira = await _post(http, f"{STORE}/customers", name="Mira", email="mira@example.com")
    code = mira["customer"]["referral_code"]
    await _post(http, f"{STORE}/customers", name="Jun", email="jun@example.org", referral_code=code)
    items = [{"product_id": 1, "quantity": 1}]
    placed = await _post(http, f"{STORE}/orders", customer_id=2, items=items, ip_address="203.0.113.9")
    await _post(http, f"{STORE}/orders/{placed['order']['id']}/pay")
    return str(webhook["secret"])


async def _write(http: httpx.AsyncClient, contents: BackupContents) -> None:
    while True:
        name = f"Tier {contents.tiers_at_most}"
        await _post(
            http,
            f"{EXTERNAL}/referrals/tiers",
            name=name,
            referrals_required=1,
            reward_type="percentage_discount",
            reward_value=10,
        )
        contents.tiers_at_most += 1
        if contents.tiers_at_most == 5:
            contents.is_growing.set()


async def _readings(http: httpx.AsyncClient) -> dict[str, Any]:
    return {path: (await http.get(EXTERNAL + path)).json() for path in READINGS}


async def _post(http: httpx.AsyncClient, path: str, **body: Any) -> Any:
    answer = await http.post(path, json=body)
    assert answer.is_success, answer.text
    return answer.json()["data"]


def _client(server: Serving, token: str) -> httpx.AsyncClient:
    return httpx.AsyncClient(base_url=server.url, headers={"Authorization": f"Bearer {token}"}, timeout=SECONDS)


@asynccontextmanager
async def _empty_database(admin_url: str, url: str) -> AsyncIterator[str]:
    database = await new_postgres_database(admin_url, url.rsplit("/", 1)[1])
    yield database
    await drop_postgres_database(admin_url, database)


def test_a_backup_never_overwrites_a_file(terminal: Terminal) -> None:
    terminal.settings = {"secret_key": KEY}
    terminal.call("migrate")
    (terminal.folder / "store.backup").write_text("a letter")
    assert terminal.call("backup", "store.backup").sentence == "store.backup exists. Give another name."
    assert (terminal.folder / "store.backup").read_text() == "a letter"
    (terminal.folder / "other.backup.key").write_text("a key")
    assert (
        terminal.call("backup", "other.backup", "--with-key").sentence == "other.backup.key exists. Give another name."
    )
    assert not (terminal.folder / "other.backup").exists()


def test_a_backup_is_not_restored_next_to_the_key_of_another_store(terminal: Terminal) -> None:
    key = terminal.folder / "lootkeep.db.key"
    assert terminal.call("migrate").code == 0
    key.write_text(KEY)
    assert terminal.call("backup", "store.backup", "--with-key").code == 0
    key.write_text("0123456789abcdef" * 4)
    refused = terminal.call("restore", "store.backup", "--replace").sentence
    assert refused == "lootkeep.db.key is the key of another store. Move it away."
    key.unlink()
    assert terminal.call("restore", "store.backup", "--replace").code == 0
    assert key.read_text().strip() == KEY


def test_a_store_that_was_moved_is_not_backed_up(terminal: Terminal) -> None:
    terminal.settings = {"secret_key": KEY}
    assert terminal.call("migrate").code == 0
    assert terminal.call("move", "--to", "sqlite:///new.db", "--yes").code == 0
    refused = terminal.call("backup", "store.backup").sentence
    assert refused.startswith(f"{terminal.folder / 'lootkeep.db'} was moved to sqlite:///")


def test_a_server_that_cannot_be_reached_is_reported_in_a_sentence(terminal: Terminal) -> None:
    terminal.settings = {"database_url": "postgresql://lootkeep@127.0.0.1:1/lootkeep", "secret_key": KEY}
    assert terminal.call("backup", "store.backup").sentence.startswith("PostgreSQL cannot be reached: ")


@pytest.fixture(params=ENGINES)
def store(request: pytest.FixtureRequest, terminal: Terminal) -> Terminal:
    """An empty store on each engine in turn."""
    if request.param == "postgresql":
        terminal.settings = {"database_url": request.getfixturevalue("new_postgres_url"), "secret_key": KEY}
    assert terminal.call("migrate").code == 0
    return terminal


async def test_a_killed_backup_leaves_no_file_with_its_name(store: Terminal) -> None:
    # While the store is locked, the backup has begun and cannot end.
    async with _locked(store):
        with store.start("backup", "store.backup") as process:
            async with asyncio.timeout(SECONDS):
                while not list(store.folder.glob(".store.backup.*.part")):
                    await asyncio.sleep(0.01)
            process.kill()
    assert not (store.folder / "store.backup").exists()
    assert (await asyncio.to_thread(store.run, "backup", "store.backup")).code == 0
    assert stat.S_IMODE((store.folder / "store.backup").stat().st_mode) == 0o600


@asynccontextmanager
async def _locked(store: Terminal) -> AsyncIterator[None]:
    if "database_url" in store.settings:
        connection = await asyncpg.connect(store.settings["database_url"])
        async with connection.transaction():
            await connection.execute("LOCK TABLE orders")
            yield
        await connection.close()
        return
    file = apsw.Connection(store.database)
    file.execute("PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE").fetchall()
    yield
    file.close()


def test_a_backup_of_the_other_engine_is_named_and_not_restored(terminal: Terminal, new_postgres_url: str) -> None:
    on_postgresql = {"database_url": new_postgres_url, "secret_key": KEY}
    for name, settings in (("embedded.backup", {}), ("postgres.backup", on_postgresql)):
        assert terminal.call("migrate", **settings).code == 0
        assert terminal.call("backup", name, **settings).code == 0
    assert terminal.call("restore", "postgres.backup", "--replace").sentence == (
        "postgres.backup is a backup of a PostgreSQL database, but LOOTKEEP_DATABASE_URL names an embedded one. "
        "Set it to an empty PostgreSQL database: postgresql://USER:PASSWORD@HOST/NAME. After that, "
        "`lootkeep move --to sqlite:///FILE` moves the store into an embedded one."
    )
    assert terminal.call("restore", "embedded.backup", **on_postgresql).sentence == (
        "embedded.backup is a backup of an embedded database, but LOOTKEEP_DATABASE_URL names a PostgreSQL "
        "database. Set it to a file: sqlite:///lootkeep.db. After that, "
        "`lootkeep move --to postgresql://USER:PASSWORD@HOST/NAME` moves the store to PostgreSQL."
    )


def test_a_missing_store_cannot_be_backed_up(terminal: Terminal) -> None:
    assert terminal.call("backup", "store.backup").sentence.startswith("There is no database at ")
    assert list(terminal.folder.iterdir()) == []


def test_a_restore_moves_the_previous_store_aside(terminal: Terminal) -> None:
    terminal.call("migrate")
    terminal.call("backup", "store.backup")
    assert terminal.call("restore", "store.backup").sentence.startswith("lootkeep.db exists. Use --replace")
    assert terminal.call("restore", "store.backup", "--replace").code == 0
    assert (terminal.folder / "lootkeep.db.before-restore").exists()
    assert "is from an earlier restore" in terminal.call("restore", "store.backup", "--replace").sentence


def test_a_store_in_use_is_not_replaced(terminal: Terminal) -> None:
    terminal.call("migrate")
    terminal.call("backup", "store.backup")
    server = apsw.Connection(str(terminal.folder / "lootkeep.db"))
    server.execute("SELECT count(*) FROM orders")
    refused = terminal.call("restore", "store.backup", "--replace").sentence
    server.close()
    assert refused == "lootkeep.db is in use: stop the service first."


@pytest.mark.parametrize("part", ["a beginning", "a letter"])
def test_a_damaged_backup_changes_nothing(terminal: Terminal, part: str) -> None:
    terminal.call("migrate")
    terminal.call("backup", "store.backup")
    content = (terminal.folder / "store.backup").read_bytes()
    (terminal.folder / "part").write_bytes(content[:9000] if part == "a beginning" else part.encode())
    before = (terminal.folder / "lootkeep.db").read_bytes()
    assert terminal.call("restore", "part", "--replace").sentence.startswith("part is damaged: ")
    assert (terminal.folder / "lootkeep.db").read_bytes() == before
