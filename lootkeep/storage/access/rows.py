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

USERS = Rows(users, User)
TOKENS = Rows(tokens, Token)


class TokenOfUser(Token, frozen=True):
    """A token with its user's e-mail."""

    email: str


_OF_USER = (*columns_of(tokens, Token), users.c.email)
_ALL_TOKENS = Query(select(*_OF_USER).join(users).order_by(tokens.c.id), TokenOfUser)
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


async def all_tokens(tx: Transaction) -> list[TokenOfUser]:
    return await tx.all(_ALL_TOKENS)


async def set_last_used(tx: Transaction, token_id: int, now: Instant) -> None:
    await tx.run(_USED, token_id=token_id, now=now)
