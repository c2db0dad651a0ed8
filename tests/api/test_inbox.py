"""The inbox: Stripe's signature to the letter, and what is stored."""

from __future__ import annotations

import json
import random
import re

import pytest

from lootkeep.api.http import gauges
from lootkeep.api.http.limits import EVENTS_PER_MINUTE
from lootkeep.domain.payments.events import MAX_BODY
from lootkeep.kernel.clock import DAY, MINUTE
from lootkeep.storage.payments import events as payment_events_db
from lootkeep.storage.schema import payment_events
from tests.api.openapi import DOCUMENT
from tests.api.providers import (
    HOSTILE,
    SECRET,
    an_order,
    charge,
    event,
    events,
    new_source,
    send,
    send_bytes,
    signature,
    work,
)
from tests.conftest import only_sqlite
from tests.recount import rows
from tests.world import World

BODY = json.dumps(event("charge.succeeded", charge())).encode()
REFUSED = {
    "success": False,
    "error": "Bad Request",
    "code": "not_accepted",
    "message": "The event was not accepted: its source or its signature is not right.",
}


async def test_a_signed_event_is_stored_once_and_shown(world: World) -> None:
    source = await new_source(world)
    for _ in range(2):
        await send(world, source, event("charge.succeeded", charge()))
    assert await events(world) == [
        {
            "id": 1,
            "source_id": 1,
            "provider_event_id": "evt_1",
            "type": "charge.succeeded",
            "operation": "paid",
            "status": "waiting",
            "reason": None,
            "order_id": None,
            "amount": "20.00",
            "currency": "USD",
            "created_at": "2026-11-15T12:00:00Z",
            "applied_at": None,
        }
    ]
    assert (await world.get("/payment-events/1")).json()["data"] == (await events(world))[0]
    assert (await world.get("/payment-sources/1")).json()["data"]["last_event_at"] == "2026-11-15T12:00:00Z"


async def test_two_sources_may_send_events_with_the_same_id(world: World) -> None:
    for _ in range(2):
        await send(world, await new_source(world), event("charge.succeeded", charge()))
    assert len(await events(world)) == 2


async def test_neither_the_payers_email_nor_the_fingerprint_of_the_card_is_readable_in_a_stored_body(
    world: World,
) -> None:
    await send(world, await new_source(world), event("charge.succeeded", charge()))
    (row,) = await rows(world.db, payment_events)
    assert "Xt5EWLLDS7FJjR1c" not in str(row)
    assert "pay.example" not in row["body"]


@only_sqlite
@pytest.mark.parametrize("seconds_off", [-300, 300])
async def test_a_signature_may_be_five_minutes_off(world: World, seconds_off: int) -> None:
    source = await new_source(world)
    header = signature(world, BODY, seconds_off=seconds_off)
    assert (await send_bytes(world, source["url"], BODY, header)).status_code == 200


def forged(world: World) -> dict[str, str | None]:
    """Signatures that must not count, by what is wrong with them."""
    good = signature(world, BODY)
    at, digest = good.removeprefix("t=").split(",v1=")
    return {
        "none": None,
        "empty": "",
        "words": "t=now,v1=right",
        "too old": signature(world, BODY, seconds_off=-301),
        "from the future": signature(world, BODY, seconds_off=301),
        "of another account": signature(world, BODY, "whsec_other00000"),
        "of another body": signature(world, BODY + b" "),
        "by the part after the prefix": signature(world, BODY, SECRET.removeprefix("whsec_")),
        "of the old scheme": good.replace("v1=", "v0="),
        "without a time": f"v1={digest}",
        "with two times": f"t={at},{good}",
        "with another time": good.replace(f"t={at}", f"t={int(at) + 1}"),
        "with digits of another script": good.replace(f"t={at}", "t=" + "".join(chr(0x660 + int(d)) for d in at)),
        "in capitals": f"t={at},v1={digest.upper()}",
        "cut": good[:-1],
        "endless time": f"t={'9' * 400},v1={digest}",
    }


