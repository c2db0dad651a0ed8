"""Exports of lists: whole, with what people need of each row, in the store's zone, and in the audit log."""

from __future__ import annotations

import csv
import io
import re

from sqlalchemy import bindparam, insert, select

from lootkeep.console.exports import BATCH
from lootkeep.kernel.clock import Instant
from lootkeep.storage import audit as audit_db
from lootkeep.storage.engine.query import Query
from lootkeep.storage.schema import customers
from lootkeep.toolbox.demo_store import load as loading
from tests.builders import new_customer
from tests.console.visits import Visitor, visitor
from tests.world import World

# More than the rows of one statement that looks up related ones.
ORDERS = 200


async def _exported(visits: Visitor, path: str) -> list[dict[str, str]]:
    answer = await visits.get(path)
    assert answer.status_code == 200
    assert answer.content.startswith(b"\xef\xbb\xbf")
    return list(csv.DictReader(io.StringIO(answer.text.removeprefix("\ufeff"))))


async def test_every_row_of_the_filter_is_in_the_file_once(world: World) -> None:
    count = 2 * BATCH + 1
    await _add_customers(world, count)
    rows = await _exported(await visitor(world, "staff"), "/customers?country=DE&sort=name&format=csv")
    assert [row["E-mail"] for row in rows] == [f"c{number}@mail.example" for number in range(count)]


async def _add_customers(world: World, count: int) -> None:
    """As many as take several batches; others are of another country."""
    customer = (await new_customer(world, email="first@mail.example", country="FR"))["customer"]
    async with world.db.write() as tx:
        names = [column.name for column in customers.c if column.name != "id"]
        query = Query(select(*(customers.c[name] for name in names)).where(customers.c.id == bindparam("this")))
        (stored,) = await tx.all(query, this=customer["id"])
        adding = Query(insert(customers).values({name: bindparam(f"new_{name}") for name in names}))
        for number in range(count):
            own = {"email": f"c{number}@mail.example", "country": "DE", "referral_code": f"C{number}"}
            own |= {name: own["email"] for name in names if name in ("mailbox", "normalized_email")}
            values = dict(zip(names, stored, strict=True)) | own
            await tx.run(adding, **{f"new_{name}": values[name] for name in names})


async def test_an_order_has_its_ids_email_currency_items_payment_and_times_of_the_store(store: World) -> None:
    berlin = World(store.db, clock=store.clock, timezone="Europe/Berlin")
    (row,) = await _exported(await visitor(berlin, "staff"), "/orders?format=csv")
    expected = {
        "Id": "1",
        "Customer id": "1",
        "E-mail": "jun@park.example",
        "Items": "2 × VIP rank",
        "Currency": "USD",
        "Total": "40.00",
        "Order": "ORD-000001",
        "Placed (Europe/Berlin)": "2026-11-15 13:00:00",
        "Paid (Europe/Berlin)": "2026-11-15 13:00:00",
    }
    assert {name: row[name] for name in expected} == expected
    assert {"Payment", "Transaction", "External id", "Refunded"} <= row.keys()
    await berlin.close()


async def test_every_list_can_be_exported(store: World) -> None:
    visits = await visitor(store, "owner")
    for path in ("customers", "products", "gift-cards", "tickets", "campaigns", "fraud/checks", "fraud", "users"):
        answer = await visits.get(f"/{path}?format=csv")
        assert (answer.status_code, answer.headers["content-type"]) == (200, "text/csv; charset=utf-8"), path


async def test_the_file_of_every_list_has_as_many_rows_as_its_page_counts(world: World) -> None:
    await loading.load(world.deps, "small", 1, ORDERS, lambda _: None)
    visits = await visitor(world, "owner")
    counts = {}
    for path in ("orders", "customers", "products", "gift-cards", "tickets", "fraud/checks", "webhooks/1", "events"):
        footer = re.search(r"of ([\d,]+)", (await visits.get(f"/{path}")).text.partition('class="pages"')[2])
        assert footer is not None, path
        counts[path] = int(footer[1].replace(",", ""))
        assert len(await _exported(visits, f"/{path}?format=csv")) == counts[path], path
    assert counts["orders"] > ORDERS * 0.9


async def test_an_export_is_in_the_audit_log_with_its_filter(store: World) -> None:
    visits = await visitor(store, "staff")
    await visits.get("/orders?status=paid&format=csv")
    await visits.get("/customers/1/export")
    await visits.get("/analytics?format=csv&of=products")
    async with store.db.read() as tx:
        logged = {
            record: [(entry.action, entry.changes) for entry in await audit_db.changes_since(tx, record, Instant(0))]
            for record in ("orders", "customer:1", "analytics")
        }
    assert logged == {
        "orders": [("Export", [("status", None, "paid")])],
        "customer:1": [("Export", [])],
        "analytics": [("Export", [("of", None, "products")])],
    }
