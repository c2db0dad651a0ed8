"""`lootkeep sandbox`: what test tokens work on."""

from __future__ import annotations

import typer

from lootkeep import settings, wiring
from lootkeep.cli.output import JsonFlag, out, print_json, print_table, run
from lootkeep.services import sandbox
from lootkeep.settings import Settings
from lootkeep.storage import sandbox as sandbox_db

app = typer.Typer(help="See and wipe what test tokens work on.", no_args_is_help=True)

_NOTHING = "There is no sandbox yet: `lootkeep token create --test` makes it."


@app.command()
def status(json: JsonFlag = False) -> None:
    """Show where the sandbox is, how much it holds and which fraud limits are relaxed."""
    config = settings.load()
    counts = run(_counts(config))
    path = config.sqlite_path
    place = str(sandbox_db.path_of(path).resolve()) if path else f"the schema {sandbox_db.SCHEMA}"
    if json:
        print_json({"exists": counts is not None, "place": place, "counts": counts, "relaxed": sandbox.RELAXED})
        return
    if counts is None:
        out.print(_NOTHING)
        return
    out.print(f"The sandbox is {place}. It holds:\n", markup=False)
    print_table(("What", "Count"), [(name, str(count)) for name, count in counts.items()])
    out.print("\nFraud limits that a new sandbox has, until PUT /fraud/settings changes them:\n")
    print_table(("Setting", "Value"), [(name, str(value).lower()) for name, value in sandbox.RELAXED.items()])


@app.command()
def reset(json: JsonFlag = False) -> None:
    """Remove everything from the sandbox but its tokens, also while servers run. Ids begin at 1 again."""
    existed = run(_reset(settings.load()))
    if json:
        print_json({"existed": existed})
        return
    out.print("The sandbox is empty; its tokens are still valid." if existed else _NOTHING)


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
            await sandbox.reset(deps)
    return True