@only_sqlite
async def test_a_forged_signature_is_refused_and_nothing_is_stored(world: World) -> None:
    source = await new_source(world)
    for what, header in forged(world).items():
        answer = await send_bytes(world, source["url"], BODY, header)
        assert (answer.status_code, answer.json()) == (400, REFUSED), what
    assert await events(world) == []
    counted = counts(world)
    assert (counted["wrong_time"], counted["received"]) == (2, 0)
    assert counted["wrong_signature"] == len(forged(world)) - 2


def counts(world: World) -> dict[str, float]:
    """What the inbox did with events so far."""
    lines = re.findall(r'lootkeep_inbox_events_total{result="(\w+)"} ([\d.]+)', world.metrics.text([]).decode())
    return {result: float(count) for result, count in lines}


@only_sqlite
async def test_what_the_inbox_did_is_counted_by_its_reason(world: World) -> None:
    source = await new_source(world)
    for _ in range(2):
        await send_bytes(world, source["url"], BODY, signature(world, BODY))
    await send_bytes(world, "/inbox/unknown", BODY, signature(world, BODY))
    await send_bytes(world, source["url"], b"{}", signature(world, b"{}"))
    assert counts(world) == {
        "received": 1,
        "repeated": 1,
        "unknown_source": 1,
        "wrong_signature": 0,
        "wrong_time": 0,
        "unreadable": 1,
    }
    shown = {metric.name: metric.samples[0].value for metric in await gauges.read(world.deps, None)}
    assert shown["lootkeep_payment_events_waiting"] == 1


@only_sqlite
async def test_one_right_signature_among_several_is_enough(world: World) -> None:
    source = await new_source(world)
    at, digest = signature(world, BODY).removeprefix("t=").split(",v1=")
    header = f"t={at},v1={'0' * 64},v0={'1' * 64},v1={digest}"
    assert (await send_bytes(world, source["url"], BODY, header)).status_code == 200


async def test_unknown_inactive_and_deleted_sources_are_refused_and_their_events_stay(world: World) -> None:
    source = await new_source(world)
    await send(world, source, event("charge.succeeded", charge()))
    other = json.dumps(event("charge.succeeded", charge(), 2)).encode()
    header = signature(world, other)
    assert (await send_bytes(world, "/inbox/unknown", other, header)).json() == REFUSED
    await world.put("/payment-sources/1", {"is_active": False})
    assert (await send_bytes(world, source["url"], other, header)).json() == REFUSED
    await world.put("/payment-sources/1", {"is_active": True})
    await world.delete("/payment-sources/1")
    assert (await send_bytes(world, source["url"], other, header)).json() == REFUSED
    assert len(await events(world)) == 1


async def test_a_replaced_secret_counts_for_another_day(world: World) -> None:
    source = await new_source(world)
    await world.put("/payment-sources/1", {"secret": "whsec_replaced0000"})
    for secret in (SECRET, "whsec_replaced0000"):
        assert (await send_bytes(world, source["url"], BODY, signature(world, BODY, secret))).status_code == 200
    world.clock.advance(DAY)
    assert (await send_bytes(world, source["url"], BODY, signature(world, BODY))).status_code == 400
    header = signature(world, BODY, "whsec_replaced0000")
    assert (await send_bytes(world, source["url"], BODY, header)).status_code == 200


@only_sqlite
async def test_sending_the_same_secret_again_keeps_the_one_before(world: World) -> None:
    source = await new_source(world)
    for _ in range(2):
        await world.put("/payment-sources/1", {"secret": "whsec_replaced0000"})
    assert (await send_bytes(world, source["url"], BODY, signature(world, BODY))).status_code == 200


