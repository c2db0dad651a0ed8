"""Canned replies: texts for tickets, with variables that are filled in for the ticket that is answered."""

from __future__ import annotations

import re
from collections.abc import Mapping

import msgspec

from lootkeep.kernel.clock import Instant
from lootkeep.kernel.words import did_you_mean

# A ticket offers all of them.
MAX_REPLIES = 200
MAX_NAME_LENGTH = 100
MAX_BODY_LENGTH = 5_000
# Each with why a ticket may lack it.
VARIABLES: Mapping[str, str] = {
    "customer_name": "",
    "ticket_number": "",
    "order_number": "the ticket is about no order",
    "product": "the ticket is about no order",
    "store_name": "",
    "agent_name": "",
}
_VARIABLE = re.compile(r"\{\{\s*([^{}]{0,100}?)\s*\}\}")


class CannedReply(msgspec.Struct, frozen=True):
    id: int
    name: str
    body: str
    created_at: Instant
    updated_at: Instant


def written(variable: str) -> str:
    """As it is written in a text."""
    return f"{{{{ {variable} }}}}"


def check_variables(text: str) -> str | None:
    """What is wrong with them. Known names are listed, so that a typo is easy to see."""
    unknown = [name for name in _VARIABLE.findall(text) if name not in VARIABLES]
    if not unknown:
        return None
    close, listed = did_you_mean(unknown, VARIABLES), ", ".join(map(written, VARIABLES))
    return f"This contains an unknown variable{close}. The variables are: {listed}."


def fill(text: str, values: Mapping[str, str]) -> str:
    """With the values there are, each inserted once: what looks like a variable in a name stays a name."""
    return _VARIABLE.sub(lambda match: values.get(match[1], match[0]), text)


def check_values(text: str, values: Mapping[str, str]) -> str | None:
    """Which variables of the text a ticket has no value for, and why."""
    missing = [name for name in VARIABLES if name in _VARIABLE.findall(text) and name not in values]
    sentences = [f"{written(name)} cannot be filled in: {VARIABLES[name]}." for name in missing]
    return " ".join(sentences) or None
