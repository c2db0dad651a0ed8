"""What an import reports at its end, for people and for programs."""

from __future__ import annotations

from typing import Any

import msgspec
from rich.console import Console

from lootkeep.cli.output import out, print_json
from lootkeep.cli.store import location
from lootkeep.kernel.wording import plural
from lootkeep.toolbox.imports.kinds import RecordKind
from lootkeep.toolbox.imports.running import RowTally

# Terminals are recorded: a code is shown by its end.
_CODE = "code"
_SHOWN = 4


def print_summary(kind: RecordKind[Any, Any], tally: RowTally, *, is_dry: bool, is_json: bool) -> None:
    rows = [(line, _masked(values)) for line, values in tally.first_rows]
    if is_json:
        counts = {"imported": tally.imported, "skipped": tally.skipped, "refused": tally.refused}
        first = {"first_rows": [{"line": line, "values": values} for line, values in rows]} if is_dry else {}
        print_json({"kind": kind.noun, "dry_run": is_dry} | counts | first)
        return
    for line, values in rows:
        out.print(f"Line {line} would be {msgspec.json.encode(values).decode()}", markup=False)
    verb = "would be imported" if is_dry else "imported"
    singular = kind.noun.removesuffix("s")
    counted = plural(tally.imported, singular, kind.noun)
    out.print(f"{counted} {verb}, {tally.skipped} skipped, {tally.refused} rejected, in {location()}.", markup=False)
    if tally.without_key:
        Console(stderr=True, highlight=False, soft_wrap=True).print(
            f"{plural(tally.without_key, singular, kind.noun)} {'has' if tally.without_key == 1 else 'have'} no "
            f"{kind.key_name}: importing the same file again would create duplicates.",
            markup=False,
        )


def _masked(values: dict[str, Any]) -> dict[str, Any]:
    return values | ({_CODE: f"…{str(values[_CODE])[-_SHOWN:]}"} if _CODE in values else {})
