"""`lootkeep settings`: the effective settings, without secrets."""

from __future__ import annotations

from lootkeep import settings
from lootkeep.cli.output import JsonFlag, print_json, print_table


def show(json: JsonFlag = False) -> None:
    """Show every setting, its value, and where it comes from.

    They are read as by `lootkeep serve`: from the environment, then from a file .env in this
    folder. Keys and passwords are not shown.
    """
    all_settings = settings.shown(settings.load())
    if json:
        print_json(
            [{name: getattr(setting, name) for name in ("name", "value", "is_default")} for setting in all_settings]
        )
        return
    rows = [
        (setting.name, "–" if setting.value is None else setting.value, "" if setting.is_default else "set")
        for setting in all_settings
    ]
    print_table(("Setting", "Value", ""), rows)
