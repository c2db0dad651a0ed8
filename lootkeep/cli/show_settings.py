"""`lootkeep settings`: the effective settings, without secrets."""

from __future__ import annotations

from lootkeep import settings, wiring
from lootkeep.cli.output import HintConsole, JsonFlag, print_json, print_table, run

_SOURCES = {"environment": "environment", "console": "console", "default": ""}


def show(json: JsonFlag = False) -> None:
    """Show every setting, its value, and where it comes from.

    They are read as by `lootkeep serve`: from the environment, then from a file .env in this
    folder, then from what was set in the console. Keys and passwords are not shown.
    """
    config = settings.load()
    stored = run(wiring.stored_settings(config))
    if stored is None:
        HintConsole(stderr=True).print("The store cannot be read, so what was set in its console is missing here.")
    rows = settings.in_effect(config, stored or {})
    if json:
        print_json([{name: getattr(row, name) for name in ("name", "value", "source")} for row in rows])
        return
    print_table(
        ("Setting", "Value", "From"),
        [(row.name, "–" if row.value is None else row.value, _SOURCES[row.source]) for row in rows],
    )
