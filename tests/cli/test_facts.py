"""`lootkeep export facts`: what is in the files, and who reads them with which figures."""

from __future__ import annotations

from pathlib import Path

import pytest

from lootkeep.domain.disputes import JUDGED_AFTER
from lootkeep.domain.fraud.policy import SETTINGS as POLICY, Policy
from lootkeep.services import fraud_calibration as fraud_calibration_service
from lootkeep.storage import settings as settings_db
from lootkeep.storage.engine.database import Engine
from lootkeep.storage.fraud import truth as fraud_truth_db
from lootkeep.storage.schema import fraud_checks, orders as orders_table
from lootkeep.toolbox.facts.reading import FactsFolder
from lootkeep.toolbox.facts.writing import export
from tests.cli.demo_store import loaded, rows
from tests.cli.facts_store import ORDERS, answer, backtest, buyers, fill, past_file, rows_of
from tests.cli.import_store import CUSTOMER, ORDER, ImportedStore, csv_text


@pytest.mark.parametrize("personal", ["none", "hashed"])
def test_a_backtest_has_the_same_figures_from_the_database_a_file_and_a_folder(
    facts_store: ImportedStore, personal: str
) -> None:
    fill(facts_store)
    (facts_store.terminal.folder / "past.csv").write_text(past_file())
    answer(facts_store, "export", "facts", "facts", "--personal", personal)
    of_store = backtest(facts_store)
    assert (of_store["orders"], of_store["frauds"] > 10) == (ORDERS, True)
    fired = {row["name"] for row in of_store["signals"] if row["fired"]}
    assert fired >= {"device_reuse", "user_agent_missing_or_bot", "tagged_email", "confirmed_fraud"}
    assert backtest(facts_store, "facts") == of_store
    assert backtest(facts_store, "past.csv", "--label", "fraud") == of_store


def test_each_order_has_the_same_score_from_the_database_and_a_folder(facts_store: ImportedStore) -> None:
    fill(facts_store)
    answer(facts_store, "export", "facts", "facts")
    answer(facts_store, "fraud", "backtest", "--scores", "store.csv")
    answer(facts_store, "fraud", "backtest", "facts", "--scores", "folder.csv")
    scores = (facts_store.terminal.folder / "store.csv").read_text()
    assert scores == (facts_store.terminal.folder / "folder.csv").read_text()
    assert len(scores.splitlines()) == ORDERS + 1


def test_calibration_and_signals_have_the_same_figures_from_the_database_a_file_and_a_folder(
    facts_store: ImportedStore,
) -> None:
    fill(facts_store)
    (facts_store.terminal.folder / "past.csv").write_text(past_file())
    answer(facts_store, "export", "facts", "facts")
    of_store, of_folder = answer(facts_store, "fraud", "calibrate"), answer(facts_store, "fraud", "calibrate", "facts")
    # When it was measured.
    del of_store["base"]["measured_at"], of_folder["base"]["measured_at"]
    assert of_folder == of_store
    assert of_store["signals"]
    # Of a file every label is known, not only those of frauds, so its odds may be others.
    of_file = answer(facts_store, "fraud", "calibrate", "past.csv", "--label", "fraud")
    counts = [[(row["name"], row["orders"], row["frauds"]) for row in it["signals"]] for it in (of_store, of_file)]
    assert counts[0] == counts[1]
    signals = answer(facts_store, "fraud", "signals")
    assert sum(row["fired"] for row in signals) > ORDERS / 2
    assert answer(facts_store, "fraud", "signals", "facts") == signals
    assert answer(facts_store, "fraud", "signals", "past.csv", "--label", "fraud") == signals
    table = facts_store.terminal.call("fraud", "signals", "facts", **facts_store.settings).out
    assert table.splitlines()[0].split() == ["Signal", "Fired", "Right", "Wrong", "Precision"]


