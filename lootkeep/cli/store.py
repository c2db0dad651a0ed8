"""How commands open an existing store, or its sandbox, for one operation."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TypeVar

from lootkeep import settings, wiring
from lootkeep.cli.output import run
from lootkeep.deps import Deps
from lootkeep.kernel.errors import StartupError
from lootkeep.kernel.redaction import redacted
from lootkeep.settings import Settings

T = TypeVar("T")


def existing() -> Settings:
    """The settings of an existing store: a command in the wrong folder must not create a new store."""
    config = settings.load()
    if config.sqlite_path and not config.sqlite_path.exists():
        raise StartupError(
            f"There is no store at {config.sqlite_path.absolute()}. Run this in the folder of the store, or set "
            "LOOTKEEP_DATABASE_URL. `lootkeep serve` and `lootkeep migrate` create a new one."
        )
    return config


def location() -> str:
    """Which database a command has changed, without its password."""
    config = settings.load()
    return str(config.sqlite_path.absolute()) if config.sqlite_path else redacted(config.database_url)


def in_store(operation: Callable[[Deps], Awaitable[T]], *, is_test: bool = False) -> T:
    async def opened() -> T:
        async with wiring.opened_store(existing(), is_test=is_test) as deps:
            return await operation(deps)

    return run(opened())
