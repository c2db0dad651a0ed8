"""Users and tokens as they are stored."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from msgspec.structs import replace

from lootkeep.domain.access import Token, User
from lootkeep.kernel.clock import Instant
from lootkeep.storage.access import rows as access_db
from lootkeep.storage.engine.database import Engine

NOW = Instant(1_000)


async def add_user(db: Engine, email: str, *, is_owner: bool = False) -> User | None:
    async with db.write() as tx:
        return await access_db.USERS.add_if_free(tx, User(0, email, email.title(), is_owner, NOW))


async def add_token(db: Engine, digest: str, **changes: Any) -> Token:
    user = await add_user(db, f"user of {digest}")
    assert user
    token = Token(0, user.id, "till", "lk_abcd", "orders:read", None, NOW, None, None, None)
    async with db.write() as tx:
        return await access_db.TOKENS.add(tx, replace(token, **changes), digest=digest)


async def test_a_user_is_found_by_email(db: Engine) -> None:
    ada = await add_user(db, "ada@store.test")
    async with db.read() as tx:
        assert await access_db.USERS.find_one(tx, email="ada@store.test") == ada
        assert await access_db.USERS.find_one(tx, email="grace@store.test") is None


async def test_an_email_is_unique(db: Engine) -> None:
    await add_user(db, "ada@store.test")
    assert await add_user(db, "ada@store.test") is None


async def test_an_email_is_unique_under_concurrency(db: Engine) -> None:
    users = await asyncio.gather(*(add_user(db, "ada@store.test") for _ in range(16)))
    assert sum(user is not None for user in users) == 1


async def test_concurrent_attempts_create_one_owner(db: Engine) -> None:
    owners = await asyncio.gather(*(add_user(db, f"{n}@store.test", is_owner=True) for n in range(8)))
    (owner,) = [owner for owner in owners if owner]
    async with db.read() as tx:
        assert await access_db.owner(tx) == owner
        assert await access_db.USERS.find(tx) == [owner]


async def test_a_new_store_has_no_owner_yet(db: Engine) -> None:
    async with db.read() as tx:
        assert await access_db.owner(tx) is None


async def test_users_are_listed_in_order_of_creation(db: Engine) -> None:
    for email in ("c@store.test", "a@store.test", "b@store.test"):
        await add_user(db, email)
    async with db.read() as tx:
        users = await access_db.USERS.find(tx)
    assert [user.email for user in users] == ["c@store.test", "a@store.test", "b@store.test"]


async def test_a_token_is_found_by_its_digest_with_every_field(db: Engine) -> None:
    token = await add_token(db, "d1", rate_limit=5, expires_at=Instant(9_000))
    assert token == Token(
        id=token.id,
        user_id=token.user_id,
        name="till",
        hint="lk_abcd",
        scopes="orders:read",
        rate_limit=5,
        created_at=NOW,
        expires_at=Instant(9_000),
        revoked_at=None,
        last_used_at=None,
    )
    async with db.read() as tx:
        assert await access_db.TOKENS.find_one(tx, digest="d1") == token
        assert await access_db.TOKENS.find_one(tx, digest="d2") is None


async def test_a_digest_is_stored_once(db: Engine) -> None:
    token = await add_token(db, "d1")
    with pytest.raises(Exception, match=r"(?i)unique"):
        async with db.write() as tx:
            await access_db.TOKENS.add(tx, replace(token, id=0), digest="d1")


async def test_a_limit_below_zero_is_rejected_by_the_database_itself(db: Engine) -> None:
    with pytest.raises(Exception, match=r"(?i)check"):
        await add_token(db, "d1", rate_limit=-1)


async def test_tokens_are_listed_with_their_users_emails(db: Engine) -> None:
    first, second = await add_token(db, "d1"), await add_token(db, "d2")
    async with db.read() as tx:
        tokens = await access_db.all_tokens(tx)
    assert [(token.id, token.email) for token in tokens] == [(first.id, "user of d1"), (second.id, "user of d2")]


async def test_the_last_use_is_noted(db: Engine) -> None:
    token = await add_token(db, "d1")
    async with db.write() as tx:
        await access_db.set_last_used(tx, token.id, Instant(7_000))
    async with db.read() as tx:
        used = await access_db.TOKENS.find_one(tx, digest="d1")
    assert used
    assert used.last_used_at == 7_000