async def test_judgements_that_were_replaced_are_in_the_row_of_their_order(db: Engine, tmp_path: Path) -> None:
    world, _ = await loaded(db)
    written = await export(world.deps, tmp_path / "facts", "none")
    ((orders, different),) = rows_of(tmp_path / "facts", "SELECT count(*), count(DISTINCT order_id) FROM orders")
    assert orders == different == sum(written.months.values()) == len(await rows(db, orders_table))
    ((latest, earlier),) = rows_of(tmp_path / "facts", "SELECT count(check_id), sum(len(earlier_checks)) FROM orders")
    assert latest + earlier == len(await rows(db, fraud_checks))
    assert earlier


async def test_of_an_order_that_was_judged_again_both_sources_count_the_latest_judgement(
    db: Engine, tmp_path: Path
) -> None:
    world, _ = await loaded(db)
    # The outcome of every order is known.
    world.clock.advance(JUDGED_AFTER)
    await export(world.deps, tmp_path / "facts", "none")
    folder = FactsFolder(tmp_path / "facts")
    async with db.read() as tx:
        assert folder.signal_counts() == await fraud_truth_db.signal_counts(tx, world.clock.now())
        policy = await settings_db.get(tx, POLICY, Policy)
    assert folder.calibration(policy) == await fraud_calibration_service.report(world.deps)


def test_goods_money_and_referral_are_in_the_row(facts_store: ImportedStore) -> None:
    code = facts_store.referrer()
    facts_store.run("customers", csv_text([CUSTOMER | {"referral_code": code}]))
    facts_store.run("orders", csv_text([ORDER | {"items": "SWORD:3@10.00"}]))
    outcome = facts_store.terminal.call("export", "facts", "facts", **facts_store.settings)
    assert outcome.out == "1 order in 1 file written to facts; 1 month sealed.\n"
    select = (
        "SELECT status, total::VARCHAR, items[1].sku, items[1].quantity, items[1].total::VARCHAR, referral_status, "
        "created_at::VARCHAR, settings_version, score FROM orders"
    )
    (row,) = rows_of(facts_store.terminal.folder / "facts", select)
    assert row == ("completed", "30.00", "SWORD", 3, "30.00", "successful", "2024-02-01 10:00:00", 0, row[-1])


def test_without_the_option_no_value_says_who_bought(facts_store: ImportedStore) -> None:
    fill(facts_store)
    answer(facts_store, "export", "facts", "facts")
    text = str(rows_of(facts_store.terminal.folder / "facts", "SELECT * FROM orders"))
    canaries = {row[name] for row in buyers() for name in ("email", "ip", "device", "agent") if row[name]}
    assert [value for value in canaries if value in text] == []
    assert "example" not in text
    ((hashes,),) = rows_of(
        facts_store.terminal.folder / "facts", "SELECT count(email_hash) + count(ip_hash) FROM orders"
    )
    assert hashes == 0


def test_a_hash_is_the_same_for_the_same_person_and_hides_the_value(facts_store: ImportedStore) -> None:
    fill(facts_store)
    answer(facts_store, "export", "facts", "facts", "--personal", "hashed")
    folder = facts_store.terminal.folder / "facts"
    canaries = {row[name] for row in buyers() for name in ("email", "ip", "device", "agent") if row[name]}
    assert [value for value in canaries if value in str(rows_of(folder, "SELECT * FROM orders"))] == []
    counts = "count(DISTINCT email_hash), count(DISTINCT ip_hash), count(DISTINCT device_hash)"
    ((emails, ips, devices),) = rows_of(folder, f"SELECT {counts} FROM orders")
    assert emails == len({row["email"] for row in buyers()})
    assert (ips, devices) == tuple(len({row[name] for row in buyers()}) for name in ("ip", "device"))


def test_what_a_folder_does_not_know_is_said(facts_store: ImportedStore) -> None:
    fill(facts_store)
    answer(facts_store, "export", "facts", "facts")
    (facts_store.terminal.folder / "s.json").write_text('{"fraud_whitelisted_emails": ["p1@mail1.example"]}')
    report = answer(facts_store, "fraud", "backtest", "facts", "--settings", "s.json")
    sentence = "The folder has no personal data, so these settings have no effect: the trusted e-mail and IP addresses."
    assert report["list_warnings"] == [sentence]
