"""How a field of a view is described: the OpenAPI document takes its words and examples from here."""

from __future__ import annotations

from typing import Annotated, Any

from msgspec import Meta


def field(description: str, example: Any) -> Meta:
    return Meta(description=description, examples=[example])


Time = Annotated[str, field("When, in UTC.", "2026-11-15T10:30:00Z")]
