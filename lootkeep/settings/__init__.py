"""The settings of the process, as they are read and shown; for wiring and the command line only."""

from __future__ import annotations

from pydantic import ValidationError

from lootkeep.kernel.errors import StartupError
from lootkeep.kernel.redaction import ShownSetting, shown_value
from lootkeep.settings.fields import PREFIX, Settings, variable

__all__ = ["PREFIX", "Settings", "load", "shown", "variable"]


def load() -> Settings:
    """The settings, or one sentence per invalid setting; values are not shown, because they may be secrets."""
    try:
        return Settings()
    except ValidationError as error:
        raise StartupError("\n".join(_sentence(detail) for detail in error.errors(include_input=False))) from None


def shown(settings: Settings) -> list[ShownSetting]:
    """Every setting, without the secrets in it."""
    fields, changed = Settings.model_fields.items(), settings.model_fields_set
    return [
        ShownSetting(variable(name), shown_value(getattr(settings, name)), field.description or "", name not in changed)
        for name, field in fields
    ]


def _sentence(detail: object) -> str:
    assert isinstance(detail, dict)
    name = variable(str(detail["loc"][0]))
    reason = str(detail["msg"]).removeprefix("Value error, ")
    return f"{name}: {reason[0].lower()}{reason[1:]}."
