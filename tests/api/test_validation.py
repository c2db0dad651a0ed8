"""Validation errors are our own sentences and never those of a library."""

from __future__ import annotations

from typing import Annotated, Any

import pytest
from pydantic import AfterValidator, Field

from lootkeep.api.http.validation import Body, QueryParameters, parse
from lootkeep.kernel.errors import InvalidFields


def _raise(value: str) -> str:
    raise ValueError(f"invalid literal for int() with base 10: {value!r}")


def _fail(value: str) -> str:
    raise AssertionError(value)


class Unusual(Body):
    """Types that no route uses: each fails in its own way."""

    raising: Annotated[str, AfterValidator(_raise)] = ""
    failing: Annotated[str, AfterValidator(_fail)] = ""
    patterned: Annotated[str, Field(pattern="^a$")] = ""
    number: float = 0
    above: Annotated[int, Field(gt=5)] = 6
    even: Annotated[int, Field(multiple_of=2)] = 0
    data: bytes = b""


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("raising", "secret"),
        ("failing", "secret"),
        ("patterned", "secret"),
        ("patterned", "\ud800"),
        ("number", "secret"),
        ("above", 5),
        ("even", 1),
        ("data", "secret"),
    ],
)
def test_messages_of_a_library_are_not_shown(name: str, value: Any) -> None:
    with pytest.raises(InvalidFields) as refused:
        parse({name: value}, Unusual)
    assert refused.value.fields == {name: [f"The {name} field is not valid."]}


class SampleQuery(QueryParameters):
    """A query whose field is not one of the texts that rows use."""

    count: int = 0


def test_an_unreadable_query_integer_gets_our_own_message() -> None:
    with pytest.raises(InvalidFields) as refused:
        parse({"count": "9" * 5000}, SampleQuery)
    assert refused.value.fields == {"count": ["The count field is not valid."]}
