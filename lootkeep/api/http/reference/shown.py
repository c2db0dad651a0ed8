"""What the page shows, as plain records: the templates only render them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from lootkeep.api.http.reference.schemas import SchemaField


@dataclass(frozen=True, slots=True)
class ParameterDoc:
    location: str
    field: SchemaField
    example: str
    # The initial content of the try-it form: only required fields, so the first call is not filtered.
    prefill: str


@dataclass(frozen=True, slots=True)
class BodyDoc:
    is_required: bool
    description: str
    fields: list[SchemaField]
    example: str


@dataclass(frozen=True, slots=True)
class ResponseDoc:
    status: str
    name: str
    description: str
    headers: list[str]
    fields: list[SchemaField]
    example: str
    # The anchor of the shared response it refers to, if any.
    shared: str


@dataclass(frozen=True, slots=True)
class OperationDoc:
    anchor: str
    method: str
    path: str
    summary: str
    description: str
    is_extension: bool
    needs_token: bool
    scopes: list[str]
    parameters: list[tuple[str, list[ParameterDoc]]]
    body: BodyDoc | None
    answers: list[ResponseDoc]
    failures: list[ResponseDoc]
    # The same call in several languages: title, key, and what is before and after the server's URL.
    samples: Sequence[tuple[str, str, str, str]]

    @property
    def path_parts(self) -> list[str]:
        """Literal, parameter, literal, ...: the page highlights the parameters."""
        return re.split(r"(\{[^}]*\})", self.path)


@dataclass(frozen=True, slots=True)
class GroupDoc:
    anchor: str
    name: str
    description: str
    operations: list[OperationDoc]


@dataclass(frozen=True, slots=True)
class Event:
    """What a receiver gets."""

    anchor: str
    name: str
    description: str
    headers: list[ParameterDoc]
    body: BodyDoc


@dataclass(frozen=True, slots=True)
class ApiDoc:
    title: str
    version: str
    description: str
    # Empty if the document leaves it to the page: the browser knows the host it called.
    origin: str
    prefix: str
    is_relative: bool
    authentication: str
    groups: list[GroupDoc]
    events: list[Event]
    events_description: str
    errors: list[ResponseDoc]
