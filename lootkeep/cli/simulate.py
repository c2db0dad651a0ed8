"""`lootkeep fraud simulate`: how well the engine ranks a simulated year of a store."""

from __future__ import annotations

from typing import Annotated

import typer

from lootkeep.cli.output import JsonFlag, out, print_json, waiting
from lootkeep.toolbox.made_up_year import ORDERS, SEED
from lootkeep.toolbox.year_report import year_report


def simulate(
    orders: Annotated[int, typer.Option(min=100, max=1_000_000, help="The number of orders in the year.")] = ORDERS,
    seed: Annotated[int, typer.Option(help="The seed of the random numbers.")] = SEED,
    json: JsonFlag = False,
) -> None:
    """Judge a simulated year of a store and print the report, which is also in the documentation."""
    with waiting("Judging a simulated year"):
        report = year_report(orders, seed)
    if json:
        print_json({"orders": orders, "seed": seed, "report": report})
        return
    out.print(report, markup=False)
