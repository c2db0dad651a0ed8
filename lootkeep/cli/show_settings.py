"""`lootkeep settings`: what this process would run with; secrets are not shown."""

from __future__ import annotations

from lootkeep import settings
from lootkeep.cli.output import Json, print_json, print_table


def show(json: Json = False) -> None:
    """Show every setting, its value, and where it comes from.

    They are read as `lootkeep serve` would read them here: from the environment, then from a file .env in this
    folder. Keys and passwords are not shown.
    """
    shown = settings.shown(settings.load())
    if json:
        print_json([{"name": one.name, "value": one.value, "is_default": one.is_default} for one in shown])
        return
    rows = [(one.name, "–" if one.value is None else one.value, "" if one.is_default else "set") for one in shown]
    print_table(("Setting", "Value", ""), rows)
