"""Events of PayPal: its signature to the letter, certificates of its own hosts only, and what events do to orders."""

from __future__ import annotations

import json
import random
from collections.abc import AsyncIterator
from typing import Any

import pytest
import trustme

from lootkeep.domain.payments import paypal as paypal_rules
from lootkeep.kernel.clock import DAY, SECOND, iso
from lootkeep.storage.schema import disputes, orders
from tests.api import paypal_authority
from tests.api.every_order import assert_every_order_ends_alike
from tests.api.paypal import (
    NAME,
    SANDBOX_NAME,
    WEBHOOK_ID,
    PayPal,
    capture,
    dispute,
    event,
    every_type,
    paypal_source,
    refund,
)
from tests.api.providers import HOSTILE, an_order, events, order, results, work
from tests.conftest import only_sqlite
from tests.engines.tls_server import serving as tls_for
from tests.receiver import Receiver
from tests.recount import rows, sent
from tests.world import World


@pytest.fixture
async def paypal(world: World) -> AsyncIterator[PayPal]:
    authority = trustme.CA()
    async with Receiver(tls_for(authority.issue_cert("127.0.0.1"))) as host:
        paypal = PayPal(world, host, authority)
        yield paypal
        await paypal.outbound.close()
        await paypal.http.aclose()


COMPLETED = event("PAYMENT.CAPTURE.COMPLETED", capture())
BODY = json.dumps(COMPLETED).encode()


async def test_a_capture_pays_its_order_and_its_certificate_is_fetched_once(world: World, paypal: PayPal) -> None:
    await an_order(world)
    source = await paypal_source(world)
    await paypal.send(source, COMPLETED, COMPLETED, event("CATALOG.PRODUCT.CREATED", {}, 2))
    await work(world)
    assert await results(world) == [("applied", None), ("ignored", None)]
    paid = await order(world)
    assert (paid["status"], paid["payment_method"], paid["transaction_id"]) == ("paid", "paypal", "5O190127TN364715T")
    assert paypal.fetched == 1


async def test_refunds_and_disputes_find_the_order_by_its_capture(world: World, paypal: PayPal) -> None:
    await an_order(world)
    sent = [
        event("CUSTOMER.DISPUTE.RESOLVED", dispute("RESOLVED_SELLER_FAVOUR"), 5),
        event("CUSTOMER.DISPUTE.CREATED", dispute(), 4),
        event("PAYMENT.CAPTURE.REVERSED", refund("20.00"), 3),
        event("PAYMENT.CAPTURE.REFUNDED", refund("5.00", "5.00"), 2),
        COMPLETED,
    ]
    await paypal.send(await paypal_source(world), *sent, *sent)
    await work(world)
    assert [status for status, _ in await results(world)] == ["applied"] * 5
    assert (await order(world))["status"] == "refunded"
    deadlines = {row["kind"]: row["evidence_due_at"] for row in await rows(world.db, disputes)}
    assert iso(deadlines["dispute"]) == "2026-12-05T08:00:00Z"


@only_sqlite
@pytest.mark.parametrize(
    ("kind", "resource", "operation"),
    [
        ("PAYMENT.CAPTURE.DENIED", capture(), "declined"),
        ("CUSTOMER.DISPUTE.RESOLVED", dispute("RESOLVED_BUYER_FAVOUR"), "dispute_lost"),
        ("CUSTOMER.DISPUTE.RESOLVED", dispute("CANCELED_BY_BUYER"), "dispute_won"),
        ("CUSTOMER.DISPUTE.RESOLVED", dispute("NONE"), None),
    ],
)
async def test_the_outcome_says_what_an_event_does(
    world: World, paypal: PayPal, kind: str, resource: dict[str, Any], operation: str | None
) -> None:
    await paypal.send(await paypal_source(world), event(kind, resource))
    assert [row["operation"] for row in await events(world)] == [operation]


@only_sqlite
@pytest.mark.parametrize(
    "changes",
    [
        {"paypal-transmission-id": "another"},
        {"paypal-transmission-time": "2026-11-15T12:00:01Z"},
        {"paypal-transmission-sig": "AAAA"},
        {"paypal-transmission-sig": "not base64"},
        {"paypal-auth-algo": "SHA1withRSA"},
        {"paypal-cert-url": ""},
    ],
    ids=range(6),
)
async def test_a_changed_header_is_refused(world: World, paypal: PayPal, changes: dict[str, str]) -> None:
    source = await paypal_source(world)
    assert (await paypal.post(source, BODY, paypal.headers(BODY) | changes)).status_code == 400
    assert await events(world) == []


@only_sqlite
async def test_a_transmission_may_be_as_old_as_the_last_retry_and_not_from_the_future(
    world: World, paypal: PayPal
) -> None:
    source = await paypal_source(world)
    for ago, status in ((3 * DAY, 200), (4 * DAY, 200), (4 * DAY + SECOND, 400), (-300 * SECOND, 200)):
        assert (await paypal.post(source, BODY, paypal.headers(BODY, ago=ago))).status_code == status
    assert (await paypal.post(source, BODY, paypal.headers(BODY, ago=-301 * SECOND))).status_code == 400


