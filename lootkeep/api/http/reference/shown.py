"""What the page shows, as plain records: the templates read these and decide nothing else."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from lootkeep.api.http.reference.schemas import Field


@dataclass(frozen=True, slots=True)
class Parameter:
    place: str
    field: Field
    example: str
    # What the try-it form starts with: only what must be there, so that the first call is not filtered.
    prefill: str


@dataclass(frozen=True, slots=True)
class Body:
    is_required: bool
    description: str
    fields: list[Field]
    example: str


@dataclass(frozen=True, slots=True)
class Answer:
    status: str
    name: str
    description: str
    headers: list[str]
    fields: list[Field]
    example: str
    # The anchor of the shared answer it is a reference to, if it is one.
    shared: str


@dataclass(frozen=True, slots=True)
class Operation:
    anchor: str
    method: str
    path: str
    summary: str
    description: str
    is_extension: bool
    is_deprecated: bool
    needs_token: bool
    scopes: list[str]
    parameters: list[tuple[str, list[Parameter]]]
    body: Body | None
    answers: list[Answer]
    failures: list[Answer]
    curl: str
    snippets: Sequence[tuple[str, str, str]]

    @property
    def path_parts(self) -> list[str]:
        """Literal, parameter, literal, ...: the page sets the parameters apart."""
        return re.split(r"(\{[^}]*\})", self.path)


@dataclass(frozen=True, slots=True)
class Group:
    anchor: str
    name: str
    description: str
    operations: list[Operation]


@dataclass(frozen=True, slots=True)
class Event:
    """What a receiver is sent."""

    anchor: str
    name: str
    description: str
    headers: list[Parameter]
    body: Body


@dataclass(frozen=True, slots=True)
class Api:
    title: str
    version: str
    description: str
    # Empty when the document leaves it to the page: the browser knows the host it called.
    origin: str
    prefix: str
    is_beside: bool
    authentication: str
    groups: list[Group]
    events: list[Event]
    events_description: str
    errors: list[Answer]
