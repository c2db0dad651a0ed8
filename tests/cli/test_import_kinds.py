"""`lootkeep import products`, `gift-cards` and `subscriptions`: what goes in, and that a file can be run again."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from lootkeep.deps import Deps
from lootkeep.kernel.clock import DAY, Instant, SystemClock, iso
from lootkeep.services import gift_cards as gift_cards_service, subscriptions as subscriptions_service
from lootkeep.storage.engine.database import Engine
from lootkeep.storage.schema import (
    coupons,
    events,
    gift_card_entries,
    gift_cards,
    mails,
    orders,
    products,
    subscriptions,
)
from tests.cli.import_store import CUSTOMER, ImportedStore, csv_text, ndjson, settings_for
from tests.cli.terminal import Terminal

NOW = SystemClock().now()
VIP = {"sku": "VIP", "customer_email": "ada@a.example", "created_at": "2024-01-31T10:00:00Z", "price": "4.99"}
CARD = {"code": "ABCD-EFGH-2345", "initial_balance": "50.00", "balance": "12.50", "created_at": "2024-01-02"}


@pytest.fixture
def store(db: Engine, db_location: Path | str, terminal: Terminal) -> ImportedStore:
    return ImportedStore(terminal, settings_for(db_location))


@pytest.fixture
def shop(store: ImportedStore) -> ImportedStore:
    """With Ada and a rank that is paid every month."""
    store.product("VIP", billing_type="recurring", billing_interval="month", billing_interval_count=1)
    store.run("customers", csv_text([CUSTOMER]))
    return store


def test_products_are_imported_without_events_and_matched_by_sku(store: ImportedStore) -> None:
    rows = [
        {
            "name": "Sword",
            "sku": "S-1",
            "price": "19.99",
            "compare_at_price": "24.99",
            "stock": "5",
            "tags": "rare, old",
        },
        {"name": "Rank", "sku": "R-1", "price": "5", "billing_type": "recurring", "billing_interval": "Month"}
        | {"billing_interval_count": "1", "currency": "eur", "status": "ARCHIVED", "metadata": '{"level": 4}'},
        {"name": "Free", "price": "0"},
    ]
    outcome = store.run("products", csv_text(rows))
    assert outcome.out.startswith("3 products imported, 0 skipped, 0 rejected, in ")
    assert outcome.err == "1 product has no sku: importing the same file again would create duplicates.\n"
    sword, rank, _ = store.rows(products)
    assert (sword["price"], sword["compare_at_price"], sword["stock"]) == (19_99, 24_99, 5)
    assert (sword["tags"], sword["currency"], sword["slug"]) == ('["rare","old"]', "USD", "sword")
    assert (rank["billing_interval"], rank["currency"], rank["status"]) == ("month", "EUR", "archived")
    assert store.rows(events) == []
    assert store.tally("products", csv_text(rows[:2])) == (0, 2, 0)
    assert store.wrong_totals() == {}


def test_a_stock_below_zero_is_rejected_as_such(store: ImportedStore) -> None:
    content = csv_text([{"sku": "SWORD", "name": "Sword", "price": "1.00", "stock": "-1"}])
    assert store.reason("products", content) == "Line 2: The stock field must be at least 0."


def test_a_bad_product_is_rejected_with_its_reasons(store: ImportedStore) -> None:
    row = {"name": "Sword", "price": "5.00", "compare_at_price": "4.00"}
    assert store.reason("products", csv_text([row])) == (
        "Line 2: The compare at price field must be greater than the price."
    )
    assert store.run("products", "sku\n").sentence == "The file lacks a column named name and one named price."


def test_coupons_are_imported_once_and_a_dry_run_writes_nothing(shop: ImportedStore) -> None:
    rows = [
        {"code": "spring 10", "discount_type": "Percentage", "discount_value": "10", "product_ids": "1"}
        | {"categories": "ranks, keys", "max_uses": "50", "ends_at": "2030-01-01", "is_active": "yes"},
        {"code": "FIVE-OFF", "discount_type": "fixed", "discount_value": "5.00", "max_uses_per_customer": "2"},
    ]
    assert shop.run("coupons", csv_text(rows), "--dry-run").code == 0
    assert shop.rows(coupons) == []
    assert shop.tally("coupons", csv_text(rows)) == (2, 0, 0)
    spring, five = shop.rows(coupons)
    assert (spring["code"], spring["value"], spring["max_uses"]) == ("SPRING10", 10_00, 50)
    assert (spring["product_ids"], spring["categories"]) == ("[1]", '["ranks","keys"]')
    assert (five["value"], five["currency"], five["max_uses_per_customer"], five["origin"]) == (5_00, "USD", 2, "owner")
    assert shop.tally("coupons", csv_text(rows)) == (0, 2, 0)
    bad = {"code": "BAD-ONE", "discount_type": "fixed", "discount_value": "5.00", "product_ids": "77"}
    assert shop.reason("coupons", csv_text([bad])).startswith("Line 2: The product_ids.0 field is not a product")


def test_gift_cards_are_imported_with_their_balance_and_without_emails(shop: ImportedStore) -> None:
    rows = [
        CARD | {"recipient_email": "ben@b.example", "customer_email": "ada@a.example"},
        {"code": "USEDUPCARD", "initial_balance": "10.00", "balance": "0"},
        {"code": "EXPIREDCARD", "initial_balance": "10.00", "expires_at": "2024-06-01"},
        {"code": "ONLYBALANCE", "balance": "7.00"},
    ]
    assert shop.tally("gift-cards", csv_text(rows)) == (4, 0, 0)
    cards = shop.rows(gift_cards)
    assert [(card["initial_balance"], card["balance"], card["stored_status"]) for card in cards] == [
        (50_00, 12_50, "active"),
        (10_00, 0, "redeemed"),
        (10_00, 10_00, "expired"),
        (7_00, 7_00, "active"),
    ]
    assert (cards[0]["customer_id"], cards[0]["created_at"]) == (1, 1_704_153_600_000_000)
    assert [entry["amount"] for entry in shop.rows(gift_card_entries)] == [50_00, -37_50, 10_00, -10_00, 10_00, 7_00]
    shop.within(gift_cards_service.settle)
    assert shop.rows(mails) == []
    assert shop.tally("gift-cards", csv_text([CARD | {"code": "abcdefgh2345"}, *rows[1:]])) == (0, 4, 0)
    assert shop.wrong_totals() == {}


@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        ({"code": "short"}, "The code field must have 8 to 64 letters and digits, with single hyphens between them at"),
        ({"code": ""}, "The code field is required."),
        ({"balance": "50.01"}, "The balance field must be 0 to 50.00, the initial balance."),
        ({"initial_balance": "", "balance": "0"}, "The initial balance field is required, or a balance above 0."),
        ({"customer_email": "x@x.example"}, "The customer email field is not a customer of this store."),
        ({"customer_id": "99"}, "The customer id field is not a customer of this store."),
        ({"created_at": "2999-01-01"}, "The created at field must not be in the future."),
    ],
)
def test_a_bad_gift_card_is_rejected(store: ImportedStore, fields: dict[str, str], sentence: str) -> None:
    assert store.reason("gift-cards", csv_text([CARD | fields])).startswith(f"Line 2: {sentence}")
    assert store.rows(gift_cards) == []


def test_imported_subscriptions_continue_their_current_period(shop: ImportedStore) -> None:
    before = shop.rows(events)
    rows = [VIP, VIP | {"created_at": "2023-12-31T10:00:00Z", "current_period_end": "2024-02-29T10:00:00Z"}]
    assert shop.tally("subscriptions", csv_text(rows)) == (2, 0, 0)
    current, overdue = shop.rows(subscriptions)
    assert (current["price"], current["interval"], current["latest_order_id"]) == (4_99, "month", None)
    assert current["current_period_start"] <= NOW < current["current_period_end"]
    assert overdue["renewals_count"] == 1
    assert (shop.rows(events), shop.rows(orders)) == (before, [])
    assert shop.tally("subscriptions", csv_text(rows)) == (0, 2, 0)

    async def renew(deps: Deps) -> Any:
        return await subscriptions_service.renew(deps, overdue["id"])

    renewed, details = shop.within(renew)
    assert iso(renewed.current_period_end) == "2024-03-31T10:00:00Z"
    assert (renewed.current_period_start, details.order.total) == (overdue["current_period_end"], 4_99)
    assert shop.wrong_totals() == {}


def test_ended_subscriptions_are_imported_as_they_are(shop: ImportedStore) -> None:
    later = iso(Instant(NOW - DAY))
    rows = [
        VIP | {"status": "cancelled", "cancelled_at": "2024-03-05T00:00:00Z", "cancel_reason": "plays no more"},
        VIP | {"created_at": "2024-02-01", "status": "expired", "cancelled_at": "2024-02-10"},
        VIP | {"created_at": "2024-03-01", "cancelled_at": later},
        VIP | {"created_at": "2024-04-01", "interval": "year", "current_period_end": "2025-04-01", "currency": "EUR"},
    ]
    assert shop.tally("subscriptions", csv_text(rows)) == (4, 0, 0)
    cancelled, expired, ending, overdue = shop.rows(subscriptions)
    assert (cancelled["status"], cancelled["ends_at"]) == ("cancelled", cancelled["cancelled_at"])
    assert (expired["status"], expired["ends_at"]) == ("expired", expired["current_period_end"])
    assert (ending["status"], bool(ending["cancel_at_period_end"])) == ("active", True)
    assert (overdue["status"], overdue["interval"], overdue["currency"]) == ("active", "year", "EUR")


@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        ({"sku": "BOW"}, "The sku field is not a product of this store."),
        ({"sku": "SWORD"}, "The product id field is not a product with recurring billing."),
        ({"sku": ""}, "The product id field is required, or a sku."),
        ({"status": "cancelled"}, "The cancelled at field is required unless the subscription is active."),
        ({"cancelled_at": "2023-01-01"}, "The cancelled at field must be after created at and not in the future."),
        ({"created_at": "2999-01-01"}, "The created at field must not be in the future."),
        ({"price": "", "currency": "EUR"}, "The price field is required: the product is sold in USD now."),
        (
            {"current_period_end": "2024-03-15"},
            "The current period end field must be a whole number of periods after created at, "
            "such as 2024-03-31T10:00:00Z.",
        ),
    ],
)
def test_a_bad_subscription_is_rejected(shop: ImportedStore, fields: dict[str, str], sentence: str) -> None:
    shop.product("SWORD")
    assert shop.reason("subscriptions", csv_text([VIP | fields])) == f"Line 2: {sentence}"


def test_json_lines_import_all_kinds(shop: ImportedStore) -> None:
    assert (
        shop.tally("products", ndjson([{"name": "S", "sku": "S", "price": 5, "tags": ["a"]}]), name="p.ndjson")[0] == 1
    )
    assert shop.tally("gift-cards", ndjson([CARD]), name="g.ndjson")[0] == 1
    assert shop.tally("subscriptions", ndjson([VIP]), name="s.ndjson")[0] == 1
