"""The rules of products: billing, prices, stock and slugs."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from lootkeep.domain import products as products_rules
from lootkeep.domain.products import PLAIN, Product
from lootkeep.kernel.clock import Instant
from lootkeep.kernel.errors import InvalidFields
from lootkeep.kernel.money import Hundredths

SWORD = Product(
    **msgspec.structs.asdict(PLAIN) | {"name": "Sword", "price": Hundredths(19_99)},
    id=1,
    slug="sword",
    sales_count=0,
    created_at=Instant(0),
    updated_at=Instant(0),
    deleted_at=None,
)
MONTHLY = msgspec.structs.replace(SWORD, billing_type="recurring", billing_interval="month", billing_interval_count=1)


def faults(product: Product, **changes: Any) -> dict[str, list[str]]:
    with pytest.raises(InvalidFields) as rejection:
        products_rules.changed(product, changes)
    assert rejection.value.fields is not None
    return {name: list(sentences) for name, sentences in rejection.value.fields.items()}


def test_recurring_billing_needs_an_interval_and_a_count() -> None:
    assert faults(SWORD, billing_type="recurring") == {
        "billing_interval": ["The billing interval field is required for recurring billing."],
        "billing_interval_count": ["The billing interval count field is required for recurring billing."],
    }
    assert list(faults(SWORD, billing_type="recurring", billing_interval="year")) == ["billing_interval_count"]
    assert list(faults(MONTHLY, billing_interval=None)) == ["billing_interval"]


def test_one_time_billing_has_neither() -> None:
    assert faults(SWORD, billing_interval="month", billing_interval_count=1) == {
        "billing_interval": ["The billing interval field must be null for one-time billing."],
        "billing_interval_count": ["The billing interval count field must be null for one-time billing."],
    }
    assert list(faults(MONTHLY, billing_type="one_time", billing_interval="month")) == ["billing_interval"]


def test_changing_to_one_time_billing_drops_the_period() -> None:
    assert products_rules.changed(MONTHLY, {"billing_type": "one_time"}) == SWORD


def test_a_change_of_the_interval_alone_keeps_the_count() -> None:
    changed = products_rules.changed(MONTHLY, {"billing_interval": "week"})
    assert (changed.billing_interval, changed.billing_interval_count) == ("week", 1)


@pytest.mark.parametrize("compare_at_price", [0, -1, 19_98, 19_99])
def test_the_compare_at_price_must_be_above_the_price(compare_at_price: int) -> None:
    sentence = "The compare at price field must be greater than the price."
    assert faults(SWORD, compare_at_price=compare_at_price) == {"compare_at_price": [sentence]}


def test_a_raised_price_is_checked_against_the_existing_compare_at_price() -> None:
    on_sale = products_rules.changed(SWORD, {"compare_at_price": Hundredths(20_00)})
    assert list(faults(on_sale, price=Hundredths(20_00))) == ["compare_at_price"]


def test_every_error_is_reported_at_once() -> None:
    names = set(faults(SWORD, billing_type="recurring", compare_at_price=Hundredths(1)))
    assert names == {"billing_interval", "billing_interval_count", "compare_at_price"}


@pytest.mark.parametrize(
    ("stock", "status"),
    [
        (None, "unlimited"),
        (0, "out_of_stock"),
        (1, "low_stock"),
        (5, "low_stock"),
        (6, "in_stock"),
        (2**31 - 1, "in_stock"),
    ],
)
def test_the_stock_is_summarised_as_a_label(stock: int | None, status: str) -> None:
    assert products_rules.stock_status(stock) == status


@pytest.mark.parametrize(
    ("name", "slug"),
    [
        ("Dragon Sword", "dragon-sword"),
        ("  Épée d'Or!  ", "epee-d-or"),
        ("STRASSE und Straße", "strasse-und-strasse"),
        ("İstanbul Pass", "istanbul-pass"),
        ("ﬁre ™ ½", "fire-tm-1-2"),
        ("100% -- VIP__Rank", "100-vip-rank"),
        ("Ａｂｃ", "abc"),
        ("剣", "product"),
        ("🗡️ ✨", "product"),
        ("---", "product"),
        ("x" * 255, "x" * 80),
        ("x" * 79 + " y", "x" * 79),
    ],
)
def test_a_slug_consists_of_plain_letters_digits_and_single_dashes(name: str, slug: str) -> None:
    assert products_rules.slug_of(name) == slug


def test_further_slugs_are_numbered_from_two() -> None:
    assert products_rules.slug_after("sword", ["sword"]) == "sword-2"
    assert products_rules.slug_after("sword", ["sword", "sword-2", "sword-3"]) == "sword-4"


def test_a_numbered_slug_is_not_longer_than_others() -> None:
    slug = "x" * 77 + "-yz"
    assert products_rules.slug_after(slug, []) == "x" * 77 + "-2"
    taken = ["x" * 77 + f"-{number}" for number in range(2, 10)]
    assert products_rules.slug_after(slug, taken) == "x" * 77 + "-10"


def test_changed_fields_are_named_in_order_without_automatic_ones() -> None:
    after = msgspec.structs.replace(
        SWORD, price=Hundredths(1), name="Axe", metadata='{"a":1}', sales_count=7, updated_at=Instant(9)
    )
    assert products_rules.changed_fields(SWORD, after) == ["metadata", "name", "price"]
    assert products_rules.changed_fields(SWORD, SWORD) == []


def test_the_search_sees_name_and_sku_case_folded() -> None:
    assert SWORD.search_text == "sword\n"
    assert msgspec.structs.replace(SWORD, name="Straße", sku="ST-1").search_text == "strasse\nst-1"
