"""`lootkeep sandbox`: the store of test tokens."""

from __future__ import annotations

import typer

from lootkeep import wiring
from lootkeep.cli.output import JsonFlag, out, print_json, print_table, run
from lootkeep.cli.store import existing, location
from lootkeep.services import sandbox as sandbox_service
from lootkeep.settings import Settings
from lootkeep.storage import sandbox as sandbox_db

app = typer.Typer(help="Show and reset the sandbox of test tokens.", no_args_is_help=True)

_NOTHING = "There is no sandbox yet: `lootkeep token create --test` creates it."


@app.command()
def status(json: JsonFlag = False) -> None:
    """Show where the sandbox is, what it contains and which fraud limits are relaxed."""
    config = existing()
    counts = run(_counts(config))
    path = config.sqlite_path
    place = str(sandbox_db.path_of(path).resolve()) if path else f"the schema {sandbox_db.SCHEMA}"
    if json:
        print_json({"exists": counts is not None, "place": place, "counts": counts, "relaxed": sandbox_service.RELAXED})
        return
    if counts is None:
        out.print(_NOTHING)
        return
    out.print(f"The sandbox is {place}. It contains:\n", markup=False)
    print_table(("What", "Count"), [(name, str(count)) for name, count in counts.items()])
    out.print("\nFraud limits that a new sandbox has, until PUT /fraud/settings changes them:\n")
    print_table(("Setting", "Value"), [(name, str(value).lower()) for name, value in sandbox_service.RELAXED.items()])


@app.command()
def reset(json: JsonFlag = False) -> None:
    """Remove everything from the sandbox except its tokens, even while servers run. Ids start at 1 again."""
    existed = run(_reset(existing()))
    if json:
        print_json({"existed": existed})
        return
    done = f"The sandbox of {location()} is empty; its tokens are still valid."
    out.print(done if existed else _NOTHING, markup=False)


async def _counts(config: Settings) -> dict[str, int] | None:
    async with wiring.opened(config) as live:
        if not await wiring.sandbox_exists(live, config):
            return None
        async with wiring.opened_sandbox(live, config) as deps, deps.db.read(slow=True) as tx:
            return await sandbox_db.counts(tx)


async def _reset(config: Settings) -> bool:
    async with wiring.opened(config) as live:
        if not await wiring.sandbox_exists(live, config):
            return False
        async with wiring.opened_sandbox(live, config) as deps:
            await sandbox_service.reset(deps)
    return True
