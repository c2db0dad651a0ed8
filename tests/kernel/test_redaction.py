"""Secrets in URLs, well-formed and mistyped, and cells that a spreadsheet would execute."""

from __future__ import annotations

import pytest

from lootkeep.kernel.redaction import redacted, without_query_values
from lootkeep.kernel.spreadsheet import original_cell, plain_cell


@pytest.mark.parametrize(
    "url",
    [
        "postgresql://shop:hunter2@db/shop",
        "postgresql://shop:hun/hunter2@db/shop",
        "postgresql://shop:hun?x=hunter2@db/shop",
        "postgresql://shop:hun#hunter2@db/shop",
        "postgresql://shop:hun@hunter2@db/shop",
        "postgresql://shop/hunter2@db/shop",
        "postgresql://shop:hunter2/shop",
        "postgresql://shop:hunter2:db/shop",
        "postgresql:/shop:hunter2@db/shop",
        "postgresql//shop:hunter2@db/shop",
        "postgresql:shop:hunter2@db/shop",
        "postgresql:///shop:hunter2@db/shop",
        " postgresql://shop:hunter2@db/shop",
        "shop:hunter2@db/shop",
        "postgresql://db/shop?user=shop&password=hunter2",
        "host=db user=shop password=hunter2",
        "redis://:hunter2@cache:6379/0",
    ],
)
def test_the_password_of_a_mistyped_url_is_not_shown(url: str) -> None:
    assert "hunter2" not in redacted(url)


@pytest.mark.parametrize(
    "url",
    [
        "postgresql://shop@db:5432/shop",
        "postgresql://db1:5432,db2:5432/shop",
        "postgresql://[::1]:5432/shop",
        "sqlite:///shop@home.db",
        "https://shop.example/path",
        "Shop <shop@example.com>",
        "Europe/Berlin",
    ],
)
def test_a_setting_without_a_password_is_shown_as_it_is(url: str) -> None:
    assert redacted(url) == url


def test_of_a_query_only_the_names_are_shown() -> None:
    assert without_query_values("https://bot.example/in?key=a=b&x=1") == "https://bot.example/in?key=***&x=***"
    assert without_query_values("https://bot.example/in?a-secret") == "https://bot.example/in?***"
    assert without_query_values("https://bot.example/in") == "https://bot.example/in"


@pytest.mark.parametrize("start", ["=", "+", "-", "@", "|", "\t", "\r", "\n", "＝", "＋", "－", "＠"])
def test_a_cell_that_begins_like_a_formula_is_text_and_is_read_back_as_it_was(start: str) -> None:
    assert plain_cell(f"{start}1") == f"'{start}1"
    assert original_cell(f"'{start}1") == f"{start}1"


@pytest.mark.parametrize("text", ["Ada", "'Ada'", "", "'", "a=b"])
def test_any_other_cell_stays_as_it_is(text: str) -> None:
    assert (plain_cell(text), original_cell(text)) == (text, text)
