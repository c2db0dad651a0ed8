"""Users and tokens."""

from __future__ import annotations

from sqlalchemy import bindparam, select, update

from lootkeep.domain.access import Token, User
from lootkeep.kernel.clock import Instant
from lootkeep.storage.engine.database import Transaction
from lootkeep.storage.engine.query import Query
from lootkeep.storage.lists import Join, Listing, Sort
from lootkeep.storage.rows import Rows, columns_of
from lootkeep.storage.schema import tokens, users

# With those who were removed, whose names are in the history.
USERS = Rows(users, User)
STAFF = Rows(users, User, users.c.removed_at.is_(None))
TOKENS = Rows(tokens, Token)


class TokenOfUser(Token, frozen=True):
    """A token with its user's e-mail."""

    email: str


_OF_USER = (*columns_of(tokens, Token), users.c.email)
_ALL_TOKENS = Query(select(*_OF_USER).join(users).order_by(tokens.c.id), TokenOfUser)
_REMOVE = Query(
    update(users)
    .where(users.c.id == bindparam("user"))
    .values(email=bindparam("new_email"), is_owner=False, removed_at=bindparam("now"))
)
_USED = Query(update(tokens).where(tokens.c.id == bindparam("token_id")).values(last_used_at=bindparam("now")))

TOKEN_LIST = Listing(
    tokens,
    TokenOfUser,
    {},
    {
        "created_at": Sort(tokens.c.id),
        "name": Sort(tokens.c.name),
        "expires_at": Sort(tokens.c.expires_at, "largest"),
        "last_used_at": Sort(tokens.c.last_used_at, "smallest"),
    },
    columns=_OF_USER,
    joins=(Join(users, users.c.id == tokens.c.user_id),),
)


async def owner(tx: Transaction) -> User | None:
    return await USERS.find_one(tx, is_owner=True)


async def remove(tx: Transaction, user_id: int, email: str, now: Instant) -> None:
    """The e-mail that the user had can be used again."""
    await tx.run(_REMOVE, user=user_id, new_email=email, now=now)


async def all_tokens(tx: Transaction) -> list[TokenOfUser]:
    return await tx.all(_ALL_TOKENS)


async def set_last_used(tx: Transaction, token_id: int, now: Instant) -> None:
    await tx.run(_USED, token_id=token_id, now=now)
