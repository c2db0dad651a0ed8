"""`lootkeep payments`: compares a provider's export with the orders."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import msgspec
import typer

from lootkeep import wiring
from lootkeep.cli.output import JsonFlag, out, print_json, print_table, run
from lootkeep.cli.store import existing
from lootkeep.kernel.errors import StartupError
from lootkeep.toolbox import payments_check
from lootkeep.toolbox.payments_check import CheckResult, Difference

app = typer.Typer(help="Compare what providers report with the orders.", no_args_is_help=True)


@app.callback()
def payments() -> None:
    """Compare what providers report with the orders."""


@app.command("check")
def check(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A CSV export of payments of Stripe or PayPal.")],
    json: JsonFlag = False,
) -> None:
    """Compare an export with the orders and list what differs. Nothing is changed; exit code 1 if something differs."""
    result = run(_check(file))
    if json:
        print_json(msgspec.structs.asdict(result))
    else:
        _show(result)
    if result.differences:
        raise typer.Exit(1)


async def _check(file: Path) -> CheckResult:
    try:
        opened_file = file.open("rb")
    except OSError as error:
        raise StartupError(f"{file} cannot be read: {error.strerror}.") from None
    with opened_file:
        async with wiring.opened(existing()) as deps:
            return await payments_check.check(deps, opened_file)


def _show(result: CheckResult) -> None:
    if result.differences:
        rows = [[str(it.line), it.finding.replace("_", " "), *_texts(it)] for it in result.differences]
        print_table(["line", "finding", "payment", "order", "export", "store"], rows)
    passed = f"; {result.passed_over:,} rows took no money" if result.passed_over else ""
    out.print(f"{result.compared:,} payments compared, {len(result.differences):,} differences{passed}.", markup=False)


def _texts(it: Difference) -> list[str]:
    return [text or "" for text in (it.payment, it.order, it.exported, it.stored)]
