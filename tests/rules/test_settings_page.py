"""The settings page is generated from the settings: `python -m tests.rules.test_settings_page` writes it."""

from __future__ import annotations

from typing import Any

from pydantic.fields import FieldInfo

from lootkeep.settings import Settings, is_in_console, variable
from lootkeep.settings.files import secret_names
from tests.rules.tree import ROOT

PAGE = ROOT / "docs/operate/settings.md"
COMMAND = "python -m tests.rules.test_settings_page"

HEAD = """\
# Settings

Settings are environment variables. The service also reads a file named `.env` in its working directory; \
environment variables take precedence over the file. With an invalid value the service does not start and prints \
one sentence per invalid setting. `lootkeep doctor` checks the settings without starting anything.

Those with a ● can also be [changed in the console](../change-settings.md) while the service runs. The environment \
takes precedence over the console, and the console over the default; `lootkeep settings` says where each value comes \
from.

Those with a ◇ contain a password or a key, and can be in a file: \
`LOOTKEEP_SECRET_KEY_FILE=/run/secrets/lootkeep-key` instead of `LOOTKEEP_SECRET_KEY`, `LOOTKEEP_DATABASE_URL_FILE` \
instead of `LOOTKEEP_DATABASE_URL`, and so on. Spaces and line breaks around it do not count. If both are set, or \
the file is empty or cannot be read, the service does not start.

| variable | default | what it is | console |
|---|---|---|---|
"""

FOOT = """
`serve --host` and `serve --port` override `LOOTKEEP_HOST` and `LOOTKEEP_PORT`.

With the embedded database, the first start creates the secret key next to the database file, in \
`lootkeep.db.key`, readable only by its owner. Back up both files: one is of little use without the other. \
[Replace the secret key](secret-key.md) says how to change it.

An example for production:

```
LOOTKEEP_ENVIRONMENT=production
LOOTKEEP_DATABASE_URL=postgresql://lootkeep:PASSWORD@db.internal/lootkeep
LOOTKEEP_REDIS_URL=redis://redis.internal:6379/0
LOOTKEEP_SECRET_KEY=the output of `openssl rand -hex 32`
LOOTKEEP_HOST=0.0.0.0
```
"""


def page() -> str:
    rows = [_row(name, field) for name, field in Settings.model_fields.items()]
    return HEAD + "".join(rows) + FOOT


def test_the_page_lists_every_setting_as_the_code_has_it() -> None:
    assert PAGE.read_text() == page(), f"{PAGE.name} is not what the settings say: run `{COMMAND}`."


def test_every_setting_has_a_sentence() -> None:
    fields = Settings.model_fields
    silent = [name for name, field in fields.items() if not (field.description or "").endswith(".")]
    assert not silent, f"These settings need a description that is a sentence: {silent}"


def _row(name: str, field: FieldInfo) -> str:
    mark = "●" if is_in_console(name) else ""
    secret = " ◇" if name in secret_names(Settings) else ""
    return f"| `{variable(name)}`{secret} | {_default(field.default)} | {field.description} | {mark} |\n"


def _default(value: Any) -> str:
    """As it would be written in the environment."""
    if value is None or value == ():
        return "none"
    if isinstance(value, bool):
        return f"`{str(value).lower()}`"
    return f"`{','.join(map(str, value)) if isinstance(value, tuple) else value}`"


if __name__ == "__main__":
    PAGE.write_text(page())
