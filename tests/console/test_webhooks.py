"""Webhooks in the console: health, diagnosis, deliveries with their attempts, and what can be done about them."""

from __future__ import annotations

import re

import pytest

from lootkeep.domain.accounts import AuditEntry
from lootkeep.engines.wakeup import Wakeup
from lootkeep.kernel.clock import HOUR, MINUTE, Instant
from lootkeep.storage import audit as audit_db
from lootkeep.worker.deliveries import DeliveryWorker, step_replays
from tests.builders import paid_order
from tests.console.visits import DELIVERY, Visitor, visitor
from tests.receiver import Receiver
from tests.worker.delivering import fan_out, record, subscribe, work
from tests.world import World

SECRET = re.compile(r'<code class="secret"[^>]*>([^<]+)</code>')
ROW = re.compile(r'href="/console/deliveries/(wh_[^"]+)"')


@pytest.fixture
async def lenient(world: World) -> World:
    """Over the same store, with receivers on this machine."""
    other = World(world.db, clock=world.clock, webhook_allow_insecure=True)
    other.token = world.token
    return other


def worker_of(world: World) -> DeliveryWorker:
    return DeliveryWorker(world.deps, Wakeup(), delays=(300, 1800), concurrency=10)


async def test_a_failing_receiver_is_explained_with_the_time_its_first_delivery_is_given_up(lenient: World) -> None:
    worker = worker_of(lenient)
    async with Receiver() as receiver:
        await subscribe(lenient, receiver, "order.paid")
        receiver.answers = [200, 404, 404, 404]
        await record(lenient, 1, "order.paid")
        await work(worker)
        lenient.clock.advance(MINUTE)
        await record(lenient, 3, "order.paid")
        await work(worker)
        visits = await visitor(lenient, "read_only")
        page = (await visits.get("/webhooks/1")).text
    assert "Every attempt since 15 Nov 2026, 12:01 failed: it answered 404" in page
    assert "there is nothing at this path" in page
    assert "It worked until then" in page
    assert "3 deliveries wait" in page
    # 300 seconds and some jitter, then 1800, and the delays of the settings after that.
    assert "The first one is given up on 16 Nov 2026, 0" in page
    assert 'aria-label="1 delivered and 3 failed in the last 60 minutes"' in page
    listed = (await visits.get("/webhooks")).text
    assert "Failing" in listed
    await lenient.close()


async def test_the_menu_counts_as_many_failing_receivers_as_the_page_shows(lenient: World) -> None:
    async with Receiver() as good, Receiver() as bad, Receiver() as off:
        for receiver in (good, bad, off):
            await subscribe(lenient, receiver, "order.paid")
        bad.answers = off.answers = [500, 500, 500]
        await record(lenient, 3, "order.paid")
        await work(worker_of(lenient))
    await lenient.put("/webhooks/3", {"is_active": False})
    page = (await (await visitor(lenient, "staff")).get("/webhooks")).text
    badge = re.search(r'href="/console/webhooks"[^>]*>Webhooks\s*<span class="badge bad">(\d+)', page)
    assert badge is not None
    assert (page.count(">Failing<"), badge[1]) == (1, "1")
    await lenient.close()


async def test_deliveries_are_filtered_and_open_with_their_attempts_and_answers(lenient: World) -> None:
    async with Receiver() as receiver:
        await subscribe(lenient, receiver, "order.paid", "product.created")
        receiver.answers = [500, 200]
        await record(lenient, 1, "order.paid")
        await work(worker_of(lenient))
        await record(lenient, 1, "product.created")
        await work(worker_of(lenient))
    visits = await visitor(lenient, "staff")
    (failed,) = ROW.findall((await visits.get("/webhooks/1?status=pending")).text)
    assert len(ROW.findall((await visits.get("/webhooks/1?event_type=product.created")).text)) == 1
    page = (await visits.get(f"/deliveries/{failed}")).text
    assert "Attempt 1: <bdi>500</bdi>" in page
    assert "Attempt 2 of 6 follows" in page
    again = await visits.post(f"/deliveries/{failed}/send-again", on=f"/deliveries/{failed}")
    assert again.headers["location"] == f"/console/deliveries/{failed}"
    csv = (await visits.get("/webhooks/1?format=csv")).text
    assert csv.splitlines()[0] == "\ufeffEvent,Status,Answer,Took,Attempts,Recorded (UTC),Last attempt (UTC)"
    await lenient.close()


