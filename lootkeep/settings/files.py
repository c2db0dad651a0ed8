"""Secrets from files: `LOOTKEEP_SECRET_KEY_FILE` names a file with the value of `LOOTKEEP_SECRET_KEY`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, TypeVar

from pydantic.fields import FieldInfo
from pydantic_settings import BaseSettings, EnvSettingsSource, PydanticBaseSettingsSource

from lootkeep.kernel import files
from lootkeep.kernel.errors import StartupError

T = TypeVar("T")
_MARK = "from file"
# Contains a password or a key, so that a file may hold it.
Secret = Annotated[T, _MARK]


def file_variable(variable: str) -> str:
    return f"{variable}_FILE"


def secret_names(settings: type[BaseSettings]) -> list[str]:
    return [name for name, field in settings.model_fields.items() if _MARK in field.metadata]


class FileSettings(BaseSettings):
    """Settings of which each secret may be in a file."""

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        secrets = _SecretFiles(settings_cls, env_settings, dotenv_settings)
        return init_settings, secrets, env_settings, dotenv_settings, file_secret_settings


class _SecretFiles(PydanticBaseSettingsSource):
    def __init__(self, settings: type[BaseSettings], *sources: PydanticBaseSettingsSource) -> None:
        super().__init__(settings)
        self._variables: dict[str, str | None] = {}
        for source in reversed(sources):
            assert isinstance(source, EnvSettingsSource)
            self._variables |= source.env_vars

    def __call__(self) -> dict[str, Any]:
        values, sentences = {}, []
        for name in secret_names(self.settings_cls):
            variable = f"{self.config.get('env_prefix', '')}{name}".upper()
            path = self._variables.get(file_variable(variable).lower())
            try:
                if path and self._variables.get(variable.lower()):
                    raise ValueError(f"set either this or {variable}")
                if path:
                    values[name] = _content(Path(path))
            except ValueError as error:
                sentences.append(f"{file_variable(variable)}: {error}.")
        if sentences:
            raise StartupError("\n".join(sentences))
        return values

    def get_field_value(self, field: FieldInfo, field_name: str) -> tuple[Any, str, bool]:
        """Part of the protocol; all fields are read at once."""
        raise NotImplementedError


def _content(file: Path) -> str:
    content = files.secret_in(file)
    if not content:
        raise ValueError("the file does not exist" if content is None else "the file is empty")
    return content
