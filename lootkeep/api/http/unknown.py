"""Fields and parameters that a route does not know: the Store API rejects them, the External API names them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cache
from itertools import islice
from typing import Any, get_args

import msgspec
from pydantic import BaseModel

from lootkeep.api.http.routes import Route
from lootkeep.kernel.words import nearest

# Known names, each with those of the objects in it.
Names = Mapping[str, "Names"]

# More would only repeat the mistake, such as one field of every line.
_MAX_NAMED = 20
# A name in an answer looks like a name; anything else may be an attack on the reader of the answer.
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_-]{0,63}")
_NOT_A_NAME = "?"
_NOTHING: Names = {}


def check(
    values: Mapping[str, Any], model: type[BaseModel] | None, route: Route
) -> tuple[dict[str, list[str]], list[str]]:
    """The errors of unknown fields by dotted name if the route rejects them, and the names of those it ignores."""
    names = fields_of(model) if model else _NOTHING
    record = _NOTHING
    if route.is_strict and route.method == "PUT" and route.answer.view and model is route.body:
        # What was read can be changed and sent back whole.
        record = _of_view(route.answer.view)
    unknown = dict(islice(_find(values, names, record), _MAX_NAMED))
    if route.is_strict:
        return {name: [_sentence(name, others)] for name, others in unknown.items()}, []
    return {}, list(unknown)


@cache
def fields_of(model: type[BaseModel]) -> Names:
    return {
        field.alias or name: _within(field.annotation, BaseModel, fields_of)
        for name, field in model.model_fields.items()
    }


def _find(values: Mapping[str, Any], names: Names, record: Names, path: str = "") -> Iterator[tuple[str, Names]]:
    """The dotted names that are neither known nor read-only fields of the record, with those known next to them."""
    for name, value in values.items():
        below = names.get(name)
        if below is None:
            if name not in record:
                yield path + (name if _NAME.fullmatch(name) else _NOT_A_NAME), names
        elif below:
            for index, part in _objects(value):
                yield from _find(part, below, record.get(name, _NOTHING), f"{path}{name}.{index}")


def _objects(value: Any) -> Iterator[tuple[str, Mapping[str, Any]]]:
    if isinstance(value, dict):
        yield "", value
    elif isinstance(value, list):
        yield from ((f"{index}.", part) for index, part in enumerate(value) if isinstance(part, dict))


def _sentence(name: str, names: Names) -> str:
    if not names:
        return "This field is unknown. This call has no parameters."
    near = nearest(name.rpartition(".")[2], names)
    return "This field is unknown. " + (f"Did you mean {near}?" if near else f"Known are: {', '.join(names)}.")


@cache
def _of_view(view: type[msgspec.Struct]) -> Names:
    return {field.name: _within(field.type, msgspec.Struct, _of_view) for field in msgspec.structs.fields(view)}


def _within(annotation: Any, kind: type[Any], names: Any) -> Any:
    """The names of the objects in a field: itself, one of its alternatives, or its entries."""
    if isinstance(annotation, type) and issubclass(annotation, kind):
        return names(annotation)
    return next(filter(None, (_within(part, kind, names) for part in get_args(annotation))), {})
