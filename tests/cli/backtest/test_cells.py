"""The cells of a file of past orders, in all the forms in which shops write them."""

from __future__ import annotations

import pytest

from lootkeep.kernel.clock import iso
from lootkeep.toolbox.backtest.cells import amount, country, ip_address, time


@pytest.mark.parametrize(
    ("text", "moment"),
    [
        ("2026-01-02T03:04:05Z", "2026-01-02T03:04:05Z"),
        ("2026-01-02T03:04:05+02:00", "2026-01-02T01:04:05Z"),
        ("2026-01-02T03:04:05.250000Z", "2026-01-02T03:04:05Z"),
        ("2026-01-02 03:04:05", "2026-01-02T03:04:05Z"),
        ("2026-01-02", "2026-01-02T00:00:00Z"),
        ("20260102", "2026-01-02T00:00:00Z"),
        ("1767323045", "2026-01-02T03:04:05Z"),
        ("1767323045.75", "2026-01-02T03:04:05Z"),
    ],
)
def test_times_are_read_in_all_their_forms(text: str, moment: str) -> None:
    assert iso(time(text)) == moment


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("203.0.113.9", "203.0.113.9"),
        ("::ffff:203.0.113.9", "203.0.113.9"),
        ("2001:DB8::1", "2001:db8::1"),
        ("3405803785", "203.0.113.9"),
        ("3405803785.79972", "203.0.113.9"),
        ("3.405803785e9", "203.0.113.9"),
        ("0", "0.0.0.0"),
    ],
)
def test_addresses_are_read_in_all_their_forms(text: str, address: str) -> None:
    assert ip_address(text) == address


def test_countries_and_amounts_are_read_as_shops_write_them() -> None:
    assert [country(text) for text in ("DE", "de", "DEU", "Germany")] == ["DE"] * 4
    assert country("UK") == "GB"
    assert [amount(text) for text in ("19.99", "20", "1e2", "0.005", "-3")] == [1999, 2000, 10000, 0, -300]
