"""Users and tokens."""

from __future__ import annotations

from sqlalchemy import bindparam, insert, select, update
from sqlalchemy.dialects import postgresql

from lootkeep.domain.access import Token, User
from lootkeep.kernel.clock import Instant
from lootkeep.storage.engine.database import Transaction
from lootkeep.storage.engine.query import Query
from lootkeep.storage.lists import Join, Listing, Sort
from lootkeep.storage.schema import tokens, users

_USER = [users.c[name] for name in User.__struct_fields__]
_TOKEN = [tokens.c[name] for name in Token.__struct_fields__]


class TokenOfUser(Token, frozen=True):
    """A token with its user's e-mail."""

    email: str


# ON CONFLICT reads the same in both dialects; SQLAlchemy spells it in the dialect modules only.
_ADD_USER = Query(
    postgresql.insert(users)
    .values({name: bindparam(name) for name in ("email", "name", "is_owner", "created_at")})
    .on_conflict_do_nothing()
    .returning(*_USER),
    User,
)
_USER_BY_EMAIL = Query(select(*_USER).where(users.c.email == bindparam("email")), User)
_USER_BY_ID = Query(select(*_USER).where(users.c.id == bindparam("user")), User)
_OWNER = Query(select(*_USER).where(users.c.is_owner), User)
_USERS = Query(select(*_USER).order_by(users.c.id), User)

_ADD_TOKEN = Query(
    insert(tokens)
    .values(
        {
            name: bindparam(name)
            for name in ("user_id", "name", "digest", "hint", "scopes", "rate_limit", "created_at", "expires_at")
        }
    )
    .returning(*_TOKEN),
    Token,
)
_TOKEN_BY_DIGEST = Query(select(*_TOKEN).where(tokens.c.digest == bindparam("digest")), Token)
_TOKENS = Query(select(*_TOKEN, users.c.email).join(users).order_by(tokens.c.id))
_REVOKE = Query(
    update(tokens)
    .where(tokens.c.id == bindparam("token_id"), tokens.c.revoked_at.is_(None))
    .values(revoked_at=bindparam("now"))
    .returning(tokens.c.id)
)
_TOKEN_EXISTS = Query(select(tokens.c.id).where(tokens.c.id == bindparam("token_id")))
_USED = Query(update(tokens).where(tokens.c.id == bindparam("token_id")).values(last_used_at=bindparam("now")))

TOKENS = Listing(
    tokens,
    TokenOfUser,
    {},
    {
        "created_at": Sort(tokens.c.id),
        "name": Sort(tokens.c.name),
        "expires_at": Sort(tokens.c.expires_at, "largest"),
        "last_used_at": Sort(tokens.c.last_used_at, "smallest"),
    },
    columns=(*_TOKEN, users.c.email),
    joins=(Join(users, users.c.id == tokens.c.user_id),),
)


async def add_user(tx: Transaction, email: str, name: str, *, is_owner: bool, now: Instant) -> User | None:
    """None if the e-mail address, or the role of the owner, is taken."""
    return await tx.one(_ADD_USER, email=email, name=name, is_owner=is_owner, created_at=now)


async def user_by_email(tx: Transaction, email: str) -> User | None:
    return await tx.one(_USER_BY_EMAIL, email=email)


async def user(tx: Transaction, user_id: int) -> User | None:
    return await tx.one(_USER_BY_ID, user=user_id)


async def owner(tx: Transaction) -> User | None:
    return await tx.one(_OWNER)


async def all_users(tx: Transaction) -> list[User]:
    return await tx.all(_USERS)


async def add_token(
    tx: Transaction,
    *,
    user_id: int,
    name: str,
    digest: str,
    hint: str,
    scopes: str,
    rate_limit: int | None,
    now: Instant,
    expires_at: Instant | None,
) -> Token:
    (token,) = await tx.all(
        _ADD_TOKEN,
        user_id=user_id,
        name=name,
        digest=digest,
        hint=hint,
        scopes=scopes,
        rate_limit=rate_limit,
        created_at=now,
        expires_at=expires_at,
    )
    return token


async def token_by_digest(tx: Transaction, digest: str) -> Token | None:
    return await tx.one(_TOKEN_BY_DIGEST, digest=digest)


async def all_tokens(tx: Transaction) -> list[tuple[Token, str]]:
    """Each token with its user's e-mail."""
    return [(Token(*row[:-1]), row[-1]) for row in await tx.all(_TOKENS)]


async def token_exists(tx: Transaction, token_id: int) -> bool:
    return await tx.one(_TOKEN_EXISTS, token_id=token_id) is not None


async def revoke_token(tx: Transaction, token_id: int, now: Instant) -> bool:
    """False if there is none or it was already revoked."""
    return await tx.one(_REVOKE, token_id=token_id, now=now) is not None


async def set_last_used(tx: Transaction, token_id: int, now: Instant) -> None:
    await tx.run(_USED, token_id=token_id, now=now)
