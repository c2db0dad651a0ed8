"""`lootkeep import keys`: adds the keys of a file to the stock of a product."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import msgspec
import typer

from lootkeep import wiring
from lootkeep.cli.output import out, print_json, run
from lootkeep.cli.store import existing, location
from lootkeep.domain.goods import MAX_BATCH_NAME
from lootkeep.kernel import money
from lootkeep.kernel.errors import StartupError
from lootkeep.kernel.money import Hundredths
from lootkeep.kernel.wording import plural
from lootkeep.services.keys import KeysAdded
from lootkeep.toolbox.imports import keys as keys_import

KeyFile = Annotated[
    str, typer.Argument(metavar="FILE", help="One key per line, or a CSV file with a column key; - is standard input.")
]
ProductOption = Annotated[str, typer.Option("--product", metavar="SKU", help="The sku of the product.")]
BatchOption = Annotated[str | None, typer.Option("--batch", help="The name of the delivery.", show_default=False)]
CostOption = Annotated[
    str | None, typer.Option("--unit-cost", help="What one key cost, in the product's currency.", show_default=False)
]
JsonFlag = Annotated[bool, typer.Option("--json", help="Print the summary as JSON.")]


def import_keys(
    file: KeyFile,
    product: ProductOption,
    batch: BatchOption = None,
    unit_cost: CostOption = None,
    json: JsonFlag = False,
) -> None:
    """Add keys to the stock of a product. Keys that it has are skipped, so a file can be imported again."""
    if len(batch or "") > MAX_BATCH_NAME:
        raise StartupError(f"--batch takes at most {MAX_BATCH_NAME} characters.")
    keys = keys_import.keys_in(_content(file))
    result = run(_import(product, keys, batch, _cost(unit_cost)))
    if json:
        print_json(msgspec.structs.asdict(result))
    else:
        new_keys = plural(result.added, "key")
        sentence = f"{new_keys} added, {result.already_known:,} known before; {result.stock:,} can be sold"
        out.print(f"{sentence}, in {location()}.", markup=False)


async def _import(sku: str, keys: list[str], batch: str | None, unit_cost: Hundredths | None) -> KeysAdded:
    async with wiring.opened(existing()) as deps:
        return await keys_import.import_keys(deps, sku, keys, batch, unit_cost)


def _content(file: str) -> bytes:
    if file == "-":
        return sys.stdin.buffer.read()
    try:
        return Path(file).read_bytes()
    except OSError as error:
        raise StartupError(f"{file} cannot be read: {error.strerror}.") from None


def _cost(text: str | None) -> Hundredths | None:
    if text is None:
        return None
    try:
        cost = money.parse(text)
    except money.NotMoney:
        cost = Hundredths(0)
    if cost < 1:
        raise StartupError("--unit-cost must be a number of at least 0.01 with at most two decimals.")
    return cost
