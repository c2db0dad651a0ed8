"""The arguments of tools: what a model is asked for, and how the numbers that people see are read."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, WithJsonSchema

from lootkeep.domain import inputs as inputs_rules


class Arguments(BaseModel):
    """Strict, as the bodies of the API are; an argument that a tool does not have is an error."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)


class Nothing(Arguments):
    """A tool without arguments."""


def _record_id(value: object) -> object:
    """`ORD-000123` and `TKT-000123` as their ids."""
    return inputs_rules.integer(value.rpartition("-")[2]) if isinstance(value, str) else value


def _number(what: str, example: str) -> WithJsonSchema:
    description = f"The {what}: its number, such as {example}, or its id."
    return WithJsonSchema({"anyOf": [{"type": "string"}, {"type": "integer"}], "description": description})


_Id = Annotated[int, Field(ge=1)]
OrderNumber = Annotated[_Id, BeforeValidator(_record_id), _number("order", "ORD-000123")]
TicketNumber = Annotated[_Id, BeforeValidator(_record_id), _number("support ticket", "TKT-000123")]
Day = Annotated[str, Field(max_length=10, examples=["2026-11-15"])]
Page = Annotated[int, Field(ge=1, le=10_000, description="The page, from 1.")]
ShortText = Annotated[str, Field(min_length=1, max_length=255)]


class ByOrder(Arguments):
    order: OrderNumber


class ByTicket(Arguments):
    ticket: TicketNumber


class ByPage(Arguments):
    page: Page = 1
