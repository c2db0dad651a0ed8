"""`lootkeep settings`: what this process would run with; secrets are not shown."""

from __future__ import annotations

import re
from typing import NamedTuple
from urllib.parse import unquote

from pydantic import SecretStr

from lootkeep import settings
from lootkeep.cli.output import JsonFlag, print_json, print_table
from lootkeep.settings import Settings, variable

_HIDDEN = "***"
# The password in `postgresql://USER:PASSWORD@HOST/NAME`, up to the last @: one that was not encoded may hold anything.
_PASSWORD = re.compile(r"(?<=://)([^:/?#@]*):.*@")
_PARAMETER = re.compile(r"([?&][^=&]*)=[^&]*")
# Parts of the names that drivers give to secrets; to hide too much does no harm.
_SECRET_NAMES = re.compile("pass|pwd|secret|token|key", re.IGNORECASE)


class ShownSetting(NamedTuple):
    """A setting that may be read over somebody's shoulder; no value when it is not set."""

    name: str
    value: str | None
    is_default: bool


def show(json: JsonFlag = False) -> None:
    """Show every setting, its value, and where it comes from.

    They are read as `lootkeep serve` would read them here: from the environment, then from a file .env in this
    folder. Keys and passwords are not shown.
    """
    shown = [_shown(settings.load(), name) for name in Settings.model_fields]
    if json:
        print_json([setting._asdict() for setting in shown])
        return
    rows = [
        (setting.name, "–" if setting.value is None else setting.value, "" if setting.is_default else "set")
        for setting in shown
    ]
    print_table(("Setting", "Value", ""), rows)


def _shown(config: Settings, name: str) -> ShownSetting:
    value = getattr(config, name)
    return ShownSetting(variable(name), _source_text(value), name not in config.model_fields_set)


def _source_text(value: object) -> str | None:
    if value is None:
        return None
    if isinstance(value, SecretStr):
        return _HIDDEN
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, tuple):
        return ",".join(str(part) for part in value)
    return _redacted(str(value))


def _redacted(address: str) -> str:
    """An address without its passwords, wherever in it they are."""
    return _PARAMETER.sub(_redacted_parameter, _PASSWORD.sub(rf"\1:{_HIDDEN}@", address))


def _redacted_parameter(parameter: re.Match[str]) -> str:
    return f"{parameter[1]}={_HIDDEN}" if _SECRET_NAMES.search(unquote(parameter[1])) else parameter[0]
