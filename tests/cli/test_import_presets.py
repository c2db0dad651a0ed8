"""Exports of known shops, with their own headings: the samples are ours, the columns are theirs."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from lootkeep.storage.engine.database import Engine
from lootkeep.storage.schema import customers, order_items, orders, products
from tests.cli.import_store import CUSTOMER, ImportedStore, csv_text, settings_for
from tests.cli.terminal import Terminal

SHOPIFY_ORDERS = """\
Name,Email,Financial Status,Paid at,Fulfilled at,Currency,Subtotal,Shipping,Taxes,Total,Discount Amount,Created at,\
Lineitem quantity,Lineitem name,Lineitem price,Lineitem sku,Billing Country,Cancelled at,Payment Method,\
Refunded Amount,Outstanding Balance,Lineitem discount,Notes
#1001,ada@a.example,paid,2024-02-01 12:00:00 +0200,2024-02-02 12:00:00 +0200,USD,21.00,0.00,0.00,21.00,2.00,\
2024-02-01 11:59:00 +0200,2,Sword,9.00,SWORD,DE,,PayPal,0.00,0.00,0.00,gift
#1001,ada@a.example,,,,,,,,,,2024-02-01 11:59:00 +0200,1,Shield,5.00,SHIELD,,,,,,0.00,
#1002,ada@a.example,partially_refunded,2024-03-01 12:00:00 +0200,,USD,9.00,0.00,0.00,9.00,0.00,\
2024-03-01 11:59:00 +0200,1,Sword,9.00,SWORD,DE,,PayPal,4.00,0.00,0.00,
#1003,ada@a.example,refunded,2024-03-02 12:00:00 +0200,,USD,9.00,0.00,0.00,9.00,0.00,\
2024-03-02 11:59:00 +0200,1,Sword,9.00,SWORD,DE,2024-03-03 12:00:00 +0200,PayPal,9.00,0.00,0.00,
#1004,ada@a.example,expired,,,USD,9.00,0.00,0.00,9.00,0.00,\
2024-03-04 11:59:00 +0200,1,Sword,9.00,SWORD,DE,2024-03-05 12:00:00 +0200,PayPal,0.00,0.00,0.00,
#1005,ada@a.example,paid,2024-03-06 12:00:00 +0200,,EUR,9.00,0.00,0.00,12.00,0.00,\
2024-03-06 11:59:00 +0200,1,Sword,9.00,SWORD,DE,,PayPal,0.00,0.00,0.00,
"""
# The second is given back with its taxes, the third in part, the fourth with all but the shipping.
SHOPIFY_TAXED_ORDERS = """\
Name,Email,Financial Status,Paid at,Currency,Subtotal,Shipping,Taxes,Total,Discount Amount,Shipping Method,Created at,\
Lineitem quantity,Lineitem name,Lineitem price,Lineitem sku,Shipping Zip,Shipping Phone,Refunded Amount,Tax 1 Name,\
Tax 1 Value
#1,ada@a.example,paid,2024-02-01 12:00:00 +0200,USD,21.00,4.90,3.35,29.25,2.00,Standard,2024-02-01 11:59:00 +0200,\
2,Sword,9.00,SWORD,10115,49301234,0.00,VAT 19%,3.35
#1,ada@a.example,,,,,,,,,,2024-02-01 11:59:00 +0200,1,Shield,5.00,SHIELD,,,,,
#2,ada@a.example,refunded,2024-02-01 12:00:00 +0200,USD,9.00,4.90,1.44,15.34,0.00,Standard,2024-02-01 11:59:00 +0200,\
1,Sword,9.00,SWORD,10115,49301234,15.34,VAT 19%,1.44
#3,ada@a.example,partially_refunded,2024-02-01 12:00:00 +0200,USD,9.00,4.90,1.44,15.34,0.00,Standard,\
2024-02-01 11:59:00 +0200,1,Sword,9.00,SWORD,10115,49301234,4.00,VAT 19%,1.44
#4,ada@a.example,partially_refunded,2024-02-01 12:00:00 +0200,USD,9.00,4.90,1.44,15.34,0.00,Standard,\
2024-02-01 11:59:00 +0200,1,Sword,9.00,SWORD,10115,49301234,10.44,VAT 19%,1.44
"""
SHOPIFY_CUSTOMERS = """\
Customer ID,First Name,Last Name,Email,Accepts Email Marketing,Default Address Country Code,Total Spent,Total Orders,\
Tags
'71234,Ben,Bold,ben@b.example,yes,KR,120.00,4,vip
'71235,,,cara@c.example,no,,0.00,0,
"""
SHOPIFY_NEW_PRODUCTS = """\
Title,URL handle,Description,Status,SKU,Option1 name,Option1 value,Option2 name,Option2 value,Price,Compare-at price,\
Cost per item,Inventory tracker,Inventory quantity,Continue selling when out of stock,Product image URL
Helmet,helmet,<p>Warm</p>,Active,HELM-R,Size,Small,Colour,Red,12.00,15.00,,shopify,5,DENY,https://a.example/1.png
,helmet,,,HELM-B,,Small,,Blue,12.00,,,shopify,-3,DENY,
,helmet,,,,,,,,,,,,,,https://a.example/2.png
Map,map,,Active,'007,Title,Default Title,,,3.00,,,shopify,-1,CONTINUE,
"""
SHOPIFY_PRODUCTS = """\
Handle,Title,Body (HTML),Type,Tags,Option1 Value,Variant SKU,Variant Inventory Tracker,Variant Inventory Qty,\
Variant Price,Variant Compare At Price,Image Src,Status
helmet,Helmet,<p>Keeps &amp; protects</p>,Armour,"rare, iron",\
Small,HELMET-S,shopify,5,12.00,15.00,https://a.example/1.png,active
helmet,,,,,Large,HELMET-L,,0,14.00,,,
helmet,,,,,,,,,,,https://a.example/2.png,
map,Map,,,,Default Title,MAP,,,3.00,,,draft
"""
WOOCOMMERCE_PRODUCTS = """\
ID,Type,SKU,Name,Published,Short description,Description,Low stock amount,Stock,Backorders allowed?,Sale price,\
Regular price,Categories,Tags,Images
1,"simple, virtual",BOW,Bow,1,Short,<b>Long</b>,2,-7,1,8.00,10.00,"Weapons > Bows, New","wood, old",\
https://a.example/b.png
2,variable,ROBE,Robe,1,,,,,0,,,Clothes,,
3,"variation, downloadable",ROBE-RED,Robe - Red,0,,,,-2,0,,20.00,Clothes,,
"""
WOOCOMMERCE_ORDERS = """\
order_id,order_number,date,paid_date,status,shipping_total,discount_total,order_total,refunded_total,order_currency,\
payment_method,customer_id,billing_email,billing_country,item_sku,item_quantity,item_subtotal,item_total
7,1007,2024-02-01 10:00:00,2024-02-01 10:01:00,completed,0.00,1.00,14.00,0.00,USD,stripe,55,ada@a.example,KR,\
SWORD,3,10.00,9.00
7,1007,2024-02-01 10:00:00,2024-02-01 10:01:00,completed,0.00,1.00,14.00,0.00,USD,stripe,55,ada@a.example,KR,\
SHIELD,1,5.00,5.00
8,1008,2024-02-02 10:00:00,,wc-failed,0.00,0.00,5.00,0.00,USD,stripe,55,ada@a.example,KR,\
SHIELD,1,5.00,5.00
9,1009,2024-02-03 10:00:00,,processing,0.00,0.00,5.00,2.00,USD,stripe,55,ada@a.example,KR,\
SHIELD,1,5.00,5.00
"""
TEBEX_PACKAGES = """\
id,category_id,order,server_ids,name,description,price,image_url
4711,3,1,"1,2",VIP,<p>A rank</p>,9.99,https://a.example/vip.png
"""


@pytest.fixture
def shop(db: Engine, db_location: Path | str, terminal: Terminal) -> ImportedStore:
    """With Ada, a sword and a shield."""
    store = ImportedStore(terminal, settings_for(db_location))
    store.product("SWORD")
    store.product("SHIELD")
    store.run("customers", csv_text([CUSTOMER]))
    return store


def test_shopify_orders_are_imported_with_all_their_lines(shop: ImportedStore) -> None:
    outcome = shop.run("orders", SHOPIFY_ORDERS, "--from", "shopify", "--errors", "bad.csv")
    assert outcome.out.startswith("4 orders imported, 0 skipped, 1 rejected, in ")
    assert outcome.err.splitlines() == [
        "Ignored columns: lineitem name, notes.",
        "Line 7: The total field differs from 9.00, the items minus the discount.",
    ]
    assert [(row["external_id"], row["status"], row["total"]) for row in shop.rows(orders)] == [
        ("#1001", "completed", 21_00),
        ("#1002", "partially_refunded", 9_00),
        ("#1003", "refunded", 9_00),
        ("#1004", "cancelled", 9_00),
    ]
    first = shop.rows(orders)[0]
    assert (first["discount_total"], first["billing_country"], first["payment_method"]) == (2_00, "DE", "PayPal")
    lines = [(line["sku"], line["quantity"], line["price"]) for line in shop.rows(order_items)[:2]]
    assert lines == [("SWORD", 2, 9_00), ("SHIELD", 1, 5_00)]
    assert shop.tally("orders", SHOPIFY_ORDERS, "--from", "shopify", "--ignore", "Total") == (1, 4, 0)
    assert shop.wrong_totals() == {}


def test_all_rows_of_a_rejected_order_are_written_and_can_be_imported_once_corrected(shop: ImportedStore) -> None:
    wrong = SHOPIFY_ORDERS.replace("Shield,5.00,SHIELD", "Shield,5.00,SHEILD").replace(
        "EUR,9.00,0.00,0.00,12", "EUR,9.00,0,0,9"
    )
    shop.run("orders", wrong, "--from", "shopify", "--errors", "bad.csv")
    bad = (shop.terminal.folder / "bad.csv").read_text()
    assert [line.partition(",")[0] for line in bad.splitlines()] == ["Name", "#1001", "#1001"]
    corrected = bad.replace("SHEILD", "SHIELD")
    assert shop.tally("orders", corrected, "--from", "shopify", name="again.csv") == (1, 0, 0)


def test_an_unreadable_line_rejects_its_whole_order(shop: ImportedStore) -> None:
    content = (
        "external_id,customer_email,created_at,status,item_sku,item_quantity,item_price\n"
        "o1,ada@a.example,2024-01-01,paid,SWORD,1,9.00\n"
        "o1,ada@a.example,2024-01-01,paid,SWORD,1\n"
        "o1,ada@a.example,2024-01-01,paid,SHIELD,1,5.00\n"
        "o2,ada@a.example,2024-01-01,paid,SHIELD,1,5.00\n"
    )
    outcome = shop.run("orders", content)
    assert outcome.err.splitlines() == [
        "Line 2: Another row of this order cannot be read.",
        "Line 3: The row has 6 cells, but the first line has 7 columns.",
    ]
    assert [row["external_id"] for row in shop.rows(orders)] == ["o2"]


def test_orders_with_taxes_and_shipping_are_imported_by_what_the_message_says(shop: ImportedStore) -> None:
    stopped = shop.run("orders", SHOPIFY_TAXED_ORDERS, "--from", "shopify").sentence
    assert shop.rows(orders) == []
    assert "lost: shipping (4 rows), taxes (4 rows)" in stopped
    (options,) = re.findall(r"Run it again with (--.*) to import", stopped)
    assert shop.tally("orders", SHOPIFY_TAXED_ORDERS, "--from", "shopify", *shlex.split(options)) == (4, 0, 0)
    assert [(row["status"], row["total"], row["refunded_total"]) for row in shop.rows(orders)] == [
        ("paid", 21_00, 0),
        ("refunded", 9_00, 9_00),
        ("partially_refunded", 9_00, 4_00),
        ("refunded", 9_00, 9_00),
    ]
    assert shop.wrong_totals() == {}


def test_shopify_customers_have_one_name(shop: ImportedStore) -> None:
    assert shop.tally("customers", SHOPIFY_CUSTOMERS, "--from", "shopify") == (2, 0, 0)
    _, ben, cara = shop.rows(customers)
    assert (ben["name"], ben["external_id"], ben["country"]) == ("Ben Bold", "71234", "KR")
    assert (bool(ben["accepts_marketing"]), cara["name"]) == (True, "cara")


def test_shopify_products_are_imported_with_the_headings_since_2025_and_all_options(shop: ImportedStore) -> None:
    assert shop.tally("products", SHOPIFY_NEW_PRODUCTS, "--from", "shopify") == (3, 0, 0)
    fields = ("name", "sku", "price", "compare_at_price", "stock", "status", "description", "image_url")
    assert [tuple(row[field] for field in fields) for row in shop.rows(products)[2:]] == [
        ("Helmet Small / Red", "HELM-R", 12_00, 15_00, 5, "active", "Warm", "https://a.example/1.png"),
        # More was sold than there was.
        ("Helmet Small / Blue", "HELM-B", 12_00, None, 0, "active", "Warm", "https://a.example/1.png"),
        # Shopify continues to sell it.
        ("Map", "007", 3_00, None, None, "active", None, None),
    ]


def test_every_shopify_variant_is_a_product(shop: ImportedStore) -> None:
    assert shop.tally("products", SHOPIFY_PRODUCTS, "--from", "shopify") == (3, 0, 0)
    small, large, chart = shop.rows(products)[2:]
    assert (small["name"], small["sku"], small["stock"]) == ("Helmet Small", "HELMET-S", 5)
    assert (small["description"], small["compare_at_price"]) == ("Keeps & protects", 15_00)
    assert (large["name"], large["price"], large["stock"], large["category"]) == ("Helmet Large", 14_00, None, "Armour")
    assert (chart["name"], chart["status"]) == ("Map", "draft")


def test_woocommerce_products_are_imported_without_the_parents_of_variations(shop: ImportedStore) -> None:
    assert shop.tally("products", WOOCOMMERCE_PRODUCTS, "--from", "woocommerce") == (2, 0, 0)
    bow, robe = shop.rows(products)[2:]
    assert (bow["price"], bow["compare_at_price"], bow["category"]) == (8_00, 10_00, "Weapons > Bows")
    assert (robe["name"], robe["status"], robe["delivery_type"]) == ("Robe - Red", "draft", "file")
    # The bow is sold without stock, of the robe more was sold than there was.
    assert (bow["stock"], robe["stock"]) == (None, 0)


def test_woocommerce_orders_are_imported_with_all_their_lines(shop: ImportedStore) -> None:
    assert shop.tally("orders", WOOCOMMERCE_ORDERS, "--from", "woocommerce") == (3, 0, 0)
    assert [(row["external_id"], row["status"], row["total"]) for row in shop.rows(orders)] == [
        ("1007", "completed", 14_00),
        ("1008", "cancelled", 5_00),
        ("1009", "partially_refunded", 5_00),
    ]
    lines = [(line["quantity"], line["price"]) for line in shop.rows(order_items)[:3]]
    assert lines == [(2, 3_33), (1, 3_34), (1, 5_00)]


def test_tebex_packages_are_products_and_tebex_payments_have_no_preset(shop: ImportedStore) -> None:
    assert shop.tally("products", TEBEX_PACKAGES, "--from", "tebex") == (1, 0, 0)
    vip = shop.rows(products)[-1]
    assert (vip["sku"], vip["name"], vip["price"], vip["description"]) == ("4711", "VIP", 9_99, "A rank")
    refused = shop.run("orders", "a,b\n", "--from", "tebex").sentence
    assert refused == "tebex has no preset for orders: map the columns with --map."
