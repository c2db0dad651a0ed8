"""The tables of events in docs/webhooks.md follow the views: `python -m tests.docs.test_events` writes their rows."""

from __future__ import annotations

import re

import pytest

from lootkeep.domain.deliveries import RETRY_SECONDS
from lootkeep.domain.events import EVENT_TYPES
from lootkeep.domain.webhook_filters import FIELDS
from lootkeep.views import order_events as order_events_views
from lootkeep.views.events import DATA
from tests.docs.blocks import PAGE

COMMON = {
    "order": "order.paid",
    "fraud": "fraud.held",
    "subscription": "subscription.created",
    "product": "product.created",
    "keys": "keys.low",
    "command": "command.failed",
    "customer": "customer.erased",
    "ticket": "ticket.created",
    "gift_card": "gift_card.created",
    "coupon": "coupon.used",
}
COMMAND = "python -m tests.docs.test_events"
TEXT = PAGE.read_text()


def names(text: str) -> list[str]:
    return re.findall(r"`(\w+)`", text)


def common(family: str) -> list[str]:
    return list(DATA[COMMON[family]].view.__struct_fields__)


@pytest.mark.parametrize("family", COMMON)
def test_a_family_lists_the_data_that_all_its_events_carry(family: str) -> None:
    (sentence,) = re.findall(rf"^Every {family} event carries .*$", TEXT, re.MULTILINE)
    of_items = list(order_events_views.ItemData.__struct_fields__) if family == "order" else []
    assert names(sentence) == common(family) + of_items


def own_data(event_type: str) -> list[str]:
    return list(DATA[event_type].view.__struct_fields__)[len(common(event_type.split(".")[0])) :]


def row(event_type: str, text: str) -> str:
    """What a person wrote about the data of the event stays as long as it names the right fields."""
    written = re.findall(rf"^\| `{event_type}` \|.*?\| ?(.*?) ?\|$", text, re.MULTILINE)
    own = own_data(event_type)
    further = written[0] if written and names(written[0]) == own else ", ".join(f"`{name}`" for name in own)
    return f"| `{event_type}` | {EVENT_TYPES[event_type]} |{further and f' {further}'} |"


@pytest.mark.parametrize("event_type", EVENT_TYPES)
def test_an_event_has_a_row_with_its_meaning_and_its_own_data(event_type: str) -> None:
    assert f"\n{row(event_type, TEXT)}\n" in TEXT, f"{PAGE.name} is not what the views say: `{COMMAND}`."


def filter_rows() -> str:
    return "\n".join(f"| `{name}` | {field.type} | {field.text} |" for name, field in FIELDS.items())


def test_the_names_of_filters_are_in_a_table() -> None:
    assert f"\n{filter_rows()}\n" in TEXT, f"{PAGE.name} is not what the code says: `{COMMAND}`."


def test_the_schedule_is_the_one_in_force() -> None:
    (row,) = re.findall(r"^\| after \| (.*) \|$", TEXT, re.MULTILINE)
    units = {"minutes": 60, "hours": 3600}
    seconds = [int(number) * units[unit] for number, unit in (cell.split() for cell in row.split(" | "))]
    assert tuple(seconds) == RETRY_SECONDS


def write() -> None:
    text = PAGE.read_text()
    for family in COMMON:
        rows = [row(event_type, text) for event_type in EVENT_TYPES if event_type.startswith(f"{family}.")]
        table = re.compile(rf"(?:^\| `{family}\..*\n)+", re.MULTILINE)
        text = table.sub("\n".join(rows) + "\n", text, count=1)
    beginning = "| name | type | meaning |\n|---|---|---|\n"
    table = re.compile(rf"(?<={re.escape(beginning)})(?:.+\n)+")
    text = table.sub(filter_rows() + "\n\n", text, count=1)
    PAGE.write_text(text)


if __name__ == "__main__":
    write()
