"""Keys from a file: one per line, or the column `key` of a CSV file."""

from __future__ import annotations

import csv
import io

from lootkeep.deps import Deps
from lootkeep.domain.goods import MAX_KEY_LENGTH, MAX_KEYS
from lootkeep.kernel.errors import StartupError
from lootkeep.kernel.money import Hundredths
from lootkeep.services import keys as keys_service
from lootkeep.services.keys import KeysAdded
from lootkeep.storage.products import rows as products_db

_COLUMN = "key"
_DELIMITERS = (",", ";", "\t")


def keys_in(content: bytes) -> list[str]:
    """The keys of a file; an error names the line, never the key."""
    text = _text(content)
    head = text.partition("\n")[0]
    delimiter = max(_DELIMITERS, key=head.count)
    columns = [name.strip().lower() for name in next(csv.reader([head], delimiter=delimiter), [])]
    lines = _column(text, columns.index(_COLUMN), delimiter) if _COLUMN in columns else text.splitlines()
    for number, line in enumerate(lines, 1):
        if len(line.strip()) > MAX_KEY_LENGTH:
            raise StartupError(f"Key {number} is longer than {MAX_KEY_LENGTH} characters. Nothing was imported.")
    keys = [line.strip() for line in lines if line.strip()]
    if not keys:
        raise StartupError("The file contains no keys.")
    return keys


def _text(content: bytes) -> str:
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = "\0"
    # UTF-16 without its mark reads as UTF-8 with a NUL after each letter.
    if "\0" in text:
        raise StartupError("The file is not UTF-8 text: save it as UTF-8, one key per line.")
    return text


def _column(text: str, index: int, delimiter: str) -> list[str]:
    rows = csv.reader(io.StringIO(text), delimiter=delimiter, strict=True)
    try:
        return [row[index] if index < len(row) else "" for row in rows][1:]
    except csv.Error:
        # A quote that is never closed would swallow all keys after it.
        raise StartupError(f"The quotes in line {rows.line_num} do not fit. Nothing was imported.") from None


async def import_keys(
    deps: Deps, sku: str, keys: list[str], batch: str | None, unit_cost: Hundredths | None
) -> KeysAdded:
    """Adds them in parts; a part that was added is skipped when the file is imported again."""
    async with deps.db.read() as tx:
        product_id = (await products_db.ROWS.ids_by(tx, "sku", [sku])).get(sku)
    if product_id is None:
        raise StartupError("There is no product with this sku.")
    new_keys = already_known = stock = 0
    for start in range(0, len(keys), MAX_KEYS):
        part = await keys_service.add(deps, product_id, keys[start : start + MAX_KEYS], batch, unit_cost)
        new_keys, already_known, stock = new_keys + part.added, already_known + part.already_known, part.stock
    return KeysAdded(new_keys, already_known, stock)
