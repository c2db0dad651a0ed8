"""The cells of a file of past orders, in all the forms in which shops write them."""

from __future__ import annotations

import pytest

from lootkeep.kernel.clock import iso
from lootkeep.toolbox.backtest.cells import amount
from lootkeep.toolbox.files.dialect import Delimiter, Dialect

COMMA, SEMICOLON = Dialect(), Dialect(Delimiter.semicolon)


@pytest.mark.parametrize(
    ("text", "moment"),
    [
        ("2026-01-02T03:04:05Z", "2026-01-02T03:04:05Z"),
        ("2026-01-02T03:04:05+02:00", "2026-01-02T01:04:05Z"),
        ("2026-01-02T03:04:05.250000Z", "2026-01-02T03:04:05Z"),
        ("2026-01-02 03:04:05", "2026-01-02T03:04:05Z"),
        ("2026-01-02", "2026-01-02T00:00:00Z"),
        ("20260102", "2026-01-02T00:00:00Z"),
        ("2026-01-02 05:04:05 +0200", "2026-01-02T03:04:05Z"),
        ("2026-01-02 03:04:05 UTC", "2026-01-02T03:04:05Z"),
        ("2.1.2026 03:04", "2026-01-02T03:04:00Z"),
        ("02.01.2026", "2026-01-02T00:00:00Z"),
        ("1767323045000", "2026-01-02T03:04:05Z"),
        ("1767323045", "2026-01-02T03:04:05Z"),
        ("1767323045.75", "2026-01-02T03:04:05Z"),
    ],
)
def test_times_are_read_in_all_their_forms(text: str, moment: str) -> None:
    assert iso(COMMA.time(text)) == moment


@pytest.mark.parametrize(
    ("text", "ip"),
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
def test_ips_are_read_in_all_their_forms(text: str, ip: str) -> None:
    assert COMMA.ip_address(text) == ip


def test_countries_and_amounts_are_read_in_the_notations_of_shops() -> None:
    assert [COMMA.country(text) for text in ("DE", "de", "DEU", "Germany")] == ["DE"] * 4
    names = ["UK", "United Kingdom", "United States", "Russia", "South Korea"]
    assert [COMMA.country(text) for text in names] == ["GB", "GB", "US", "RU", "KR"]
    assert [amount(COMMA, text) for text in ("19.99", "20", "1e2", "0.005", "-3")] == [1999, 2000, 10000, 0, -300]


def test_a_comma_is_a_decimal_point_where_it_separates_no_cells() -> None:
    texts = ("19,99", "1.234,50", "-0,5", "19.99", "1.234.567,00")
    assert [amount(SEMICOLON, text) for text in texts] == [1999, 123450, -50, 1999, 123456700]
    for dialect, text in ((COMMA, "19,99"), (SEMICOLON, "1,234.50"), (SEMICOLON, "12.34,50")):
        with pytest.raises(ValueError):
            amount(dialect, text)


def test_yes_and_no_are_read_in_all_their_forms() -> None:
    assert [COMMA.boolean(text) for text in ("TRUE", "yes", "1", "Y")] == [True] * 4
    assert [COMMA.boolean(text) for text in ("false", "No", "0")] == [False] * 3
