"""From a record to its view: fields of one name are copied, times and amounts in their public form.

The function is compiled once per view, as dataclasses compile `__init__`: a list answers as fast as with code written
by hand, and a field that the record does not have, or has with another type, fails when the module is imported.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Any, Literal, TypeVar, get_origin, get_type_hints

import msgspec

from lootkeep.kernel.clock import Instant, optional_utc, utc
from lootkeep.kernel.money import Hundredths, text

V = TypeVar("V", bound=msgspec.Struct)

# From which type of the record to which type of the view, and how.
_PUBLIC_FORMS: dict[tuple[Any, Any], str] = {
    (Instant, datetime): "utc({})",
    (Instant | None, datetime | None): "optional_utc({})",
    (Hundredths, str): "text({})",
    (Hundredths | None, str | None): "optional_text({})",
    (str, msgspec.Raw): "Raw({}.encode())",
    (str, list[str]): "strings({})",
}


def optional_text(amount: Hundredths | None) -> str | None:
    return None if amount is None else text(amount)


_NAMES = {
    "utc": utc,
    "optional_utc": optional_utc,
    "text": text,
    "optional_text": optional_text,
    "Raw": msgspec.Raw,
    "strings": msgspec.json.Decoder(list[str]).decode,
}


def shown(view: type[V], record: type[Any], *given: str, **renamed: str) -> Callable[..., V]:
    """A function of a record, and of what is `given` by keyword since the record does not have it."""
    wanted, known = get_type_hints(view), _types(record)
    values = [
        name if name in given else _value(view, name, wanted[name], renamed.get(name, name), known)
        for name in view.__struct_fields__
    ]
    arguments = ", ".join(["record", *(["*", *given] if given else [])])
    source = f"def show({arguments}): return view({', '.join(values)})"
    scope: dict[str, Any] = {**_NAMES, "view": view}
    exec(compile(source, f"<{view.__name__}>", "exec"), scope)  # noqa: S102 -- made of names of fields alone
    show: Callable[..., V] = scope["show"]
    return show


def _types(record: type[Any]) -> dict[str, Any]:
    """The types of its fields and properties."""
    properties = {name: getattr(record, name) for name in dir(record) if isinstance(getattr(record, name), property)}
    return get_type_hints(record) | {
        name: get_type_hints(computed.fget)["return"] for name, computed in properties.items()
    }


def _value(view: type[Any], name: str, wanted: Any, field: str, known: dict[str, Any]) -> str:
    if field not in known:
        raise TypeError(f"{view.__name__}.{name} is in no record.")
    if known[field] == wanted or (get_origin(known[field]) is Literal and wanted is str):
        return f"record.{field}"
    if (known[field], wanted) not in _PUBLIC_FORMS:
        raise TypeError(f"{view.__name__}.{name} cannot be shown: {known[field]} is not {wanted}.")
    return _PUBLIC_FORMS[known[field], wanted].format(f"record.{field}")
