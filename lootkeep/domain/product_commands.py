"""What a product runs on game servers, and when."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Literal

import msgspec

CommandCause = Literal["paid", "renewed", "expired", "refunded", "disputed"]

MAX_COMMANDS = 20
MAX_TEXT = 1_000
MAX_DELAY_MINUTES = 365 * 24 * 60
VARIABLES = ("player_name", "player_id", "customer_id", "order_number", "product", "quantity")
VARIABLE = re.compile(r"\{([a-z_]+)\}")


class ProductCommand(msgspec.Struct, frozen=True):
    """What a product runs on a server, and when."""

    server_id: int
    on: CommandCause
    text: str
    needs_player_online: bool = False
    delay_minutes: int = 0

    @property
    def variables(self) -> set[str]:
        return set(VARIABLE.findall(self.text))

    @property
    def needs_name(self) -> bool:
        return "player_name" in self.variables

    @property
    def needs_id(self) -> bool:
        return "player_id" in self.variables or self.needs_player_online


# From the JSON that a product is stored with.
commands_of = msgspec.json.Decoder(list[ProductCommand]).decode


def check(commands: Sequence[ProductCommand]) -> dict[str, list[str]]:
    """The commands whose text names an unknown variable."""
    return {
        f"commands.{index}.text": [
            f"The commands.{index}.text field names an unknown variable. The variables are: {', '.join(VARIABLES)}."
        ]
        for index, command in enumerate(commands)
        if not command.variables <= set(VARIABLES)
    }
