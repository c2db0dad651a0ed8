"""The settings of the process, as they are read and shown; for wiring and the command line only."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import SecretStr, ValidationError

from lootkeep.kernel.errors import InvalidFields, StartupError
from lootkeep.kernel.redaction import ShownSetting, shown_value
from lootkeep.settings.fields import PREFIX, Settings, is_in_console, variable

__all__ = ["PREFIX", "Settings", "closed", "effective", "is_in_console", "load", "shown", "texts", "variable"]


def load() -> Settings:
    """The settings, or one sentence per invalid setting; values are not shown, because they may be secrets."""
    try:
        return Settings()
    except ValidationError as error:
        sentences = [f"{variable(name)}: {_lower(reason)}." for name, reason in _reasons(error)]
        raise StartupError("\n".join(sentences)) from None


def closed(settings: Settings) -> Settings:
    """Without anything that would leave the machine, for an open house; the console cannot set it either."""
    nothing = dict.fromkeys(("smtp_url", "oidc_issuer", "traces_url"))
    return settings.model_copy(update=nothing | {"lists_refresh_hours": 0})


def effective(settings: Settings, stored: Mapping[str, str]) -> Settings:
    """With what was set in the console, where the environment sets nothing; InvalidFields if that cannot be."""
    texts = _of_console(settings, stored)
    if not texts:
        return settings
    values: dict[str, Any] = {name: getattr(settings, name) for name in settings.model_fields_set} | texts
    try:
        return Settings(_env_file=None, **values)
    except ValidationError as error:
        raise InvalidFields({name: [f"{reason[0].upper()}{reason[1:]}."] for name, reason in _reasons(error)}) from None


def in_effect(settings: Settings, stored: Mapping[str, str]) -> list[ShownSetting]:
    """Every setting in effect, without the secrets in it."""
    of_console, now = _of_console(settings, stored), effective(settings, stored)
    return [
        ShownSetting(
            variable(name),
            shown_value(getattr(now, name)),
            field.description or "",
            "environment" if name in settings.model_fields_set else "console" if name in of_console else "default",
            is_in_console(name),
        )
        for name, field in Settings.model_fields.items()
    ]


def texts(settings: Settings) -> dict[str, str]:
    """Those of the console as they are written, without secrets; empty is not set."""
    values = {name: getattr(settings, name) for name in Settings.model_fields if is_in_console(name)}
    return {name: _text(value) for name, value in values.items() if not isinstance(value, SecretStr)}


def _text(value: object) -> str:
    return "" if value is None else str(value).lower() if isinstance(value, bool) else str(value)


def _of_console(settings: Settings, stored: Mapping[str, str]) -> dict[str, str]:
    """What was set there and counts. A later version may not have the setting any more."""
    names = (name for name in Settings.model_fields if is_in_console(name) and name not in settings.model_fields_set)
    return {name: stored[name] for name in names if name in stored}


def _reasons(error: ValidationError) -> list[tuple[str, str]]:
    details = error.errors(include_input=False)
    return [(str(detail["loc"][0]), detail["msg"].removeprefix("Value error, ")) for detail in details]


def _lower(reason: str) -> str:
    return f"{reason[0].lower()}{reason[1:]}"
