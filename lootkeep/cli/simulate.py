"""`lootkeep fraud simulate`: how the engine ranks a made-up year of a store."""

from __future__ import annotations

from typing import Annotated

import typer

from lootkeep.cli.output import JsonFlag, out, print_json, waiting
from lootkeep.toolbox.made_up_year import ORDERS, SEED
from lootkeep.toolbox.year_report import year_report


def simulate(
    orders: Annotated[int, typer.Option(min=100, max=1_000_000, help="How many orders the year has.")] = ORDERS,
    seed: Annotated[int, typer.Option(help="Another number is another year.")] = SEED,
    json: JsonFlag = False,
) -> None:
    """Judge a made-up year of a store and print the report, which is also in the documentation."""
    with waiting("Judging a made-up year"):
        report = year_report(orders, seed)
    if json:
        print_json({"orders": orders, "seed": seed, "report": report})
        return
    out.print(report, markup=False)
