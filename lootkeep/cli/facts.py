"""`lootkeep export facts`: one row per order for analysts, as Parquet files by month."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from lootkeep import settings, wiring
from lootkeep.cli.output import JsonFlag, out, print_json, run, waiting
from lootkeep.kernel.errors import StartupError
from lootkeep.kernel.wording import plural
from lootkeep.toolbox.facts.folder import Personal
from lootkeep.toolbox.facts.writing import Written, export


def facts(
    folder: Annotated[Path, typer.Argument(metavar="FOLDER", help="Where the files are, or will be.")],
    personal: Annotated[
        Personal,
        typer.Option(help="Leave personal data out, or write e-mail, IP address, device, card and player as hashes."),
    ] = "none",
    json: JsonFlag = False,
) -> None:
    """Write one row per order as Parquet files by month, for analyses that do not burden the database.

    A month is written again until the outcome of all its orders is known, 90 days after its end; then it is sealed.
    """
    with waiting("Writing facts"):
        result = run(_export(folder, personal))
    if json:
        print_json(result)
    else:
        orders, files = plural(sum(result.months.values()), "order"), plural(len(result.months), "file")
        out.print(f"{orders} in {files} written to {folder}; {plural(result.sealed, 'month')} sealed.", markup=False)
    if result.altered:
        raise StartupError(
            f"These months were altered after they were sealed: {', '.join(result.altered)}. Remove their files, and "
            "the next export writes them again."
        )


async def _export(folder: Path, personal: Personal) -> Written:
    async with wiring.opened(settings.load()) as deps:
        return await export(deps, folder, personal)
