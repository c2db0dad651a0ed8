"""Users and tokens: adding, revoking, and the owner who exists from the first start."""

from __future__ import annotations

from collections.abc import Sequence

from lootkeep.deps import Deps
from lootkeep.domain import access as access_rules
from lootkeep.domain.access import Token, User
from lootkeep.kernel.clock import DAY, Instant
from lootkeep.kernel.errors import Conflict, NotFound, invalid
from lootkeep.kernel.words import did_you_mean
from lootkeep.storage.access import rows as access_db


async def ensure_owner(deps: Deps) -> None:
    """The owner exists from the first start and owns tokens that are created without a user."""
    async with deps.db.read() as tx:
        if await access_db.owner(tx):
            return
    async with deps.db.write() as tx:
        await access_db.add_user(
            tx, access_rules.OWNER_EMAIL, access_rules.OWNER_NAME, is_owner=True, now=deps.clock.now()
        )


async def add_user(deps: Deps, email: str, name: str) -> User:
    checked = access_rules.checked_email(email)
    access_rules.check_name(name)
    async with deps.db.write() as tx:
        user = await access_db.add_user(tx, checked, name, is_owner=False, now=deps.clock.now())
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
    secret = (access_rules.TEST_TOKEN_PREFIX if deps.is_test else access_rules.TOKEN_PREFIX) + deps.ids.secret()
    now = deps.clock.now()
    async with deps.db.write() as tx:
        user = await (access_db.user_by_email(tx, user_email.lower()) if user_email else access_db.owner(tx))
        if user is None:
            raise NotFound("User")
        token = await access_db.add_token(
            tx,
            user_id=user.id,
            name=name,
            digest=access_rules.digest(secret),
            hint=access_rules.hint(secret),
            scopes=" ".join(sorted(set(scopes))),
            rate_limit=rate_limit,
            now=now,
            expires_at=None if expires_in_days is None else Instant(now + expires_in_days * DAY),
        )
    return secret, token


async def revoke_token(deps: Deps, token_id: int) -> bool:
    """False if it was already revoked. From now on every process rejects it."""
    async with deps.db.write_tokens() as tx:
        if not await access_db.token_exists(tx, token_id):
            raise NotFound(f"Token {token_id}")
        return await access_db.revoke_token(tx, token_id, deps.clock.now())


async def note_use(deps: Deps, token_id: int) -> None:
    async with deps.db.write(single=True) as tx:
        await access_db.set_last_used(tx, token_id, deps.clock.now())
