"""`lootkeep openapi`: the OpenAPI document."""

from __future__ import annotations

from lootkeep import wiring
from lootkeep.cli.output import print_json


def openapi() -> None:
    """Print the OpenAPI 3.1 document."""
    print_json(wiring.document())
