"""Alerts: each channel gets its message with a link, none is lost, and nobody is flooded."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from lootkeep.engines.emails import Mailer
from lootkeep.engines.emails.message import Sender
from lootkeep.engines.emails.outbox import OutboxMailer
from lootkeep.engines.emails.smtp import SmtpMailer, parse_server
from lootkeep.engines.wakeup import Wakeup
from lootkeep.kernel.clock import HOUR, MINUTE, SECOND, Instant
from lootkeep.services import alerts as alerts_service, fraud as fraud_service, retention as retention_service
from lootkeep.storage import alerts as alerts_db
from lootkeep.storage.engine.database import Engine
from lootkeep.worker.alerts import AlertWorker
from lootkeep.worker.deliveries import DeliveryWorker
from tests.builders import STORE, new_customer, new_product, new_ticket, paid_order
from tests.mailbox import MailServer
from tests.receiver import Receiver
from tests.worker.alerting import alert_of, new_alert, notify
from tests.worker.delivering import fail_all, record, subscribe
from tests.world import World

URL = "https://lootkeep.example"


@pytest.fixture
async def store(db: Engine) -> AsyncIterator[World]:
    """May reach a receiver on this machine."""
    world = World(db, webhook_allow_insecure=True, public_url=URL, store_name="Dragon Shop", rate_limit_per_minute=0)
    await world.begin()
    yield world
    await world.close()


async def work(world: World, server: MailServer | None = None) -> None:
    mailer: Mailer = OutboxMailer()
    if server:
        mailer = SmtpMailer(parse_server(server.url), Sender("Shop", "shop@store.example"), world.clock)
    worker = AlertWorker(world.deps, Wakeup(), mailer)
    while await worker.run_once():
        pass
    await worker.drain()


async def test_a_new_ticket_reaches_a_plain_webhook_with_a_link(store: World, receiver: Receiver) -> None:
    await new_alert(store, receiver.url)
    customer = (await new_customer(store))["customer"]
    ticket = await new_ticket(store, customer["id"], subject="Where is it?")
    await work(store)
    (received,) = receiver.received
    assert received.json == {
        "alert": "Staff",
        "store": "Dragon Shop",
        "title": f"New ticket {ticket['ticket_number']}: Where is it?",
        "notices": [
            {
                "trigger": "ticket_created",
                "text": f"New ticket {ticket['ticket_number']}: Where is it?",
                "url": f"{URL}/console/tickets/{ticket['id']}",
                "created_at": "2026-11-15T12:00:00Z",
            }
        ],
    }


async def test_discord_gets_content_without_active_markdown_or_mentions(store: World, receiver: Receiver) -> None:
    await new_alert(store, receiver.url, "discord")
    await notify(store, "a", text="@everyone [win](https://evil.example) **now**")
    await work(store)
    (received,) = receiver.received
    content = r"\@everyone \[win\]\(https\://evil.example\) \*\*now\*\*" + f" <{URL}/console/health>"
    assert received.json == {"content": content, "allowed_mentions": {"parse": []}}
    assert received.headers["Content-Type"] == "application/json"


async def test_discord_content_is_limited_to_what_discord_accepts(store: World, receiver: Receiver) -> None:
    await new_alert(store, receiver.url, "discord")
    await notify(store, *map(str, range(30)), text="x" * 500)
    await work(store)
    (received,) = receiver.received
    assert len(received.json["content"]) <= 2000


async def test_slack_gets_text_with_its_three_characters_escaped(store: World, receiver: Receiver) -> None:
    await new_alert(store, receiver.url, "slack")
    await notify(store, "a", text="<!channel> & co")
    await work(store)
    (received,) = receiver.received
    assert received.json == {"text": f"&lt;!channel&gt; &amp; co <{URL}/console/health|Open>"}


async def test_an_email_is_sent_in_the_layout_of_the_store(store: World, server: MailServer) -> None:
    await new_alert(store, "staff@shop.example", "email")
    await notify(store, "a")
    await work(store, server)
    (received,) = server.arrived
    assert (received.recipients, str(received.message["Subject"])) == (["staff@shop.example"], "It is late")
    assert f"{URL}/console/health" in received.part("plain")
    assert "Dragon Shop" in received.part("html")


async def test_without_a_mail_server_an_alert_stays_pending_with_the_reason(store: World, server: MailServer) -> None:
    await new_alert(store, "staff@shop.example", "email")
    await notify(store, "a")
    await work(store)
    assert (await alert_of(store)).reason == "no mail server is configured"
    store.clock.advance(MINUTE)
    await work(store, server)
    assert len(server.arrived) == 1


async def test_held_and_blocked_orders_are_reported_above_an_amount(store: World, receiver: Receiver) -> None:
    await new_alert(store, receiver.url, triggers=["order_held", "order_blocked"], amount=5000)
    await fraud_service.change_settings(store.deps, {"fraud_action": "verify", "fraud_sensitivity_level": "high"})
    await new_product(store, price="30.00")
    order_urls = []
    for number in range(1, 7):
        customer = (await new_customer(store, name=f"Buyer {number}"))["customer"]
        body = {
            "customer_id": customer["id"],
            "items": [{"product_id": 1, "quantity": 1 + number % 2}],
            "device_id": "shared",
            "ip_address": "203.0.113.77",
        }
        order = (await store.post(f"{STORE}/orders", body)).json()["data"]["order"]
        if order["status"] in ("on_hold", "cancelled") and order["total"] == "60.00":
            order_urls.append(f"{URL}/console/orders/{order['id']}")
        store.clock.advance(MINUTE)
    assert order_urls
    await work(store)
    (received,) = receiver.received
    assert [notice["url"] for notice in received.json["notices"]] == order_urls


async def test_a_disputed_order_is_reported(store: World, receiver: Receiver) -> None:
    await new_alert(store, receiver.url, triggers=["order_disputed"], amount=1000)
    customer, product = (await new_customer(store))["customer"], await new_product(store, price="30.00")
    order = await paid_order(store, customer["id"], (product["id"], 1))
    report = {"kind": "dispute", "reason": "fraudulent", "external_id": "case-1"}
    for _ in range(2):
        assert (await store.post(f"{STORE}/orders/{order['id']}/dispute", report)).is_success
    await work(store)
    (received,) = receiver.received
    assert [(notice["text"], notice["url"]) for notice in received.json["notices"]] == [
        ("Order ORD-000001 (30.00 USD): it is disputed", f"{URL}/console/orders/1")
    ]


async def test_a_receiver_that_keeps_failing_is_reported_once(store: World, receiver: Receiver) -> None:
    async with Receiver() as broken:
        broken.answers = [500] * 9
        webhook = (await store.post("/webhooks", {"url": broken.url, "events": ["*"]})).json()["data"]
        await new_alert(store, receiver.url, triggers=["receiver_failing"], minutes=10)
        await new_product(store)
        worker = DeliveryWorker(store.deps, Wakeup(), delays=(300, 300, 300, 300, 300), chance=lambda: 0)
        counts = []
        for _ in range(5):
            while await worker.run_once():
                await worker.drain()
            await alerts_service.look(store.deps)
            await work(store)
            counts.append(len(receiver.received))
            store.clock.advance(6 * MINUTE)
    assert counts == [0, 0, 1, 1, 1]
    (notice,) = receiver.received[0].json["notices"]
    assert (notice["url"], "answered 500" in notice["text"]) == (f"{URL}/console/webhooks/{webhook['id']}", True)


async def test_a_receiver_that_fails_for_a_thousand_deliveries_is_reported_once_with_its_whole_outage(
    store: World, receiver: Receiver, other_receiver: Receiver
) -> None:
    await new_alert(store, receiver.url, triggers=["receiver_failing"], minutes=10)
    await subscribe(store, other_receiver, "product.created")
    for count in (3, 1000, 3):
        await record(store, count)
        await fail_all(store)
        await alerts_service.look(store.deps)
        store.clock.advance(11 * MINUTE)
    await work(store)
    (received,) = receiver.received
    assert [notice["text"].partition(" ")[2] for notice in received.json["notices"]] == [
        "has failed for 11 minutes: answered 500"
    ]


async def test_notices_over_the_limit_become_one_message_at_the_end_of_the_hour(
    store: World, receiver: Receiver
) -> None:
    await new_alert(store, receiver.url, limit_per_hour=2)
    for number in range(6):
        await notify(store, f"n{number}")
        await work(store)
        store.clock.advance(MINUTE)
    assert len(receiver.received) == 2
    store.clock.advance(HOUR - 7 * MINUTE)
    await work(store)
    assert len(receiver.received) == 2
    store.clock.advance(MINUTE)
    await work(store)
    assert [len(received.json["notices"]) for received in receiver.received] == [1, 1, 4]
    assert receiver.received[-1].json["title"] == "4 alerts"


async def test_a_muted_alert_sends_one_summary_when_it_is_unmuted(store: World, receiver: Receiver) -> None:
    alert = await new_alert(store, receiver.url, muted_until=Instant(store.clock.now() + HOUR))
    await notify(store, "a", "b")
    await work(store)
    assert receiver.received == []
    await alerts_service.change(store.deps, alert.id, {"muted_until": None})
    await work(store)
    assert [len(received.json["notices"]) for received in receiver.received] == [2]
    await alerts_service.change(store.deps, alert.id, {"muted_until": Instant(store.clock.now() + HOUR)})
    await notify(store, "c")
    await work(store)
    store.clock.advance(HOUR)
    await work(store)
    assert len(receiver.received) == 2


async def test_a_failing_channel_gets_everything_once_it_recovers(store: World, receiver: Receiver) -> None:
    await new_alert(store, receiver.url)
    receiver.answers = [500]
    await notify(store, "a")
    await work(store)
    assert (await alert_of(store)).reason == "answered 500"
    await notify(store, "a", "b")
    store.clock.advance(60 * SECOND)
    await work(store)
    assert [notice["text"] for notice in receiver.received[-1].json["notices"]] == ["It is late", "It is late"]
    alert = await alert_of(store)
    assert (alert.failures, alert.reason, alert.sent_in_hour) == (0, None, 1)


async def test_another_worker_takes_over_from_a_dead_one(store: World, receiver: Receiver) -> None:
    await new_alert(store, receiver.url)
    await notify(store, "a")
    async with store.db.write() as tx:
        now = store.clock.now()
        assert await alerts_db.QUEUE.claim(tx, "dead", Instant(now + MINUTE), now)
    await work(store)
    assert receiver.received == []
    store.clock.advance(MINUTE)
    await work(store)
    assert len(receiver.received) == 1


async def test_a_private_ip_is_not_dialled(db: Engine, receiver: Receiver) -> None:
    open_store = World(db, webhook_allow_insecure=True)
    await open_store.begin()
    await new_alert(open_store, receiver.url)
    await notify(open_store, "a")
    strict = World(db, clock=open_store.clock)
    await work(strict)
    assert (receiver.connects, (await alert_of(strict)).reason) == (0, "the address is not public")
    await open_store.close()
    await strict.close()


async def test_old_notices_are_removed_and_deleting_an_alert_removes_its_notices(
    store: World, receiver: Receiver
) -> None:
    alert = await new_alert(store, receiver.url)
    await notify(store, "a")
    store.clock.advance(31 * 24 * HOUR)
    await retention_service.purge(store.deps, store.clock.now(), 30, 30)
    await work(store)
    assert receiver.received == []
    await notify(store, "b")
    await alerts_service.delete(store.deps, alert.id)
    await work(store)
    assert receiver.received == []
