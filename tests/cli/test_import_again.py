"""Running an import again: after it is done, after it was killed, and only to see what it would do."""

from __future__ import annotations

import signal
from pathlib import Path

import pytest

from lootkeep.storage.engine.database import Engine
from lootkeep.storage.schema import customers, orders
from tests.cli.import_store import CUSTOMER, ORDER, ImportedStore, csv_text, customers_csv, orders_csv, settings_for
from tests.cli.terminal import Terminal

# Three batches, so that a run can be killed in the second: the first is written, and the last is not yet.
MANY = 1100
SECOND_BATCH = "imports/running.py:_add:2"


@pytest.fixture
def store(db: Engine, db_location: Path | str, terminal: Terminal) -> ImportedStore:
    return ImportedStore(terminal, settings_for(db_location))


def test_a_second_run_skips_existing_rows(store: ImportedStore) -> None:
    store.product("SWORD")
    store.product("SHIELD")
    people, sales = customers_csv(30, store.referrer()), orders_csv(40, customers=30)
    assert store.tally("customers", people) == (30, 0, 0)
    assert store.tally("orders", sales) == (40, 0, 0)
    before = store.everything()
    assert store.tally("customers", people) == (0, 30, 0)
    assert store.tally("orders", sales) == (0, 40, 0)
    assert store.everything() == before
    assert store.wrong_totals() == {}


def test_a_customer_twice_in_one_file_is_skipped_the_second_time(store: ImportedStore) -> None:
    content = csv_text([CUSTOMER, CUSTOMER | {"email": "ADA@a.example", "name": "Ada again"}])
    assert store.tally("customers", content) == (1, 1, 0)
    assert store.tally("customers", content) == (0, 2, 0)


def test_orders_without_an_external_id_come_with_a_warning(store: ImportedStore) -> None:
    store.product("SWORD")
    store.run("customers", csv_text([CUSTOMER]))
    outcome = store.run("orders", csv_text([ORDER, ORDER | {"external_id": ""}]))
    assert outcome.err == "1 order has no external id: importing the same file again would create duplicates.\n"


def test_a_dry_run_says_what_would_happen_and_writes_nothing(store: ImportedStore) -> None:
    store.product("SWORD")
    store.product("SHIELD")
    people = customers_csv(600, store.referrer())
    # Both of another batch than what they repeat: a known e-mail, and a taken external id.
    people += "player3@mail3.example,Again,,,,\nnew@new.example,Clash,c5,,,\nnobody,Bad,,,,\n"
    before = store.everything()
    imagined = store.tally("customers", people, "--dry-run")
    assert imagined == (600, 1, 2)
    assert store.everything() == before
    assert store.tally("customers", people) == imagined
    sales = orders_csv(550, customers=600) + "o7,c1,SWORD:1@9.50,,\no-bad,nobody,SWORD:1@9.50,,\n"
    before = store.everything()
    imagined = store.tally("orders", sales, "--dry-run")
    assert imagined == (550, 1, 1)
    assert store.everything() == before
    assert store.tally("orders", sales) == imagined
    dry = store.run("orders", sales, "--dry-run").out
    assert dry.startswith("0 orders would be imported, 551 skipped, 1 rejected, in ")


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGINT])
def test_an_interrupted_run_continues_where_it_stopped(store: ImportedStore, number: signal.Signals) -> None:
    code = store.referrer()
    for sku in ("SWORD", "SHIELD"):
        store.product(sku)
    _interrupted(store, "customers", number, customers_csv(MANY, code))
    assert store.wrong_totals() == {}
    there = len(store.rows(customers)) - 1
    assert store.tally("customers", customers_csv(MANY, code)) == (MANY - there, there, 0)
    _interrupted(store, "orders", number, orders_csv(MANY, customers=MANY))
    assert store.wrong_totals() == {}
    there = len(store.rows(orders))
    assert store.tally("orders", orders_csv(MANY, customers=MANY)) == (MANY - there, there, 0)
    assert (len(store.rows(customers)), len(store.rows(orders))) == (MANY + 1, MANY)
    assert {row["external_id"] for row in store.rows(orders)} == {f"o{index}" for index in range(MANY)}
    assert store.wrong_totals() == {}


def _interrupted(store: ImportedStore, kind: str, number: signal.Signals, content: str) -> None:
    (store.terminal.folder / f"{kind}.csv").write_text(content)
    command = ("import", kind, f"{kind}.csv")
    if number is signal.SIGKILL:
        store.terminal.killed_at(SECOND_BATCH, *command, **store.settings)
        return
    ended = store.terminal.interrupted_at(SECOND_BATCH, *command, **store.settings)
    sentence = "Interrupted. Nothing is half-written: run the same command again to continue.\n"
    assert (ended.code, ended.err) == (130, sentence)
