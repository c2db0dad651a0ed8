"""Small statements that show whether a database works."""

from __future__ import annotations

from sqlalchemy import bindparam, func, insert, select, text

from lootkeep.storage.engine.database import Engine
from lootkeep.storage.engine.query import Query
from lootkeep.storage.schema import users

ADD = Query(
    insert(users).values(email=bindparam("email"), name="", is_owner=False, created_at=0).returning(users.c.email)
)

EMAILS = Query(select(users.c.email).order_by(users.c.email))

COUNT = Query(select(func.count()).select_from(users))

MANY = Query(
    text(
        "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n WHERE x < 100000)"
        " INSERT INTO users (email, name, is_owner, created_at) SELECT x, '', 0, 0 FROM n"
    )
)


async def add(db: Engine, *emails: str) -> None:
    async with db.write() as tx:
        for email in emails:
            await tx.run(ADD, email=email)


async def emails(db: Engine) -> list[str]:
    async with db.read() as tx:
        return [email for (email,) in await tx.all(EMAILS)]