async def test_a_webhook_is_created_with_a_secret_that_is_shown_once(store: World) -> None:
    visits = await visitor(store, "staff")
    form = {"on": "/webhooks/new", "url": "https://bot.example/in"}
    nothing = await visits.post("/webhooks/new", **form)
    assert (nothing.status_code, "Choose at least one event." in nothing.text) == (422, True)
    private = await visits.post("/webhooks/new", on="/webhooks/new", url="https://10.0.0.1/", events="order.paid")
    assert (private.status_code, "private address" in private.text) == (422, True)
    created = await visits.post("/webhooks/new", **form, events="order.paid")
    assert SECRET.findall(created.text)[0].startswith("whsec_")
    assert "whsec_" not in (await visits.get("/webhooks/2")).text
    assert "bot.example/in" in (await visits.get("/webhooks")).text
    entry = await last_entry(store, "webhook:2")
    assert (entry.action, entry.user_name, "whsec_" in entry.after) == ("Create a webhook", "The staff", False)


async def test_a_webhook_has_a_filter_and_headers_whose_values_are_never_shown_again(store: World) -> None:
    visits = await visitor(store, "staff")
    form = {"on": "/webhooks/new", "url": "https://bot.example/in", "events": "order.paid"}
    wrong = await visits.post("/webhooks/new", **form, filter="amout > 5", headers="X-Api-Key: canary")
    assert (wrong.status_code, "the nearest is amount" in wrong.text) == (422, True)
    bad = await visits.post("/webhooks/new", **form, headers="X-Api-Key")
    assert (bad.status_code, "with a colon after its name" in bad.text) == (422, True)
    await visits.post("/webhooks/new", **form, filter="amount > 5", headers="X-Api-Key: canary\r\nX-Shop: 7")
    pages = [(await visits.get(path)).text for path in ("/webhooks/2", "/webhooks/2/edit", "/audit")]
    assert not [page for page in pages if "canary" in page]
    assert "amount &gt; 5" in pages[0]
    assert "X-Api-Key:\nX-Shop:</textarea>" in pages[1]
    change = {"on": "/webhooks/2/edit", "url": form["url"], "events": "order.paid", "is_active": "yes"}
    saved = await visits.post("/webhooks/2/edit", **change, headers="X-Api-Key:\r\nX-New: 8")
    assert saved.status_code == 303
    changed = (await store.get("/webhooks/2")).json()["data"]
    assert (changed["header_names"], changed["filter"]) == (["X-Api-Key", "X-New"], None)
    entry = await last_entry(store, "webhook:2")
    assert [(name, after) for name, _, after in entry.changes] == [("filter", None), ("headers", "X-Api-Key, X-New")]


async def test_a_webhook_is_changed_rotated_and_deleted_and_the_log_says_so(store: World) -> None:
    visits = await visitor(store, "staff")
    form = {"on": "/webhooks/1/edit", "url": "https://hooks.example/new", "events": "order.paid"}
    assert (await visits.post("/webhooks/1/edit", **form)).status_code == 303
    assert "This webhook is switched off" in (await visits.get("/webhooks/1")).text
    changes = {name: (before, after) for name, before, after in (await last_entry(store, "webhook:1")).changes}
    assert changes["is_active"] == (True, False)
    assert changes["url"] == ("https://hooks.example/bot", "https://hooks.example/new")
    rotated = await visits.post("/webhooks/1/secret", on="/webhooks/1/secret")
    assert len(SECRET.findall(rotated.text)) == 1
    assert "The old secret signs until" in (await visits.get("/webhooks/1")).text
    asked = await visits.post("/webhooks/1/delete", on="/webhooks/1/edit")
    assert (asked.status_code, "It receives no more events" in asked.text) == (200, True)
    assert (await visits.post("/webhooks/1/delete", on="/webhooks/1/edit", confirmed="yes")).status_code == 303
    assert (await visits.get("/webhooks/1")).status_code == 404
    assert "was deleted" in (await visits.get(f"/deliveries/{DELIVERY}")).text


