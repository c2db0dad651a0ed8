"""`lootkeep import keys`: the stock of a product from a file, which can be imported again."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from lootkeep.storage.engine.database import Engine
from lootkeep.storage.schema import key_batches, product_keys
from tests.cli.import_store import ImportedStore, settings_for
from tests.cli.terminal import Terminal

FOR_SALE = ("--product", "KEY-1")


@pytest.fixture
def store(db: Engine, db_location: Path | str, terminal: Terminal) -> ImportedStore:
    store = ImportedStore(terminal, settings_for(db_location))
    store.product("KEY-1", delivery_type="keys")
    return store


def test_each_line_is_a_key_and_a_file_can_be_imported_again(store: ImportedStore) -> None:
    text = "\ufeffAAAA-1111\r\n BBBB-2222 \n\nAAAA-1111\n"
    options = (*FOR_SALE, "--batch", "October", "--unit-cost", "18.00", "--json")
    first, again = (json.loads(store.run("keys", text, *options, name="keys.txt").out) for _ in range(2))
    assert first == {"added": 2, "already_known": 1, "stock": 2}
    assert again == {"added": 0, "already_known": 3, "stock": 2}
    assert [(row["name"], row["unit_cost"]) for row in store.rows(key_batches)] == [("October", 18_00)]
    assert store.wrong_totals() == {}


@pytest.mark.parametrize("sign", [",", ";", "\t"])
def test_keys_are_in_the_column_key_of_a_csv_file(store: ImportedStore, sign: str) -> None:
    text = f'name{sign}Key\nEmberfall{sign}"AAAA{sign}1111"\nEmberfall{sign}BBBB-2222\n'
    outcome = store.run("keys", text, *FOR_SALE)
    assert (outcome.code, outcome.out[:12]) == (0, "2 keys added")
    assert [row["last_four"] for row in store.rows(product_keys)] == ["1111", "2222"]


@pytest.mark.parametrize(
    ("content", "sku", "words"),
    [
        (b"\n\n", "KEY-1", "The file contains no keys."),
        (b"\xff\xfe", "KEY-1", "The file is not UTF-8 text"),
        ("AB\nCD\n".encode("utf-16-le"), "KEY-1", "The file is not UTF-8 text"),
        (b'note,key\n"x,A\ny,xxx\n', "KEY-1", "The quotes in line 3 do not fit. Nothing was imported."),
        (b"A\n" + b"x" * 4001, "KEY-1", "Key 2 is longer than 4000 characters."),
        (b"A", "KEY-2", "There is no product with this sku."),
        (b"A", "MANUAL", "Only products with the delivery type keys have keys."),
    ],
)
def test_what_cannot_be_imported_is_refused_without_an_echo(
    store: ImportedStore, content: bytes, sku: str, words: str
) -> None:
    store.product("MANUAL")
    outcome = store.run("keys", content, "--product", sku)
    assert (outcome.code, words in outcome.err, "xxx" in outcome.err) == (1, True, False)
    assert store.rows(product_keys) == []


def test_a_cost_below_a_cent_and_the_name_of_a_batch_that_is_too_long_are_refused(store: ImportedStore) -> None:
    for options, words in (
        (("--unit-cost", "-5"), "--unit-cost must be a number of at least 0.01"),
        (("--unit-cost", "0"), "--unit-cost must be a number of at least 0.01"),
        (("--batch", "x" * 101), "--batch takes at most 100 characters."),
    ):
        outcome = store.run("keys", "AAAA-1111", *FOR_SALE, *options)
        assert (outcome.code, words in outcome.err) == (1, True), options
    assert store.rows(product_keys) == []
