"""The event feed in the console: what was sent to whom, and why nothing was sent to the others."""

from __future__ import annotations

import re

from sqlalchemy import bindparam, insert

from lootkeep.domain.webhooks import SECRET_PURPOSE, new
from lootkeep.engines.wakeup import Wakeup
from lootkeep.kernel.clock import MINUTE
from lootkeep.services import retention as retention_service
from lootkeep.storage import schema
from lootkeep.storage.engine.query import Query
from lootkeep.storage.queue import MAX_COUNTED
from lootkeep.storage.webhooks import endpoints as endpoints_db
from lootkeep.worker.deliveries import DeliveryWorker
from tests.console.visits import DELIVERY, visitor
from tests.worker.delivering import fan_out, record, work
from tests.world import World

TYPE = re.compile(r'class="row" href="/console/events/\d+"><code>([^<]+)</code>')


async def test_events_are_listed_newest_first_and_filtered_by_type(store: World) -> None:
    visits = await visitor(store, "read_only")
    types = TYPE.findall((await visits.get("/events")).text)
    others = ["customer.created", "gift_card.created", "ticket.created"]
    assert sorted(set(types) - {"product.updated", "order.paid", "order.created", "product.created"}) == others
    assert types[0] == "product.updated"
    assert TYPE.findall((await visits.get("/events?type=order.paid")).text) == ["order.paid"]
    assert "0 of 1 delivered" in (await visits.get("/events?type=product.updated")).text
    csv = (await visits.get("/events?type=order.paid&format=csv")).text.splitlines()
    assert (csv[0], len(csv)) == ("\ufeffEvent,Id,Receivers,Data,Recorded (UTC)", 2)


async def test_a_long_feed_says_that_it_is_not_counted_to_its_end(world: World) -> None:
    row = {"type": "order.paid", "data": "{}", "created_at": world.clock.now(), "fanned_out_at": world.clock.now()}
    adding = Query(insert(schema.events).values({name: bindparam(name) for name in row}).inline(), set_based=True)
    async with world.db.write() as tx:
        await tx.execute_many(adding, [row] * (MAX_COUNTED + 10))
    visits = await visitor(world, "read_only")
    assert "1–25 of at least 10,000 <" in (await visits.get("/events")).text
    assert "26–50 of 10,010 <" in (await visits.get("/events?page=2")).text


async def test_an_event_shows_its_recipients_and_its_data(store: World) -> None:
    visits = await visitor(store, "read_only")
    (newest, *_) = re.findall(r"/console(/events/\d+)", (await visits.get("/events")).text)
    page = (await visits.get(newest)).text
    assert f'href="/console/deliveries/{DELIVERY}"' in page
    assert ", caused by request request-" in page
    assert "&#34;product_id&#34;: 1" in page
    assert (await visits.get("/events/99")).status_code == 404


async def test_the_reason_why_nothing_was_sent_is_the_one_at_the_time(world: World) -> None:
    """Each webhook is in another state at the fan-out, and all are the same afterwards."""
    everything = {"url": "https://hooks.example/0", "events": ["order.paid"], "is_active": True}
    for number, events in enumerate((["order.paid"], ["order.created"], ["order.paid"])):
        await world.post("/webhooks", {"url": f"https://hooks.example/{number}", "events": events})
    await world.put("/webhooks/1", {"is_active": False})
    world.clock.advance(MINUTE)
    await record(world, event_type="order.paid")
    visits = await visitor(world, "read_only")
    assert (await visits.get("/events/1")).text.count("Not sent yet: it is queued.") == 3
    await fan_out(world)
    world.clock.advance(MINUTE)
    await world.post("/webhooks", everything)
    for number in (1, 2):
        assert (await world.put(f"/webhooks/{number}", everything)).status_code == 200
    await world.put("/webhooks/3", {"is_active": False})
    await retention_service.cancel_deliveries(world.deps)
    page = (await visits.get("/events/1")).text
    assert re.findall(r"Not sent[^<]+|Cancelled[^<]+", page) == [
        "Not sent: this webhook was inactive at that time.",
        "Not sent: it was not subscribed to this event at that time.",
        "Cancelled: the webhook was deactivated or deleted",
        "Not sent: this webhook was created later.",
    ]


async def test_a_forbidden_receiver_is_shown_with_the_rule(world: World) -> None:
    async with world.db.write() as tx:
        secret = world.deps.vault.seal("whsec_AAAA", SECRET_PURPOSE)
        await endpoints_db.add(tx, new("https://127.0.0.1/", '["order.paid"]', secret, world.clock.now()))
    await record(world, event_type="order.paid")
    await work(DeliveryWorker(world.deps, Wakeup(), delays=(300,), concurrency=1))
    visits = await visitor(world, "read_only")
    assert "Refused by rule: the address is not public" in (await visits.get("/events/1")).text
