"""How commands reach a store: opened for one operation, the store itself or its sandbox."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TypeVar

from lootkeep import settings, wiring
from lootkeep.cli.output import run
from lootkeep.deps import Deps

T = TypeVar("T")


def in_store(operation: Callable[[Deps], Awaitable[T]], *, is_test: bool) -> T:
    async def opened() -> T:
        async with wiring.opened_store(settings.load(), is_test=is_test) as deps:
            return await operation(deps)

    return run(opened())