@only_sqlite
async def test_a_body_that_is_too_large_is_refused(world: World) -> None:
    source = await new_source(world)
    body = json.dumps(event("charge.succeeded", charge(description="x" * MAX_BODY))).encode()
    answer = await send_bytes(world, source["url"], body, signature(world, body))
    assert (answer.status_code, answer.json()["code"]) == (413, "payload_too_large")


def test_the_inbox_is_documented_without_a_token() -> None:
    operation = DOCUMENT["paths"]["/inbox/{source}"]["post"]
    assert (operation["security"], sorted(operation["responses"])) == ([], ["200", "400", "413", "429", "500", "503"])


@only_sqlite
async def test_only_post_is_answered(world: World) -> None:
    source = await new_source(world)
    answer = await world.http.get(source["url"])
    assert (answer.status_code, answer.headers["allow"]) == (405, "POST")


@only_sqlite
async def test_a_network_has_a_limit_of_its_own(world: World) -> None:
    for _ in range(EVENTS_PER_MINUTE):
        await world.deps.limiter.hit("inbox:127.0.0.1", EVENTS_PER_MINUTE, world.clock.now())
    assert (await send_bytes(world, "/inbox/any", BODY, None)).status_code == 429
    world.clock.advance(MINUTE)
    assert (await send_bytes(world, "/inbox/any", BODY, None)).status_code == 400


@only_sqlite
@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"[]",
        b"null",
        b"{}",
        b'{"id": 7, "type": "charge.succeeded"}',
        b'{"id": "evt_1"}',
        b'{"id": "", "type": "charge.succeeded"}',
        b'{"id": "evt\\u0000", "type": "charge.succeeded"}',
        b'{"id": "\\ud800", "type": "charge.succeeded"}',
        b'{"id": "evt_1", "type": "\xff"}',
        b"[" * 100_000,
    ],
    ids=range(11),
)
async def test_signed_bytes_without_an_id_and_a_type_are_refused(world: World, body: bytes) -> None:
    source = await new_source(world)
    assert (await send_bytes(world, source["url"], body, signature(world, body))).json() == REFUSED


KINDS = ("charge.succeeded", "charge.failed", "charge.refunded", "payment_intent.succeeded", "charge.dispute.closed")


async def test_a_thousand_signed_events_with_hostile_values_are_received_and_tried(world: World) -> None:
    source = await new_source(world)
    await an_order(world)
    rng = random.Random(7)
    for number in range(1000):
        described = charge(1) | {"amount_received": 2000, "status": "lost"}
        for name in rng.sample(sorted(described), 4):
            described[name] = rng.choice(HOSTILE)
        body = json.dumps(event(rng.choice(KINDS), described, number, created=rng.choice(HOSTILE))).encode()
        assert (await send_bytes(world, source["url"], body, signature(world, body))).status_code == 200
    world.clock.advance(MINUTE)
    await work(world)
    async with world.db.read() as tx:
        stored = await payment_events_db.ROWS.find(tx)
    assert len(stored) == 1000
    assert not [row for row in stored if row.operation and not row.attempts_count]
    # Only what needs a payment may wait for one: it is also the word for an event that failed.
    assert {it.operation for it in stored if it.reason == "payment_missing"} <= {"refunded", "dispute_lost"}


@only_sqlite
async def test_a_thousand_signed_bodies_of_broken_bytes_are_received_or_refused(world: World) -> None:
    source = await new_source(world)
    rng = random.Random(11)
    for _ in range(1000):
        body = bytearray(BODY)
        for _ in range(rng.randrange(1, 4)):
            at = rng.randrange(len(body))
            body[at : at + rng.randrange(3)] = rng.choice(
                (b"", b"\xff", b"\x00", b'"', b"}", b"[", b"\\ud800", b"1e999")
            )
        answer = await send_bytes(world, source["url"], bytes(body), signature(world, bytes(body)))
        assert answer.status_code in (200, 400)
    world.clock.advance(MINUTE)
    await work(world)
