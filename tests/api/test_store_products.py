"""The catalogue over HTTP: every field and its limits."""

from __future__ import annotations

from typing import Any

import pytest

from tests.api.store_products import MONTHLY, PRODUCTS, SWORD, change, make
from tests.world import World

NOT_MONEY = "must be a number with at most two decimals."
NOT_DELIVERED = "The delivery type field must be one of: keys, file, command, manual, gift_card."
NOT_A_URL = "The image url field must be an http or https URL."
NOT_FLAT = "The metadata field must contain only strings, numbers, booleans and nulls."
BIG_KEY = "The metadata field must have keys of 1 to 64 characters."


async def test_a_created_product_is_returned_with_every_field(world: World) -> None:
    answer = await world.post(PRODUCTS, SWORD)
    assert answer.status_code == 201
    assert answer.json() == {
        "success": True,
        "message": "Product created successfully",
        "data": {
            "id": 1,
            "name": "Dragon Sword",
            "slug": "dragon-sword",
            "sku": None,
            "description": None,
            "delivery_type": "manual",
            "billing_type": "one_time",
            "billing_interval": None,
            "billing_interval_count": None,
            "status": "active",
            "price": "19.99",
            "compare_at_price": None,
            "currency": "USD",
            "stock": None,
            "stock_status": "unlimited",
            "max_per_order": None,
            "category": None,
            "tags": [],
            "image_url": None,
            "file_url": None,
            "valid_days": None,
            "keys_available": None,
            "commands": [],
            "sales_count": 0,
            "metadata": {},
            "created_at": "2026-11-15T12:00:00Z",
            "updated_at": "2026-11-15T12:00:00Z",
        },
    }


EVERYTHING = {
    "sku": "SWORD-01",
    "description": "",
    "delivery_type": "file",
    "file_url": "https://files.example.com/sword.zip",
    "status": "draft",
    "price": "0.00",
    "compare_at_price": "0.01",
    "currency": "EUR",
    "stock": 5,
    "max_per_order": 1,
    "category": "Weapons",
    "tags": ["rare", "Rare", "two words"],
    "image_url": "https://cdn.example.com/sword.png?size=1",
    "metadata": {"text": "ü", "whole": 7, "part": 1.5, "yes": True, "nothing": None},
    **MONTHLY,
}


async def test_every_field_is_returned_as_it_was_sent(world: World) -> None:
    product = await make(world, **EVERYTHING)
    assert product | EVERYTHING == product
    assert product["stock_status"] == "low_stock"


async def test_an_answer_can_be_sent_back_unchanged(world: World) -> None:
    product = await make(world, **EVERYTHING)
    assert await change(world, product, **product) == product


async def test_metadata_keeps_every_digit(world: World) -> None:
    content = b'{"name": "Sword", "price": 1, "metadata": {"a": 1.10, "b": 12345678901234567890.5}}'
    answer = await world.post(PRODUCTS, content=content, headers={"Content-Type": "application/json"})
    assert b'"metadata":{"a":1.10,"b":12345678901234567890.5}' in answer.content


