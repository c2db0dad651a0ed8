"""The comparison of answers sees what it should, and lets pass what is by chance."""

from __future__ import annotations

from typing import Any

import pytest

from tests.docs.answers import as_shown, differences, written
from tests.docs.curls import CurlRequest
from tests.docs.known import KnownValues

SHOWN = {"success": True, "data": {"id": 4, "name": "Bronze", "code": "SC53PRD7", "created_at": "2026-11-15T10:30:00Z"}}


def given(**changes: Any) -> dict[str, Any]:
    return {"success": True, "data": SHOWN["data"] | changes}  # type: ignore[operator]


@pytest.mark.parametrize("change", [{"id": 5}, {"code": "AAAABBBB"}, {"created_at": "2027-01-01T00:00:00Z"}])
def test_times_ids_and_codes_may_differ(change: dict[str, Any]) -> None:
    assert differences(SHOWN, given(**change)) == []


@pytest.mark.parametrize("change", [{"name": "Gold"}, {"id": "4"}, {"id": None}, {"created_at": None}, {"more": 1}])
def test_other_values_may_not_differ(change: dict[str, Any]) -> None:
    (sentence,) = differences(SHOWN, given(**change))
    assert sentence.startswith(f"data.{next(iter(change))}: ")


def test_a_missing_field_and_a_longer_list_are_reported() -> None:
    assert differences({"a": 1, "b": [1]}, {"b": [1, 2]}) == [
        "a: only the page has it",
        "b: the page shows 1 entries, the service answered 2",
    ]


def test_a_list_that_ends_in_dots_is_compared_as_far_as_it_is_shown() -> None:
    assert differences({"a": [1, 2, "..."]}, {"a": [1, 2, 3, 4]}) == []
    assert differences({"a": [1, "..."]}, {"a": [2, 3]}) != []
    assert as_shown({"a": [5, 6, 7]}, {"a": [1, "..."]}) == {"a": [5, "..."]}


def test_the_code_of_a_failure_must_match() -> None:
    assert differences({"code": "not_found"}, {"code": "forbidden"})


def test_ids_and_codes_that_were_answered_are_used_in_later_calls() -> None:
    known_values = KnownValues()
    created = CurlRequest("POST", "/api/store/v1/gift-cards", {}, None)
    known_values.learn(created, SHOWN, given(id=9, code="AAAABBBB"))
    later = CurlRequest("POST", "/api/x/gift-cards/4/use?gift_card_id=4", {}, '{"gift_card_id": 4, "code": "sc53prd7"}')
    applied = known_values.applied(later)
    assert applied.path == "/api/x/gift-cards/9/use?gift_card_id=9"
    assert applied.body == '{"gift_card_id": 9, "code": "aaaabbbb"}'
    assert known_values.applied(CurlRequest("GET", "/api/x/orders/4", {}, None)).path == "/api/x/orders/4"


def test_a_page_keeps_its_times_and_codes_when_its_answers_are_written_again() -> None:
    new = as_shown(given(name="Gold", code="AAAABBBB", created_at="2027-01-01T00:00:00Z"), SHOWN)
    assert new == given(name="Gold")


def test_short_answers_are_written_in_one_line_and_long_ones_are_not() -> None:
    assert written({"success": True, "data": []}) == '{"success": true, "data": []}'
    assert written({"a": "x" * 100, "b": [1]}) == '{\n  "a": "' + "x" * 100 + '",\n  "b": [1]\n}'
