"""From raw parameters to checked models, with a sentence for every failing field."""

from __future__ import annotations

from copy import copy
from typing import Any, TypeVar
from urllib.parse import parse_qsl

from pydantic import BaseModel, ConfigDict, ValidationError, create_model

from lootkeep.deps import Deps
from lootkeep.kernel.errors import InvalidFields

M = TypeVar("M", bound=BaseModel)


class Body(BaseModel):
    """A request body: strict types, unknown fields ignored."""

    model_config = ConfigDict(strict=True, extra="ignore", frozen=True)

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
    """Query parameters: text that the fields parse; unknown parameters are ignored."""

    model_config = ConfigDict(extra="ignore", frozen=True)


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


def parse_query(raw: bytes, model: type[M]) -> M:
    values = dict(parse_qsl(raw.decode("latin-1"), keep_blank_values=True))
    refused = {
        name: [_sentence(name, "must not contain a NUL character")] for name, value in values.items() if "\0" in value
    }
    if refused:
        raise InvalidFields(refused)
    return parse(values, model)


def parse(values: dict[str, Any], model: type[M], deps: Deps | None = None) -> M:
    """Fields with rules that depend on settings find them in the Deps (`info.context`)."""
    try:
        return model.__pydantic_validator__.validate_python(values, context=deps)  # type: ignore[no-any-return]
    except ValidationError as error:
        raise InvalidFields(_sentences(error)) from None


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
