"""From raw parameters to checked models, with a sentence for every failing field."""

from __future__ import annotations

from collections.abc import Mapping
from copy import copy
from typing import Any, TypeVar
from urllib.parse import parse_qsl

from pydantic import BaseModel, ConfigDict, ValidationError, create_model

from lootkeep.api.http import unknown
from lootkeep.api.http.routes import Route
from lootkeep.deps import Deps
from lootkeep.kernel.errors import InvalidFields

M = TypeVar("M", bound=BaseModel)

_NO_ERRORS: Mapping[str, list[str]] = {}


class Body(BaseModel):
    """A request body: strict types; unknown fields are the edge's business. The first request builds its validator."""

    model_config = ConfigDict(strict=True, extra="ignore", frozen=True, defer_build=True)

    def sent(self) -> dict[str, Any]:
        """Only the fields that the client sent."""
        return {name: getattr(self, name) for name in self.model_fields_set}


def partial(model: type[Body], name: str) -> type[Body]:
    """The same fields, all optional, for a partial update; fields that are sent are validated as before."""
    fields: dict[str, Any] = {}
    for field, info in model.model_fields.items():
        optional = copy(info)
        optional.default = None
        optional.default_factory = None
        fields[field] = (info.annotation, optional)
    return create_model(name, __base__=Body, __doc__=model.__doc__, **fields)


class QueryParameters(BaseModel):
    """Query parameters: text that the fields parse; unknown parameters are the edge's business."""

    model_config = ConfigDict(extra="ignore", frozen=True, defer_build=True)


# Fields with their own rules write the end of the sentence themselves (`fields.refuse`).
OWN_WORDS = "sentence"
# pydantic's error types in our words; its own messages are never shown.
_PREDICATES = {
    "missing": "is required",
    "string_type": "must be a string",
    "string_too_short": "must not be empty",
    "string_too_long": "must not be greater than {max_length} characters",
    "int_type": "must be an integer",
    "int_from_float": "must be an integer",
    "bool_type": "must be true or false",
    "list_type": "must be a list",
    "dict_type": "must be an object",
    "model_type": "must be an object",
    "model_attributes_type": "must be an object",
    "greater_than_equal": "must be at least {ge}",
    "less_than_equal": "must not be greater than {le}",
    "literal_error": "must be one of: {expected}",
    "too_short": "must not be empty",
    "too_long": "must not have more than {max_length} entries",
}


def parse_query(raw: bytes, route: Route, ignored: list[str]) -> BaseModel | None:
    """The parameters; `ignored` gets the names of those that the route does not know."""
    values = dict(parse_qsl(raw.decode("latin-1"), keep_blank_values=True)) if raw else {}
    errors, names = unknown.check(values, route.query, route)
    ignored += names
    if route.query is None:
        if errors:
            raise InvalidFields(errors)
        return None
    errors |= {
        name: [_sentence(name, "must not contain a NUL character")]
        for name, value in values.items()
        if "\0" in value and name in unknown.fields_of(route.query)
    }
    return parse(values, route.query, errors=errors)


def parse_fields(values: dict[str, Any], route: Route, deps: Deps, ignored: list[str]) -> BaseModel:
    """The body of a route that has one; `ignored` gets the names of the fields that it does not know."""
    assert route.body
    errors, names = unknown.check(values, route.body, route)
    ignored += names
    return parse(values, route.body, deps, errors)


def parse(
    values: dict[str, Any], model: type[M], deps: Deps | None = None, errors: Mapping[str, list[str]] = _NO_ERRORS
) -> M:
    """The checked fields, unless there are errors, those found before included.

    Fields with rules that depend on settings find them in the Deps (`info.context`).
    """
    try:
        checked: M = model.__pydantic_validator__.validate_python(values, context=deps)
    except ValidationError as error:
        raise InvalidFields({**_sentences(error), **errors}) from None
    if errors:
        raise InvalidFields(errors)
    return checked


def _sentences(error: ValidationError) -> dict[str, list[str]]:
    messages: dict[str, list[str]] = {}
    for detail in error.errors(include_url=False, include_input=False):
        name = ".".join(str(part) for part in detail["loc"])
        messages.setdefault(name, []).append(_sentence(name, _predicate(detail)))
    return messages


def _predicate(detail: Any) -> str:
    if detail["type"] == OWN_WORDS:
        return str(detail["msg"])
    template = _PREDICATES.get(detail["type"], "is not valid")
    context = dict(detail.get("ctx", {}))
    if "expected" in context:
        context["expected"] = context["expected"].replace("'", "").replace(" or ", ", ")
    return template.format(**context)


def _sentence(name: str, predicate: str) -> str:
    return f"The {name.replace('_', ' ')} field {predicate}."
