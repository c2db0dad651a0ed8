"""Agents at `/mcp`: the first message loads the protocol, in a thread; a store without agents never does."""

from __future__ import annotations

from types import ModuleType

from lootkeep.api.http.exchange import Scope
from lootkeep.deps import Deps
from lootkeep.domain.access import Token
from lootkeep.kernel.errors import Unavailable
from lootkeep.kernel.late import Late
from lootkeep.mcp.caller import Caller, Options

NOT_INSTALLED = (
    "Agents need the package mcp, which is not installed here: run `pip install mcp` (the extra lootkeep[mcp])."
)


class LateAgents:
    def __init__(self, options: Options) -> None:
        self._options = options
        self._server = Late(load)

    async def __call__(self, deps: Deps, token: Token, scope: Scope, body: bytes) -> tuple[int, bytes, bytes]:
        server = await self._server.get()
        answer: tuple[int, bytes, bytes] = await server.answer(Caller(deps, token, self._options), scope, body)
        return answer


def load() -> ModuleType:
    try:
        from lootkeep.mcp import server
    except ModuleNotFoundError as error:
        if error.name != "mcp":
            raise
        raise Unavailable(NOT_INSTALLED, "mcp_not_installed") from None
    return server
