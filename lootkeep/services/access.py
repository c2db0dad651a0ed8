"""Users and tokens: adding, revoking, and the owner who exists from the first start."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from lootkeep.deps import Deps
from lootkeep.domain import access as access_rules
from lootkeep.domain.access import Token, User
from lootkeep.kernel.clock import DAY, Instant
from lootkeep.kernel.errors import Conflict, NotFound, existing, invalid
from lootkeep.kernel.words import did_you_mean
from lootkeep.storage.access import rows as access_db
from lootkeep.storage.engine.database import Transaction


async def ensure_owner(deps: Deps) -> None:
    """The owner exists from the first start and owns tokens that are created without a user."""
    async with deps.db.read() as tx:
        if await access_db.owner(tx):
            return
    async with deps.db.write() as tx:
        owner = User(0, access_rules.OWNER_EMAIL, access_rules.OWNER_NAME, True, deps.clock.now())
        await access_db.USERS.add_if_free(tx, owner)


async def add_user(deps: Deps, email: str, name: str) -> User:
    checked = access_rules.checked_email(email)
    access_rules.check_name(name)
    async with deps.db.write() as tx:
        user = await access_db.USERS.add_if_free(tx, User(0, checked, name, False, deps.clock.now()))
    if user is None:
        raise Conflict("user_exists", "There is already a user with this e-mail address.")
    return user


async def create_token(
    deps: Deps,
    *,
    name: str,
    scopes: Sequence[str],
    user_email: str | None = None,
    rate_limit: int | None = None,
    expires_in_days: int | None = None,
) -> tuple[str, Token]:
    """The token itself, shown only here, and its record."""
    access_rules.check_name(name)
    unknown = sorted(set(scopes) - set(access_rules.SCOPES))
    if unknown:
        raise invalid("scope", f"There is no such scope{did_you_mean(unknown, access_rules.SCOPES)}.")
    now = deps.clock.now()
    expires_at = None if expires_in_days is None else Instant(now + expires_in_days * DAY)
    async with deps.db.write() as tx:
        user = await (access_db.USERS.find_one(tx, email=user_email.lower()) if user_email else access_db.owner(tx))
        if user is None:
            raise NotFound("User")
        return await issue(
            deps, tx, user, name=name, scopes=scopes, now=now, rate_limit=rate_limit, expires_at=expires_at
        )


async def issue(
    deps: Deps,
    tx: Transaction,
    user: User,
    *,
    name: str,
    scopes: Sequence[str],
    now: Instant,
    rate_limit: int | None = None,
    expires_at: Instant | None = None,
) -> tuple[str, Token]:
    """The same inside a larger transaction."""
    secret = (access_rules.TEST_TOKEN_PREFIX if deps.is_test else access_rules.TOKEN_PREFIX) + deps.ids.secret()
    token = Token(
        id=0,
        user_id=user.id,
        name=name,
        hint=access_rules.hint(secret),
        scopes=" ".join(sorted(set(scopes))),
        rate_limit=rate_limit,
        created_at=now,
        expires_at=expires_at,
        revoked_at=None,
        last_used_at=None,
    )
    token = await access_db.TOKENS.add(tx, token, digest=access_rules.digest(secret))
    return secret, token


async def revoke_token(deps: Deps, token_id: int) -> bool:
    """False if it was already revoked. From now on every process rejects it."""
    async with deps.db.write_tokens() as tx:
        return await revoke_in(tx, token_id, deps.clock.now())


async def revoke_in(tx: Transaction, token_id: int, now: Instant) -> bool:
    """The same inside a larger transaction, which must be one of `write_tokens`."""
    token = existing(await access_db.TOKENS.lock(tx, token_id), f"Token {token_id}")
    if token.revoked_at is not None:
        return False
    await access_db.TOKENS.save(tx, token, replace(token, revoked_at=now))
    return True


async def note_use(deps: Deps, token_id: int) -> None:
    async with deps.db.write(single=True) as tx:
        await access_db.set_last_used(tx, token_id, deps.clock.now())
