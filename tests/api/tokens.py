"""Tokens as they are stored."""

from __future__ import annotations

from lootkeep.domain.access import SCOPES, Token, digest
from lootkeep.services import access as access_service
from lootkeep.storage.access import rows as access_db
from tests.world import World


async def stored(world: World, secret: str) -> Token:
    async with world.db.read() as tx:
        token = await access_db.TOKENS.find_one(tx, digest=digest(secret))
    assert token
    return token


async def revoked(world: World) -> str:
    secret = await world.new_token(*SCOPES)
    await access_service.revoke_token(world.deps, (await stored(world, secret)).id)
    return secret