async def test_values_in_the_query_of_a_url_are_for_people_and_programs_that_may_change_it(store: World) -> None:
    url, masked = "https://bot.example/in?key=hunter2", "https://bot.example/in?key=***"
    staff, reader = await visitor(store, "staff"), await visitor(store, "read_only")
    form = {"on": "/webhooks/1/edit", "url": url, "events": "order.paid", "is_active": "yes"}
    assert (await staff.post("/webhooks/1/edit", **form)).status_code == 303
    token = await store.new_token("webhooks:read")
    for path in ("/webhooks?format=csv", "/webhooks/1", f"/deliveries/{DELIVERY}"):
        assert "key=hunter2" in (await staff.get(path)).text
        shown = (await reader.get(path)).text
        assert ("hunter2" in shown, "key=***" in shown) == (False, True)
    for path in ("/webhooks", "/webhooks/1", f"/webhooks/deliveries/{DELIVERY}"):
        assert url in (await store.get(path)).text
        read = (await store.get(path, token=token)).text
        assert ("hunter2" in read, masked in read) == (False, True)
    entry = await last_entry(store, "webhook:1")
    assert "hunter2" not in entry.before + entry.after
    assert {name: after for name, _, after in entry.changes}["url"] == masked


async def test_a_stale_form_of_a_webhook_saves_nothing(store: World) -> None:
    visits = await visitor(store, "staff")
    version = re.findall(r'name="version" value="(\d+)"', (await visits.get("/webhooks/1/edit")).text)[0]
    store.clock.advance(MINUTE)
    assert (await store.put("/webhooks/1", {"is_active": False})).status_code == 200
    form = {"url": "https://hooks.example/x", "events": "order.paid", "version": version}
    assert (await visits.post("/webhooks/1/edit", on="/webhooks/1/edit", **form)).status_code == 409


async def test_a_test_shows_the_receivers_answer(lenient: World) -> None:
    async with Receiver() as receiver:
        await subscribe(lenient, receiver, "order.paid")
        receiver.answers = [200, 401]
        visits = await visitor(lenient, "staff")
        messages = [await _tested(visits) for _ in range(2)]
    assert messages[0].startswith('<p class="notice said ok" role="status">Test delivered: answered 200')
    assert messages[1].startswith('<p class="notice said bad" role="alert">Test failed: answered 401')
    await lenient.close()


async def _tested(visits: Visitor) -> str:
    await visits.post("/webhooks/1/test", on="/webhooks/1")
    messages = re.findall(r'<p class="notice [^<]+</p>', (await visits.get("/webhooks/1")).text)
    return str(messages[0])


async def test_a_replay_shows_its_progress(store: World) -> None:
    visits = await visitor(store, "staff")
    wrong = await visits.post("/webhooks/1/replay", on="/webhooks/1/replay", since="soon", events="product.updated")
    assert (wrong.status_code, "Enter a date and a time" in wrong.text) == (422, True)
    form = {"on": "/webhooks/1/replay", "since": "2026-11-15T11:00", "events": "product.updated"}
    assert (await visits.post("/webhooks/1/replay", **form)).status_code == 303
    assert "0 of 1 event queued again." in (await visits.get("/webhooks/1")).text
    running = await visits.post("/webhooks/1/replay", **form)
    assert (running.status_code, "still running" in running.text) == (409, True)
    await step_replays(store.deps)
    assert "1 event queued again, finished" in (await visits.get("/webhooks/1")).text


async def last_entry(world: World, record: str) -> AuditEntry:
    async with world.db.read() as tx:
        return (await audit_db.changes_since(tx, record, Instant(world.clock.now() - HOUR)))[0]


async def test_nothing_offers_to_send_to_a_webhook_that_is_switched_off(store: World) -> None:
    visits = await visitor(store, "owner")
    await store.put("/webhooks/1", {"events": ["order.paid"]})
    paid = await paid_order(store, 1, (1, 1))
    await fan_out(store)
    pages = (f"/deliveries/{DELIVERY}", f"/orders/{paid['id']}")
    assert ["/send-again" in (await visits.get(page)).text for page in pages] == [True, True]
    await store.put("/webhooks/1", {"is_active": False})
    assert ["/send-again" in (await visits.get(page)).text for page in pages] == [False, False]
