"""The event feed in the console: what was sent to whom, and why nothing was sent to the others."""

from __future__ import annotations

import re

from lootkeep.kernel.clock import MINUTE
from tests.console.visits import DELIVERY, visitor
from tests.world import World

TYPE = re.compile(r'class="row" href="/console/events/\d+"><code>([^<]+)</code>')


async def test_events_are_listed_newest_first_and_filtered_by_type(store: World) -> None:
    visits = await visitor(store, "read_only")
    types = TYPE.findall((await visits.get("/events")).text)
    assert types == ["product.updated", "order.paid", "order.created", "product.created"]
    assert TYPE.findall((await visits.get("/events?type=order.paid")).text) == ["order.paid"]
    assert "0 of 1 delivered" in (await visits.get("/events?type=product.updated")).text
    csv = (await visits.get("/events?type=order.paid&format=csv")).text.splitlines()
    assert (csv[0], len(csv)) == ("Event,Id,Receivers,Data,Recorded", 2)


async def test_an_event_says_who_was_sent_it_and_why_the_others_were_not(store: World) -> None:
    store.clock.advance(MINUTE)
    later = {"url": "https://late.example/bot", "events": ["product.updated"]}
    assert (await store.post("/webhooks", later)).status_code == 201
    visits = await visitor(store, "read_only")
    page = (await visits.get("/events/4")).text
    assert f'href="/console/deliveries/{DELIVERY}"' in page
    assert "this webhook was created later" in page
    assert "&#34;product_id&#34;: 1" in page
    assert "it does not subscribe to this event" in (await visits.get("/events/1")).text
    assert (await visits.get("/events/99")).status_code == 404
