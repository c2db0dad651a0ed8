"""One compiled function turns a record into a view, and checks at import that the two match."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Literal

import msgspec
import pytest

from lootkeep.kernel.clock import Instant, instant
from lootkeep.kernel.money import Hundredths
from lootkeep.views.mapping import view_of

NOON = datetime(2026, 11, 15, 12, tzinfo=UTC)


class Record(msgspec.Struct, frozen=True):
    id: int
    state: Literal["open", "closed"]
    price: Hundredths
    old_price: Hundredths | None
    metadata: str
    tags: str
    created_at: Instant
    closed_at: Instant | None

    @property
    def number(self) -> str:
        return f"NR-{self.id}"


class RecordView(msgspec.Struct, frozen=True):
    number: str
    state: str
    price: str
    old_price: str | None
    metadata: msgspec.Raw
    tags: list[str]
    created_at: datetime
    closed_at: datetime | None


RECORD = Record(7, "open", Hundredths(1999), None, '{"level":40}', '["rare"]', instant(NOON), None)


def test_fields_with_the_same_name_are_copied_in_their_public_form() -> None:
    view = view_of(RecordView, Record)(RECORD)
    assert view == RecordView("NR-7", "open", "19.99", None, msgspec.Raw(b'{"level":40}'), ["rare"], NOON, None)
    assert msgspec.json.encode(view).endswith(
        b'"metadata":{"level":40},"tags":["rare"],"created_at":"2026-11-15T12:00:00Z","closed_at":null}'
    )


def test_optional_times_and_amounts_are_shown_when_present() -> None:
    record = msgspec.structs.replace(RECORD, old_price=Hundredths(2500), closed_at=instant(NOON))
    view = view_of(RecordView, Record)(record)
    assert (view.old_price, view.closed_at) == ("25.00", NOON)


class Renamed(msgspec.Struct, frozen=True):
    record_id: int
    words: str


def test_a_field_can_be_renamed_or_passed_by_the_caller() -> None:
    show = view_of(Renamed, Record, "words", record_id="id")
    assert show(RECORD, words="by hand") == Renamed(7, "by hand")
    with pytest.raises(TypeError):
        show(RECORD)


def test_a_field_missing_from_the_record_fails() -> None:
    with pytest.raises(TypeError, match=r"Renamed\.record_id is in no record"):
        view_of(Renamed, Record, "words")(RECORD, words="by hand")


def test_a_field_of_the_wrong_type_fails() -> None:
    with pytest.raises(TypeError, match=r"Renamed\.record_id cannot be shown"):
        view_of(Renamed, Record, "words", record_id="state")(RECORD, words="by hand")
