"""Rotating the secret key: everything can be read before, during and after; the old key opens nothing at the end."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any

import pytest
from msgspec import structs
from sqlalchemy import Column, Table, bindparam, select, update

from lootkeep.deps import Deps
from lootkeep.domain.accounts import Account
from lootkeep.domain.emails import NewEmail
from lootkeep.engines.vault import SealError, Vault
from lootkeep.kernel.errors import NotFound, StartupError
from lootkeep.services import (
    gift_cards as gift_cards_service,
    goods as goods_service,
    key_rotation as key_rotation_service,
    keys as keys_service,
    secret_key as secret_key_service,
    settings as settings_service,
)
from lootkeep.services.health import store as health_store
from lootkeep.settings import Settings
from lootkeep.storage import emails as emails_db, secret_key as secret_key_db
from lootkeep.storage.access import accounts as accounts_db
from lootkeep.storage.engine.database import Engine
from lootkeep.storage.engine.query import Query
from lootkeep.storage.orders import rows as orders_db
from lootkeep.storage.schema import mails, metadata
from tests.builders import STORE
from tests.sandboxes import fill
from tests.world import KEY, World

NEW = "a-new-secret-key-of-more-than-32-characters"
NEWER = "a-newer-secret-key-of-more-than-32-characters"
EMAIL = NewEmail("test", "ann@mail.example", "Ann", "Hello", "text", "<p>html</p>")
SEALED = [(table, column) for table in metadata.sorted_tables for column in table.columns if "purposes" in column.info]


async def no_wait(_: float) -> None:
    """Nothing else runs in these tests."""


async def rotated(world: World, *, ends_links: bool = False) -> Deps:
    """The deps of a process that was started with the new key, after the end."""
    await key_rotation_service.rotate(world.deps, Vault(NEW), no_wait, ends_links=ends_links)
    deps = await started(world, NEW)
    await key_rotation_service.finish(deps)
    return await started(world, NEW)


async def started(world: World, key: str) -> Deps:
    return replace(world.deps, vault=await secret_key_service.open_vault(world.db, key, None, world.clock.now()))


async def values(world: World) -> dict[str, list[tuple[str, tuple[str, ...]]]]:
    """All sealed values of the store, by column."""
    found: dict[str, list[tuple[str, tuple[str, ...]]]] = {}
    async with world.db.read() as tx:
        for table, column in SEALED:
            rows = await tx.all(Query(select(column).order_by(*table.primary_key)))
            found[f"{table.name}.{column.name}"] = [(row[0], column.info["purposes"]) for row in rows if row[0]]
    return found


async def texts(world: World, vault: Vault) -> dict[str, list[str]]:
    opened = {}
    for name, rows in (await values(world)).items():
        pairs = [secret_key_service.opened(vault, sealed, purposes) for sealed, purposes in rows]
        assert None not in pairs, f"{name} has values that cannot be opened."
        opened[name] = [pair[0] for pair in pairs if pair]
    return opened


@pytest.fixture
async def store(db: Engine) -> AsyncIterator[World]:
    """A store with values in every sealed column."""
    world = World(db, webhook_allow_insecure=True, public_url="https://shop.example")
    await world.begin()
    await secret_key_service.open_vault(db, KEY, None, world.clock.now())
    await fill(world)
    await world.post(f"{STORE}/gift-cards", {"initial_balance": "5.00"}, headers={"Idempotency-Key": "k1"})
    keys = {"name": "Ember", "price": "5.00", "delivery_type": "keys"}
    product = (await world.post(f"{STORE}/products", keys)).json()["data"]
    await keys_service.add(world.deps, product["id"], ["AAAA-1111", "BBBB-2222"], None, None)
    await settings_service.save(world.deps, {"smtp_url": "smtp://u:canary@mail.example", "mail_from": "a@shop.example"})
    now = world.clock.now()
    async with db.write() as tx:
        await accounts_db.ROWS.add(tx, Account(1, "owner", now, now))
        await emails_db.add(tx, EMAIL, world.deps.vault.seal, now)
    async with db.write() as tx:
        for table, column in SEALED:
            await fill_column(tx, world, table, column)
    yield world
    await world.close()


async def fill_column(tx: Any, world: World, table: Table, column: Column[Any]) -> None:
    """Of those that the store has left empty."""
    text = world.deps.vault.seal(f"{table.name}.{column.name}", column.info["purposes"][-1])
    where = (column.is_(None)) | (column == "")
    await tx.run(Query(update(table).where(where).values({column.name: bindparam("text")})), text=text)


async def test_every_sealed_column_is_filled_and_opens_before_during_and_after(store: World) -> None:
    before = await texts(store, store.deps.vault)
    assert all(before.values()), {name for name, rows in before.items() if not rows}
    during: list[dict[str, list[str]]] = []
    running = replace(store.deps, vault=Vault(KEY))

    async def look(_: float) -> None:
        """A process that runs, and new ones with either key, read everything at every step."""
        await secret_key_service.refresh(running)
        vaults = [running.vault, *[(await started(store, key)).vault for key in (KEY, NEW)]]
        during.extend([await texts(store, vault) for vault in vaults])

    await key_rotation_service.rotate(store.deps, Vault(NEW), look, ends_links=False)
    await look(0)
    await key_rotation_service.finish(await started(store, NEW))
    after = [await texts(store, vault) for vault in (running.vault, (await started(store, NEW)).vault)]
    assert [*during, *after] == [before] * 11
    assert (await settings_service.load(store.db, running.vault))["smtp_url"] == "smtp://u:canary@mail.example"


async def test_the_old_key_opens_nothing_after_the_end(store: World) -> None:
    deps = await rotated(store)
    old = Vault(KEY)
    opened = [
        name
        for name, rows in (await values(store)).items()
        for sealed, purposes in rows
        if secret_key_service.opened(old, sealed.rpartition(".")[2], purposes)
    ]
    async with store.db.read() as tx:
        mark = await secret_key_db.mark(tx)
    assert opened == []
    assert (set(mark.rings), mark.fingerprint, mark.announced) == ({deps.vault.key_mark}, deps.vault.key_mark, "")
    with pytest.raises(SealError):
        old.use_sealed_ring(mark.rings[deps.vault.key_mark])
    with pytest.raises(StartupError, match="is not the key"):
        await started(store, KEY)


async def test_no_other_column_of_the_store_holds_what_the_key_has_sealed(store: World) -> None:
    """The settings of the console are one more, and are sealed again by their service."""
    purposes = {purpose for _, column in SEALED for purpose in column.info["purposes"]}
    others = [
        column
        for table in metadata.sorted_tables
        for column in table.columns
        if "purposes" not in column.info and column.type.python_type is str
    ]
    opened = []
    async with store.db.read() as tx:
        for column in others:
            for (text,) in await tx.all(Query(select(column).where(column.is_not(None)))):
                is_sealed = len(text) > 37 and text.isascii() and " " not in text and "{" not in text
                if is_sealed and any(_opens(store.deps.vault, text, purpose) for purpose in purposes):
                    opened.append(str(column))
    assert opened == []


def _opens(vault: Vault, text: str, purpose: str) -> bool:
    try:
        vault.open(text, purpose)
    except (SealError, ValueError):
        return False
    return True


async def test_codes_links_and_hashes_work_as_before_and_new_links_are_signed_with_the_new_key(store: World) -> None:
    code = (await store.post(f"{STORE}/gift-cards", {"initial_balance": "5.00"})).json()["data"]["code"]
    page, link = await page_token(store, store.deps), store.deps.vault.sign("1", "unsubscribe")
    deps = await rotated(store)
    hashes = [vault.fingerprint(b"4242", "payment instrument") for vault in (deps.vault, Vault(KEY))]
    new_links = [await page_token(store, deps), deps.vault.sign("1", "unsubscribe")]
    assert hashes[0] == hashes[1]
    assert await gift_cards_service.find_by_code(deps, 1, code)
    assert [(await goods_service.load_page(deps, token)).details.order.id for token in (page, new_links[0])] == [1, 1]
    assert [deps.vault.signed(token, "unsubscribe") for token in (link, new_links[1])] == ["1", "1"]
    assert not {page, link} & set(new_links)


async def test_links_of_a_stolen_key_can_be_ended(store: World) -> None:
    page, link = await page_token(store, store.deps), store.deps.vault.sign("1", "unsubscribe")
    deps = await rotated(store, ends_links=True)
    assert deps.vault.signed(link, "unsubscribe") is None
    with pytest.raises(NotFound):
        await goods_service.load_page(deps, page)
    assert (await goods_service.load_page(deps, await page_token(store, deps))).details.order.id == 1


async def test_a_second_rotation_reaches_a_process_that_has_run_since_before_the_first(store: World) -> None:
    running, before = replace(store.deps, vault=Vault(KEY)), await texts(store, store.deps.vault)

    async def refresh(_: float) -> None:
        await secret_key_service.refresh(running)

    for old, new in ((KEY, NEW), (NEW, NEWER)):
        await key_rotation_service.rotate(await started(store, old), Vault(new), refresh, ends_links=False)
        await key_rotation_service.finish(await started(store, new))
    assert await texts(store, running.vault) == before
    assert running.vault.prefix == "2."
    assert all(sealed.startswith("2.") for rows in (await values(store)).values() for sealed, _ in rows)


async def test_what_is_written_during_a_rotation_is_sealed_with_the_new_key_at_its_end(store: World) -> None:
    """By a process that learns the new key late: it seals with the old one, and nothing of it is lost."""
    late, counts = Vault(KEY), [0]

    async def write() -> None:
        for number in range(300):
            async with store.db.write() as tx:
                await emails_db.add(tx, structs.replace(EMAIL, text=f"e-mail {number}"), late.seal, store.clock.now())
            await asyncio.sleep(0)

    async def wait(_: float) -> None:
        """Until the writer has written more since the last time."""
        while (count := len((await values(store))["mails.body"])) < counts[-1] + 20:
            await asyncio.sleep(0)
        counts.append(count)

    writer = asyncio.create_task(write())
    await key_rotation_service.rotate(store.deps, Vault(NEW), wait, ends_links=False)
    await writer
    await key_rotation_service.finish(await started(store, NEW))
    opened = await texts(store, (await started(store, NEW)).vault)
    assert sum("e-mail " in body for body in opened["mails.body"]) == 300
    assert all(sealed.startswith("1.") for sealed, _ in (await values(store))["mails.body"])


async def test_a_value_that_no_key_opens_stays_and_stops_nothing(store: World) -> None:
    poison = Vault("o" * 32).seal("{}", "mail body")
    async with store.db.write() as tx:
        await tx.run(Query(update(mails).where(mails.c.id == 1).values(body=poison)))
    await rotated(store)
    assert (await values(store))["mails.body"][0][0] == poison


async def test_the_check_of_the_key_says_how_far_a_rotation_is(store: World) -> None:
    lefts: list[int | None] = [await key_rotation_service.count_left(store.db, store.deps.vault)]

    async def look(_: float) -> None:
        lefts.append(await key_rotation_service.count_left(store.db, store.deps.vault))

    await key_rotation_service.rotate(store.deps, Vault(NEW), look, ends_links=False)
    await look(0)
    await key_rotation_service.finish(await started(store, NEW))
    await look(0)
    total = sum(map(len, (await values(store)).values()))
    assert lefts == [None, total, total, 0, None]


async def test_doctor_says_how_far_a_rotation_is_and_what_is_next(store: World) -> None:
    sentences: list[str] = []

    @asynccontextmanager
    async def opened() -> AsyncIterator[Engine]:
        yield store.db

    async def look(_: float) -> None:
        config = Settings(_env_file=None, secret_key=KEY)
        sentences.append((await health_store.database(config, opened, store.clock.now()))[1].sentence)

    await look(0)
    await key_rotation_service.rotate(store.deps, Vault(NEW), look, ends_links=False)
    await look(0)
    total = sum(map(len, (await values(store)).values()))
    left = f"{total} values left to seal. Run `lootkeep key rotate` again to go on."
    ends = [sentence.partition("under way: ")[2] for sentence in sentences]
    assert ends[:3] == ["", left, left]
    assert ends[3].startswith("everything is sealed with the new key, and the old one is still valid.")


async def test_a_rotation_that_another_one_has_overtaken_stops(store: World) -> None:
    stale = replace(store.deps, vault=Vault(KEY))
    await rotated(store)
    with pytest.raises(StartupError, match="Another rotation has ended meanwhile"):
        await key_rotation_service.rotate(stale, Vault(NEWER), no_wait, ends_links=False)


async def page_token(world: World, deps: Deps) -> str:
    async with world.db.read() as tx:
        order = await orders_db.ROWS.get(tx, 1)
    assert order is not None
    return (goods_service.page_url(deps, order) or "").rpartition("/")[2]