@pytest.mark.parametrize(
    ("field", "value", "sentence"),
    [
        ("name", None, "The name field must be a string."),
        ("name", "", "The name field must not be empty."),
        ("name", "  ", "The name field must not be blank."),
        ("name", "x" * 256, "The name field must not be greater than 255 characters."),
        ("sku", "", "The sku field must not be empty."),
        ("sku", " ", "The sku field must not be blank."),
        ("sku", "x" * 65, "The sku field must not be greater than 64 characters."),
        ("description", "x" * 20_001, "The description field must not be greater than 20000 characters."),
        ("delivery_type", "mail", NOT_DELIVERED),
        ("delivery_type", None, NOT_DELIVERED),
        ("billing_type", "weekly", "The billing type field must be one of: one_time, recurring."),
        ("billing_interval", "hour", "The billing interval field must be one of: day, week, month, year."),
        ("billing_interval", "day", "The billing interval field must be null for one-time billing."),
        ("billing_interval_count", 0, "The billing interval count field must be at least 1."),
        ("billing_interval_count", 366, "The billing interval count field must not be greater than 365."),
        ("billing_interval_count", "1", "The billing interval count field must be an integer."),
        ("status", "deleted", "The status field must be one of: draft, active, archived."),
        ("price", None, f"The price field {NOT_MONEY}"),
        ("price", -0.01, "The price field must be at least 0."),
        ("price", 1_000_000, "The price field must not be greater than 999999.99."),
        ("price", 1.999, f"The price field {NOT_MONEY}"),
        ("price", True, f"The price field {NOT_MONEY}"),
        ("compare_at_price", "19.99", "The compare at price field must be greater than the price."),
        ("compare_at_price", "much", f"The compare at price field {NOT_MONEY}"),
        ("currency", "ZZZ", "The currency field must be an ISO 4217 currency code."),
        ("currency", 5, "The currency field must be a string."),
        ("stock", -1, "The stock field must be at least 0."),
        ("stock", 2**31, "The stock field must not be greater than 2147483647."),
        ("stock", 1.5, "The stock field must be an integer."),
        ("stock", True, "The stock field must be an integer."),
        ("max_per_order", 0, "The max per order field must be at least 1."),
        ("category", "", "The category field must not be empty."),
        ("category", "x" * 256, "The category field must not be greater than 255 characters."),
        ("tags", None, "The tags field must be a list."),
        ("tags", "rare", "The tags field must be a list."),
        ("tags", [str(i) for i in range(21)], "The tags field must not have more than 20 entries."),
        ("tags", ["rare", "melee", "rare"], "The tags field must not contain the same entry twice."),
        ("image_url", "/sword.png", NOT_A_URL),
        ("image_url", "javascript:alert(1)", NOT_A_URL),
        ("image_url", "ftp://example.com/a", NOT_A_URL),
        ("image_url", "https://", NOT_A_URL),
        ("image_url", "https://[::1", NOT_A_URL),
        ("image_url", "https://example.com:99999/", NOT_A_URL),
        ("image_url", "https://example.com/a b", NOT_A_URL),
        ("image_url", "https://example.com/\n", NOT_A_URL),
        (
            "image_url",
            "https://example.com/" + "x" * 2029,
            "The image url field must not be greater than 2048 characters.",
        ),
        ("metadata", None, "The metadata field must be an object."),
        ("metadata", [], "The metadata field must be an object."),
        ("metadata", {str(i): i for i in range(51)}, "The metadata field must not have more than 50 keys."),
        ("metadata", {"x" * 65: 1}, BIG_KEY),
        ("metadata", {"": 1}, BIG_KEY),
        ("metadata", {"a": []}, NOT_FLAT),
        ("metadata", {"a": {"b": 1}}, NOT_FLAT),
        ("metadata", {"a": "x" * 16_384}, "The metadata field must not be larger than 16 KB."),
    ],
)
@pytest.mark.parametrize("method", ["POST", "PUT"])
async def test_a_bad_field_is_rejected_with_a_message(
    shared_world: World, method: str, field: str, value: Any, sentence: str
) -> None:
    product = await make(shared_world)
    if method == "POST":
        answer = await shared_world.post(PRODUCTS, SWORD | {field: value})
    else:
        answer = await shared_world.put(f"{PRODUCTS}/{product['id']}", {field: value})
    assert answer.status_code == 422
    assert answer.json() == {
        "success": False,
        "error": "Validation Error",
        "code": "validation_failed",
        "message": "The given data was invalid.",
        "errors": {field: [sentence]},
    }


async def test_metadata_rejects_numbers_that_are_too_large(world: World) -> None:
    content = b'{"name": "Sword", "price": 1, "metadata": {"a": 1e400}}'
    answer = await world.post(PRODUCTS, content=content, headers={"Content-Type": "application/json"})
    assert answer.json()["errors"] == {"metadata": [NOT_FLAT]}


@pytest.mark.parametrize(
    ("tag", "predicate"), [("", "must not be empty"), (" ", "must not be blank"), (5, "must be a string")]
)
async def test_a_bad_tag_is_named_by_its_index(world: World, tag: Any, predicate: str) -> None:
    answer = await world.post(PRODUCTS, SWORD | {"tags": ["rare", tag]})
    assert answer.json()["errors"] == {"tags.1": [f"The tags.1 field {predicate}."]}


