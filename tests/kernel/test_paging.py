"""Pages: where they begin, and how many there are."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from lootkeep.kernel.paging import PageRequest, last_page

sizes = st.integers(1, 100)


@pytest.mark.parametrize(("total", "last"), [(0, 1), (1, 1), (15, 1), (16, 2), (30, 2), (31, 3)])
def test_the_last_page_holds_the_last_item_and_is_at_least_the_first(total: int, last: int) -> None:
    assert last_page(total, 15) == last


@pytest.mark.parametrize(("number", "offset"), [(1, 0), (2, 15), (1_000_000_000, 14_999_999_985)])
def test_a_page_begins_after_the_items_of_the_pages_before_it(number: int, offset: int) -> None:
    assert PageRequest(number, 15).offset == offset


@given(st.integers(0, 2_000), sizes)
def test_the_pages_together_hold_every_item_once(total: int, size: int) -> None:
    items = list(range(total))
    pages = [PageRequest(number, size) for number in range(1, last_page(total, size) + 1)]
    assert [item for page in pages for item in items[page.offset : page.offset + page.size]] == items


@given(st.integers(1, 2_000), sizes)
def test_the_last_page_is_never_empty_when_there_is_an_item(total: int, size: int) -> None:
    assert PageRequest(last_page(total, size), size).offset < total


@given(st.integers(0, 2_000), sizes)
def test_a_page_past_the_end_holds_nothing(total: int, size: int) -> None:
    assert PageRequest(last_page(total, size) + 1, size).offset >= total
