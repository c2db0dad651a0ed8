"""The tables of events in docs/webhooks.md say what the views carry."""

from __future__ import annotations

import re

import pytest

from lootkeep.domain.deliveries import RETRY_SECONDS
from lootkeep.domain.events import EVENT_TYPES
from lootkeep.views import order_events
from lootkeep.views.events import DATA
from tests.docs.blocks import PAGE

COMMON = {
    "order": "order.paid",
    "fraud": "fraud.held",
    "subscription": "subscription.created",
    "product": "product.created",
}
TEXT = PAGE.read_text()


def names(text: str) -> list[str]:
    return re.findall(r"`(\w+)`", text)


def common(family: str) -> list[str]:
    return list(DATA[COMMON[family]].view.__struct_fields__)


@pytest.mark.parametrize("family", COMMON)
def test_a_family_says_what_all_its_events_carry(family: str) -> None:
    (sentence,) = re.findall(rf"^Every {family} event carries .*$", TEXT, re.MULTILINE)
    of_items = list(order_events.ItemData.__struct_fields__) if family == "order" else []
    assert names(sentence) == common(family) + of_items


@pytest.mark.parametrize("event_type", EVENT_TYPES)
def test_an_event_has_a_row_with_its_meaning_and_its_own_data(event_type: str) -> None:
    (row,) = re.findall(rf"^\| `{event_type}` \| (.*?) \| ?(.*?) ?\|$", TEXT, re.MULTILINE)
    meaning, further = row
    own = list(DATA[event_type].view.__struct_fields__)[len(common(event_type.split(".")[0])) :]
    assert meaning == EVENT_TYPES[event_type]
    assert names(further) == own


def test_the_schedule_is_the_one_in_force() -> None:
    (row,) = re.findall(r"^\| after \| (.*) \|$", TEXT, re.MULTILINE)
    units = {"minutes": 60, "hours": 3600}
    seconds = [int(number) * units[unit] for number, unit in (cell.split() for cell in row.split(" | "))]
    assert tuple(seconds) == RETRY_SECONDS