@pytest.mark.parametrize(
    "fields",
    [
        {"name": "x" * 255, "sku": "x" * 64, "description": "x" * 20_000, "category": "x" * 255},
        {"price": 0, "stock": 0, "max_per_order": 1},
        {"price": 999_999.99, "stock": 2**31 - 1},
        {"compare_at_price": 20},
        {"tags": ["x" * 64, *(str(i) for i in range(19))]},
        {"metadata": {"x" * 64: 0, **{str(i): i for i in range(49)}}},
        {"metadata": {"a": "x" * (16_384 - len('{"a":""}'))}},
        {"image_url": "http://example.com/" + "x" * 2029},
        MONTHLY | {"billing_interval": "year", "billing_interval_count": 365},
    ],
)
async def test_the_limits_themselves_are_accepted(world: World, fields: dict[str, Any]) -> None:
    await make(world, **fields)


async def test_every_missing_field_is_named_at_once(world: World) -> None:
    answer = await world.post(PRODUCTS, {})
    assert answer.json()["errors"] == {
        "name": ["The name field is required."],
        "price": ["The price field is required."],
    }


async def test_recurring_billing_without_its_period_names_both_fields(shared_world: World) -> None:
    answer = await shared_world.post(PRODUCTS, SWORD | {"billing_type": "recurring"})
    assert answer.status_code == 422
    assert list(answer.json()["errors"]) == ["billing_interval", "billing_interval_count"]


async def test_changing_to_one_time_billing_drops_the_period(world: World) -> None:
    product = await make(world, **MONTHLY)
    changed = await change(world, product, billing_type="one_time")
    assert (changed["billing_interval"], changed["billing_interval_count"]) == (None, None)


async def test_an_update_changes_only_what_was_sent(world: World) -> None:
    product = await make(world, **EVERYTHING)
    world.clock.advance(60_000_000)
    answer = await world.put(f"{PRODUCTS}/{product['id']}", {"name": "Axe", "stock": None})
    assert answer.status_code == 200
    assert answer.json() == {
        "success": True,
        "message": "Product updated successfully",
        "data": product
        | {"name": "Axe", "stock": None, "stock_status": "unlimited", "updated_at": "2026-11-15T12:01:00Z"},
    }


async def test_a_null_currency_is_the_stores_currency(world: World) -> None:
    product = await make(world, currency="eur")
    assert product["currency"] == "EUR"
    assert (await change(world, product, currency=None))["currency"] == "USD"


async def test_the_slug_is_numbered_when_taken_and_stays_when_the_name_changes(world: World) -> None:
    await make(world)
    second = await make(world)
    assert second["slug"] == "dragon-sword-2"
    assert (await change(world, second, name="Axe"))["slug"] == "dragon-sword-2"


async def test_a_sku_of_another_product_is_rejected(world: World) -> None:
    await make(world, sku="S-1")
    other_product = await make(world)
    created = await world.post(PRODUCTS, SWORD | {"sku": "S-1"})
    changed = await world.put(f"{PRODUCTS}/{other_product['id']}", {"sku": "S-1"})
    for answer in (created, changed):
        assert answer.json()["errors"] == {"sku": ["The sku field has already been taken."]}


async def test_creating_twice_with_one_idempotency_key_makes_one_product(world: World) -> None:
    headers = {"Idempotency-Key": "one"}
    first = await world.post(PRODUCTS, SWORD, headers=headers)
    second = await world.post(PRODUCTS, SWORD, headers=headers)
    assert second.headers["Idempotent-Replayed"] == "true"
    assert first.json() == second.json()


@pytest.mark.parametrize("method", ["PUT", "DELETE"])
@pytest.mark.parametrize("product_id", ["7", "0", "9223372036854775807"])
async def test_an_unknown_product_is_not_found(world: World, method: str, product_id: str) -> None:
    answer = await world.call(method, f"{PRODUCTS}/{product_id}", {} if method == "PUT" else None)
    assert answer.status_code == 404
    assert answer.json() == {
        "success": False,
        "error": "Not Found",
        "code": "not_found",
        "message": "Product not found.",
    }


@pytest.mark.parametrize(("method", "path"), [("POST", ""), ("PUT", "/1"), ("DELETE", "/1")])
async def test_every_call_needs_the_store_scope(shared_world: World, method: str, path: str) -> None:
    token = await shared_world.new_token("products:read", "store:read")
    answer = await shared_world.call(method, PRODUCTS + path, SWORD, token=token)
    assert answer.status_code == 403
    assert "store:write" in answer.json()["message"]
