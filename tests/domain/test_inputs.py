"""What people and programs type, in the form in which it is stored."""

from __future__ import annotations

import pytest

from lootkeep.domain import inputs as inputs_rules
from lootkeep.kernel.clock import iso


def test_a_time_is_read_in_its_zone_up_to_the_last_minute_of_the_calendar() -> None:
    assert iso(inputs_rules.time("9999-12-31T23:59", "UTC")) == "9999-12-31T23:59:00Z"
    assert iso(inputs_rules.time("9999-12-31T23:59", "Asia/Tokyo")) == "9999-12-31T14:59:00Z"


@pytest.mark.parametrize("text", ["9999-12-31T23:59", "tomorrow", ""])
def test_a_time_that_is_not_in_the_calendar_is_rejected(text: str) -> None:
    with pytest.raises(ValueError, match="2026-11-15 14:00"):
        inputs_rules.time(text, "Pacific/Pago_Pago")