@only_sqlite
async def test_another_webhook_and_another_body_are_refused_and_a_replaced_id_counts(
    world: World, paypal: PayPal
) -> None:
    source = await paypal_source(world)
    assert (await paypal.post(source, BODY, paypal.headers(BODY, "OTHER"))).status_code == 400
    assert (await paypal.post(source, BODY + b" ", paypal.headers(BODY))).status_code == 400
    await world.put("/payment-sources/1", {"secret": "REPLACED"})
    for webhook_id in (WEBHOOK_ID, "REPLACED"):
        assert (await paypal.post(source, BODY, paypal.headers(BODY, webhook_id))).status_code == 200


@only_sqlite
async def test_a_certificate_is_fetched_from_no_other_host_and_no_other_path(world: World, paypal: PayPal) -> None:
    source = await paypal_source(world)
    own = f"127.0.0.1:{paypal.host.port}"
    for url in (
        f"http://{own}/v1/notifications/certs/CERT-1",
        f"https://localhost:{paypal.host.port}/v1/notifications/certs/CERT-1",
        f"https://{own}@evil.example/v1/notifications/certs/CERT-1",
        f"https://user@{own}/v1/notifications/certs/CERT-1",
        f"https://{own}/v1/notifications/certs/../../CERT-1",
        f"https://{own}/v1/notifications/certs/CERT-1?x=1",
        f"https://{own}/v1/notifications/certs/CERT-1#x",
        f"https://{own}/other/CERT-1",
        "https://api.paypal.com.evil.example/v1/notifications/certs/CERT-1",
        "https://[::1/v1/notifications/certs/CERT-1",
    ):
        answer = await paypal.post(source, BODY, paypal.headers(BODY) | {"paypal-cert-url": url})
        assert answer.status_code == 400, url
    assert paypal.fetched == 0


@only_sqlite
async def test_a_certificate_that_is_not_paypals_is_refused(world: World, paypal: PayPal) -> None:
    source = await paypal_source(world)
    for authority, name in ((paypal_authority.authority(), NAME), (paypal.authority, "shop.example")):
        paypal.use(paypal_authority.issue(authority, name))
        assert (await paypal.post(source, BODY, paypal.headers(BODY))).status_code == 400
    for pem in (b"", b"no certificate"):
        paypal.pem = pem
        assert (await paypal.post(source, BODY, paypal.headers(BODY))).status_code == 400


@only_sqlite
async def test_a_chain_is_followed_to_a_trusted_root_and_ends_with_its_certificates(
    world: World, paypal: PayPal
) -> None:
    source = await paypal_source(world)
    middle, foreign = (paypal_authority.authority(by) for by in (paypal.authority, paypal_authority.authority()))
    between = paypal_authority.authority(middle)
    signed, other = paypal_authority.issue(between, NAME), paypal_authority.issue(foreign, NAME)
    not_an_authority = paypal_authority.issue(middle, NAME)
    for leaf, chain, status in (
        (signed, [], 400),
        (signed, [middle], 400),
        (other, [foreign], 400),
        (other, [foreign, middle, between], 400),
        (paypal_authority.issue(not_an_authority, NAME), [not_an_authority, middle], 400),
        (signed, [between, middle], 200),
    ):
        paypal.use(leaf)
        paypal.pem = b"".join(it.pem for it in (leaf, *chain))
        assert (await paypal.post(source, BODY, paypal.headers(BODY))).status_code == status
    world.clock.advance(31 * DAY)
    assert (await paypal.post(source, BODY, paypal.headers(BODY))).status_code == 400


@only_sqlite
async def test_if_the_certificate_cannot_be_fetched_paypal_is_asked_to_send_again(world: World, paypal: PayPal) -> None:
    source = await paypal_source(world)
    paypal.status = 500
    answer = await paypal.post(source, BODY, paypal.headers(BODY))
    assert (answer.status_code, answer.json()["code"]) == (503, "service_unavailable")
    paypal.status = 200
    assert (await paypal.post(source, BODY, paypal.headers(BODY))).status_code == 200


@only_sqlite
async def test_events_of_the_sandbox_are_ignored_unless_the_source_is_for_tests(world: World, paypal: PayPal) -> None:
    paypal.hosts[f"127.0.0.1:{paypal.host.port}"] = SANDBOX_NAME
    paypal.use(paypal_authority.issue(paypal.authority, SANDBOX_NAME))
    await paypal.send(await paypal_source(world), COMPLETED)
    await paypal.send(await paypal_source(world, is_test=True), COMPLETED)
    assert await results(world) == [("ignored", "test_mode"), ("waiting", None)]


@only_sqlite
async def test_every_type_comes_twice_and_in_every_order_and_counts_once(world: World, paypal: PayPal) -> None:
    source = await paypal_source(world)

    async def report(order_id: int, index: int) -> None:
        await paypal.send(source, every_type(order_id)[index])

    for order_id in await assert_every_order_ends_alike(world, 6, report):
        shown = await events(world, order_id=order_id)
        assert [row["status"] for row in shown] == ["applied"] * 6
        assert (await order(world, order_id))["status"] == "refunded"
    paid = [row for row in await rows(world.db, orders) if row["paid_at"] is not None]
    assert (await sent(world.db)).count("order.paid") == len(paid)


def test_a_thousand_events_with_hostile_values_are_read() -> None:
    rng = random.Random(13)
    for number in range(1000):
        it = rng.choice(every_type(number))
        resource = it["resource"] = dict(it["resource"])
        for name in rng.sample(sorted(resource), 2):
            resource[name] = rng.choice(HOSTILE)
        it["create_time"] = rng.choice(HOSTILE)
        assert paypal_rules.read(it, is_test=False) is not None
