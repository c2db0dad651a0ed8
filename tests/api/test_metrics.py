"""`/metrics`: what is read from the database when it is asked for."""

from __future__ import annotations

import pytest
from prometheus_client.parser import text_string_to_metric_families

from lootkeep import __version__
from lootkeep.kernel.clock import HOUR, MINUTE
from lootkeep.services import fraud as fraud_service
from lootkeep.storage.engine.query import Query
from lootkeep.storage.schema import mails
from lootkeep.worker.metrics import WorkerMetrics
from tests.builders import STORE, new_customer, new_order, new_product
from tests.mailbox import MailServer
from tests.worker import delivering, emailing
from tests.world import World

HOOK = {"url": "https://shop.example/hook", "events": ["product.created"]}


async def read(world: World, name: str, **labels: str) -> float:
    answer = await world.http.get("/metrics", headers={"Authorization": f"Bearer {world.token}"})
    samples = [sample for family in text_string_to_metric_families(answer.text) for sample in family.samples]
    (value,) = [sample.value for sample in samples if (sample.name, sample.labels) == (name, labels)]
    return value


async def test_the_version_is_a_label(world: World) -> None:
    assert await read(world, "lootkeep_build_info", version=__version__) == 1


async def test_events_are_pending_until_they_are_fanned_out(world: World) -> None:
    await world.post("/webhooks", HOOK)
    await delivering.record(world, 3)
    world.clock.advance(MINUTE)
    assert await read(world, "lootkeep_event_oldest_waiting_seconds") == 60
    await delivering.fan_out(world)
    assert await read(world, "lootkeep_event_oldest_waiting_seconds") == 0
    assert await read(world, "lootkeep_webhook_due") == 3


async def test_deliveries_are_due_from_their_scheduled_time_and_pending_until_they_end(world: World) -> None:
    await world.post("/webhooks", HOOK)
    await delivering.record(world, 2)
    await delivering.fan_out(world)
    world.clock.advance(MINUTE)
    names = ("lootkeep_webhook_due", "lootkeep_webhook_pending", "lootkeep_webhook_oldest_due_seconds")
    assert [await read(world, name) for name in names] == [2, 2, 60]
    await delivering.claim_and_die(world)
    # Held by a worker: not due, and not at its end.
    assert [await read(world, name) for name in names] == [0, 2, 0]


async def test_emails_are_due_from_their_scheduled_time_and_pending_until_they_end(world: World) -> None:
    names = ("lootkeep_email_due", "lootkeep_email_pending", "lootkeep_email_oldest_due_seconds")
    assert [await read(world, name) for name in names] == [0, 0, 0]
    first, _ = [await emailing.write(world) for _ in range(2)]
    await set_due(world, first, HOUR)
    world.clock.advance(MINUTE)
    assert [await read(world, name) for name in names] == [1, 2, 60]
    # Without a mail server it goes to the outbox, and that is its end.
    await emailing.work(emailing.email_worker(world, None))
    assert [await read(world, name) for name in names] == [0, 1, 0]


async def test_decisions_are_counted_by_level_and_action_also_when_they_are_reviewed(world: World) -> None:
    await fraud_service.change_list(world.deps, "fraud_custom_blocked_countries", "DE", is_added=True)
    await new_product(world)
    customer = (await new_customer(world))["customer"]
    body = {"customer_id": customer["id"], "items": [{"product_id": 1, "quantity": 1}], "ip_address": "203.0.113.7"}
    placed = [await world.post(f"{STORE}/orders", body | {"billing_country": code}) for code in ("US", "DE")]
    checks = [answer.json()["data"]["fraud_check"] for answer in placed]
    series = [{"level": check["risk_level"], "action": check["action_taken"]} for check in checks]
    assert [labels["action"] for labels in series] == ["allowed", "blocked"]
    assert [await read(world, "lootkeep_fraud_checks_total", **labels) for labels in series] == [1, 1]
    assert await read(world, "lootkeep_fraud_unreviewed") == 1
    await world.post(f"/fraud/checks/{checks[1]['id']}/review", {"outcome": "fraud"})
    assert [await read(world, "lootkeep_fraud_checks_total", **labels) for labels in series] == [1, 1]
    assert await read(world, "lootkeep_fraud_unreviewed") == 0


async def test_coupons_their_discounts_and_what_creators_earned_are_counted(world: World) -> None:
    creator = {"name": "Mika", "code": "MIKA", "commission_percent": "10.00", "hold_days": 0}
    creator |= {"discount_type": "percentage", "discount_value": "20.00"}
    assert (await world.post("/creators", creator)).status_code == 201
    await new_product(world, price="10.00")
    customer = (await new_customer(world))["customer"]
    await new_order(world, customer["id"], (1, 1), coupon_code="MIKA")
    by_creator = {"origin": "creator", "currency": "USD"}
    assert await read(world, "lootkeep_coupon_discounts_total", **by_creator) == 0
    assert (await world.post(f"{STORE}/orders/1/pay", {})).status_code == 200
    assert await read(world, "lootkeep_coupons", origin="creator") == 1
    assert await read(world, "lootkeep_coupons", origin="owner") == 0
    assert await read(world, "lootkeep_coupon_discounts_total", **by_creator) == 2
    assert await read(world, "lootkeep_creators_unpaid", currency="USD") == 0.8
    assert (await world.post("/creators/1/payouts", {"amount": "0.50", "reference": "a"})).status_code == 201
    assert round(await read(world, "lootkeep_creators_unpaid", currency="USD"), 2) == 0.3


@pytest.mark.parametrize(("rejection", "outcome"), [(None, "sent"), ("550 no", "failed")])
async def test_emails_are_counted_by_queue_and_outcome(world: World, rejection: str | None, outcome: str) -> None:
    async with MailServer(sender_rejection=rejection) as server:
        await emailing.write(world)
        worker = emailing.email_worker(world, server, metrics=WorkerMetrics(world.metrics.registry))
        await emailing.work(worker)
        await worker.drain()
    assert await read(world, "lootkeep_email_attempts_total", queue="mail", outcome=outcome) == 1
    assert await read(world, "lootkeep_email_attempts_total", queue="campaigns", outcome=outcome) == 0


async def test_an_email_without_a_mail_server_is_neither_sent_nor_failed(world: World) -> None:
    await emailing.write(world)
    await emailing.work(emailing.email_worker(world, None, metrics=WorkerMetrics(world.metrics.registry)))
    counted = [
        await read(world, "lootkeep_email_attempts_total", queue="mail", outcome=outcome)
        for outcome in ("sent", "failed", "outbox")
    ]
    assert counted == [0, 0, 1]


async def set_due(world: World, email: int, later: int) -> None:
    async with world.db.write() as tx:
        await tx.run(Query(mails.update().where(mails.c.id == email).values(due_at=mails.c.due_at + later)))
