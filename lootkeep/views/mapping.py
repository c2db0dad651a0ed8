"""From a record to its view: fields of one name are copied, times and amounts in their public form.

A field that the record does not have, or has with another type, fails when the first record is shown.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from functools import cache
from operator import attrgetter
from typing import Any, Literal, TypeVar, get_origin, get_type_hints

import msgspec

from lootkeep.kernel.clock import Instant, optional_utc, utc
from lootkeep.kernel.money import Hundredths, text

V = TypeVar("V", bound=msgspec.Struct)


def optional_text(amount: Hundredths | None) -> str | None:
    return None if amount is None else text(amount)


# From which type of the record to which type of the view, and how.
_PUBLIC_FORMS: dict[tuple[Any, Any], Callable[[Any], Any]] = {
    (Instant, datetime): utc,
    (Instant | None, datetime | None): optional_utc,
    (Hundredths, str): text,
    (Hundredths | None, str | None): optional_text,
    (str, msgspec.Raw): lambda value: msgspec.Raw(value.encode()),
    (str, list[str]): msgspec.json.Decoder(list[str]).decode,
}


def view_of(view: type[V], record: type[Any], *extra: str, **renamed: str) -> Callable[..., V]:
    """A function of a record, and of what is `given` by keyword since the record does not have it."""
    sources = {name: renamed.get(name, name) for name in view.__struct_fields__ if name not in extra}
    inserted = [(index, name) for index, name in enumerate(view.__struct_fields__) if name in extra]
    take = attrgetter(*sources.values())

    @cache
    def converted() -> list[tuple[int, Callable[[Any], Any]]]:
        # With the first record: the types of all views together take a twentieth of the start.
        wanted, types = get_type_hints(view), _types(record)
        forms = (_form(view, name, wanted[name], field, types) for name, field in sources.items())
        return [(index, form) for index, form in enumerate(forms) if form]

    def to_view(record: Any, **values_given: Any) -> V:
        if values_given.keys() != set(extra):
            raise TypeError(f"{view.__name__} is shown with {', '.join(extra) or 'nothing'} given by keyword.")
        forms = converted()
        values = list(take(record)) if len(sources) > 1 else [take(record)]
        for index, form in forms:
            values[index] = form(values[index])
        for index, name in inserted:
            values.insert(index, values_given[name])
        return view(*values)

    return to_view


def _types(record: type[Any]) -> dict[str, Any]:
    """The types of its fields and properties."""
    properties = {name: getattr(record, name) for name in dir(record) if isinstance(getattr(record, name), property)}
    return get_type_hints(record) | {
        name: get_type_hints(computed.fget)["return"] for name, computed in properties.items()
    }


def _form(view: type[Any], name: str, wanted: Any, field: str, types: dict[str, Any]) -> Callable[[Any], Any] | None:
    """How the field is converted; None if it is copied."""
    if field not in types:
        raise TypeError(f"{view.__name__}.{name} is in no record.")
    if types[field] == wanted or (get_origin(types[field]) is Literal and wanted is str):
        return None
    if (types[field], wanted) not in _PUBLIC_FORMS:
        raise TypeError(f"{view.__name__}.{name} cannot be shown: {types[field]} is not {wanted}.")
    return _PUBLIC_FORMS[types[field], wanted]
