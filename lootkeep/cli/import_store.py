"""`lootkeep import store`: an exported store into an empty database."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from lootkeep import settings, wiring
from lootkeep.cli.output import HintConsole, JsonFlag, out, print_json, run, waiting
from lootkeep.cli.progress import progress
from lootkeep.cli.store import location
from lootkeep.engines import key_file
from lootkeep.engines.vault import Vault
from lootkeep.kernel.clock import SystemClock
from lootkeep.kernel.errors import StartupError
from lootkeep.kernel.wording import plural
from lootkeep.services import recount as recount_service
from lootkeep.settings import Settings
from lootkeep.storage import migrations
from lootkeep.toolbox.moving import folder as folders
from lootkeep.toolbox.moving.counting import Advance, counted
from lootkeep.toolbox.moving.manifest import Manifest
from lootkeep.wiring.transfer import target_of


def import_store(
    folder: Annotated[Path, typer.Argument(metavar="FOLDER", help="A folder that `lootkeep export` wrote.")],
    json: JsonFlag = False,
) -> None:
    """Import a whole store that was exported, into an empty database of either engine. Nothing is sent."""
    config = settings.load()
    with waiting("Checking the files"):
        manifest = folders.checked(folder)
    _check_key(config, manifest)
    rows = sum(table.rows for table in manifest.tables.values())
    with progress(rows, "Writing") as advance:
        run(_load(config, folder, manifest, advance))
    wrong = recounted(config, config)
    if json:
        print_json({"rows": rows, "wrong_totals": sum(wrong.values())})
        return
    out.print(f"The store of {manifest.exported_at} is in {location()}: {plural(rows, 'row')}.", markup=False)
    out.print(about_totals(wrong), markup=False)


async def _load(config: Settings, folder: Path, manifest: Manifest, advance: Advance) -> None:
    async with target_of(config) as target:
        for table, entry in manifest.tables.items():
            await target.load(table, counted(folders.rows(folder, table, entry.rows), table, advance))
        advance("indexes", 0)
        await target.commit(manifest.last_ids, migrations.HEAD)


def _check_key(config: Settings, manifest: Manifest) -> None:
    """Sealed values, and hashes such as those of gift card codes, work with one key only."""
    own_key, file = config.key_sources
    key = own_key or (key_file.read(file) if file else None)
    if key and Vault(key).key_mark in manifest.key_marks:
        return
    error = "This is not the secret key of the exported store" if key else "The secret key is missing"
    where = f"LOOTKEEP_SECRET_KEY, or the file {file}," if file else "LOOTKEEP_SECRET_KEY"
    raise StartupError(
        f"{error}: {where} must be the same as there. Nothing was written. "
        "`lootkeep key rotate` changes the key afterwards."
    )


def recounted(config: Settings, settings_of: Settings) -> dict[str, int]:
    """How many maintained totals differ from a recount, by kind."""
    try:
        return run(_recounted(config, settings_of))
    except KeyboardInterrupt:
        HintConsole(stderr=True).print(
            "The store is complete; only the recount was interrupted. `lootkeep doctor --check-counters` repeats it.",
            markup=False,
        )
        raise


async def _recounted(config: Settings, settings_of: Settings) -> dict[str, int]:
    currency = settings.effective(settings_of, await wiring.stored_settings(settings_of) or {}).currency
    engine = await wiring.open_database(config)
    try:
        return await recount_service.check_database(engine, currency, SystemClock().now())
    finally:
        await engine.close()


def about_totals(wrong: dict[str, int]) -> str:
    if not any(wrong.values()):
        return "Every maintained total equals a recount."
    return "Some totals were already wrong before: run `lootkeep doctor --rebuild-counters`."
