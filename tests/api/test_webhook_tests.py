"""Test deliveries: a webhook is tried out on a real receiver, and the answer says how it went."""

from __future__ import annotations

import hashlib
import hmac
import re
from collections.abc import AsyncIterator

import pytest

from tests.api.hooks import make
from tests.receiver import Receiver, resetting, saying
from tests.world import World


@pytest.fixture
async def receiver() -> AsyncIterator[Receiver]:
    async with Receiver() as receiver:
        yield receiver


async def test_a_test_is_delivered_signed_for_any_subscription(insecure_world: World, receiver: Receiver) -> None:
    webhook = await make(insecure_world, url=receiver.url)
    await insecure_world.put(f"/webhooks/{webhook['id']}", {"is_active": False})
    answer = await insecure_world.post(f"/webhooks/{webhook['id']}/test")
    time = answer.json()["data"]["response_time_ms"]
    assert answer.status_code == 200
    assert answer.json() == {
        "success": True,
        "message": "Test webhook delivered successfully",
        "data": {"delivered": True, "response_code": 200, "response_time_ms": time},
    }
    assert type(time) is int
    (request,) = receiver.received
    expected = hmac.new(webhook["secret"].encode(), request.body, hashlib.sha256).hexdigest()
    assert request.headers["X-Webhook-Signature"] == expected
    assert request.headers["X-Webhook-Event"] == "webhook.test"
    assert request.headers["Content-Type"] == "application/json"
    assert request.headers["X-Webhook-ID"] == request.json["id"]
    assert re.fullmatch(r"wh_[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", request.json["id"])
    assert list(request.json) == ["id", "event_type", "created_at", "data"]
    assert request.json["event_type"] == "webhook.test"
    assert request.json["created_at"] == "2026-11-15T12:00:00Z"


@pytest.mark.parametrize(
    ("status", "delivered"),
    [(200, True), (201, True), (204, True), (299, True), (400, False), (404, False), (500, False)],
)
async def test_a_test_is_delivered_when_the_answer_is_2xx(
    insecure_world: World, receiver: Receiver, status: int, delivered: bool
) -> None:
    receiver.answers = [status]
    webhook = await make(insecure_world, url=receiver.url)
    answer = await insecure_world.post(f"/webhooks/{webhook['id']}/test")
    failed = f"Test webhook delivery failed: answered {status}"
    assert answer.status_code == 200
    assert answer.json()["success"] is True
    assert answer.json()["message"] == ("Test webhook delivered successfully" if delivered else failed)
    data = answer.json()["data"]
    assert (data["delivered"], data["response_code"]) == (delivered, status)


async def test_a_redirected_test_fails_and_reports_the_location(insecure_world: World, receiver: Receiver) -> None:
    receiver.behaviour = saying(
        b"HTTP/1.1 301 Moved\r\nLocation: https://www.shop.example/\r\nContent-Length: 0\r\n\r\n"
    )
    webhook = await make(insecure_world, url=receiver.url)
    answer = (await insecure_world.post(f"/webhooks/{webhook['id']}/test")).json()
    assert answer["message"] == (
        "Test webhook delivery failed: answered 301 to https://www.shop.example/: redirects are not followed"
    )
    assert (answer["data"]["delivered"], answer["data"]["response_code"]) == (False, 301)
    assert len(receiver.received) == 1


async def test_a_test_without_an_answer_has_no_response_code(insecure_world: World, receiver: Receiver) -> None:
    receiver.behaviour = resetting
    webhook = await make(insecure_world, url=receiver.url)
    answer = await insecure_world.post(f"/webhooks/{webhook['id']}/test")
    data = answer.json()["data"]
    assert answer.status_code == 200
    assert (data["delivered"], data["response_code"]) == (False, None)
    assert answer.json()["message"].startswith("Test webhook delivery failed: the connection ")


async def test_a_test_is_not_retried_and_not_in_the_log(insecure_world: World, receiver: Receiver) -> None:
    receiver.answers = [500]
    webhook = await make(insecure_world, url=receiver.url)
    await insecure_world.post(f"/webhooks/{webhook['id']}/test")
    answer = (await insecure_world.get(f"/webhooks/{webhook['id']}/deliveries")).json()
    assert (answer["data"], len(receiver.received)) == ([], 1)
