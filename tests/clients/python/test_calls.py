"""The client against the real app: pages, errors, and retries that do not repeat an operation."""

from __future__ import annotations

import asyncio
from typing import Any

import httpx
import pytest

from lootkeep_client import (
    AsyncClient,
    Client,
    Conflict,
    ConnectionFailed,
    FieldsIgnored,
    Forbidden,
    Invalid,
    NotFound,
    RateLimited,
    Retry,
    ServerError,
    Unauthorized,
)
from tests.builders import new_customer, new_ticket
from tests.clients.python.conftest import BASE, Bridge, RecordedWaits
from tests.world import World

BRONZE: dict[str, Any] = {
    "name": "Bronze",
    "referrals_required": 5,
    "reward_type": "percentage_discount",
    "reward_value": 10,
}


class FlakyTransport(httpx.AsyncBaseTransport):
    """Lets requests through to the app, and loses the first answers or refuses before they get there."""

    def __init__(self, world: World, *, lost: int = 0, refused: int = 0, status: int | None = None) -> None:
        self._app = httpx.ASGITransport(world.app)
        self._lost = lost
        self._refused = refused
        self._status = status
        self.requests: list[httpx.Request] = []

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        self.requests.append(request)
        if len(self.requests) <= self._refused:
            if self._status:
                return httpx.Response(self._status, text="<html>proxy</html>")
            raise httpx.ConnectError("Connection refused")
        answer = await self._app.handle_async_request(request)
        if len(self.requests) <= self._lost + self._refused:
            raise httpx.ReadTimeout("timed out")
        return answer


def flaky_client(world: World, transport: FlakyTransport, waits: RecordedWaits, **options: Any) -> AsyncClient:
    return AsyncClient(BASE, world.token, transport=transport, sleep=waits.later, **options)


async def test_a_tier_is_created_changed_and_removed(client: AsyncClient) -> None:
    tier = await client.referrals.tiers.create(**BRONZE)
    assert (tier["name"], tier["reward_value"]) == ("Bronze", "10.00")
    changed = await client.referrals.tiers.update(tier["id"], name="Silver", description=None)
    assert changed["name"] == "Silver"
    assert [row["name"] for row in await client.referrals.tiers.list()] == ["Silver"]
    assert await client.referrals.tiers.delete(tier["id"]) == "Referral tier deleted successfully"


async def test_the_sync_client_does_the_same(sync_client: Client) -> None:
    def story() -> str:
        tier = sync_client.referrals.tiers.create(**BRONZE)
        assert sync_client.referrals.tiers.toggle(tier["id"])["is_active"] is False
        assert [row["id"] for row in sync_client.referrals.tiers.list()] == [tier["id"]]
        return sync_client.referrals.tiers.delete(tier["id"])

    assert await asyncio.to_thread(story) == "Referral tier deleted successfully"


async def many_tickets(world: World, count: int) -> None:
    customer = (await new_customer(world))["customer"]
    for _ in range(count):
        await new_ticket(world, customer["id"])


async def test_a_list_is_read_to_its_end(world: World, client: AsyncClient, sync_client: Client) -> None:
    await many_tickets(world, 7)
    expected = [7, 6, 5, 4, 3, 2, 1]
    assert [ticket["id"] async for ticket in client.support_tickets.list(per_page=3)] == expected
    assert [ticket["id"] async for ticket in client.support_tickets.list(per_page=3, page=2)] == expected[3:]
    tickets = await asyncio.to_thread(lambda: list(sync_client.support_tickets.list(per_page=2, assigned_to="none")))
    assert [ticket["id"] for ticket in tickets] == expected
    assert await asyncio.to_thread(lambda: list(sync_client.support_tickets.list(status="closed"))) == []


async def test_a_single_page_can_be_requested(world: World, client: AsyncClient, sync_client: Client) -> None:
    await many_tickets(world, 5)
    page = await client.support_tickets.list(per_page=2).page(2)
    assert ([item["id"] for item in page.items], page.total, page.last_page) == ([3, 2], 5, 3)
    first = await asyncio.to_thread(lambda: sync_client.support_tickets.list(per_page=2, page=3).page())
    assert ([item["id"] for item in first.items], first.current_page) == ([1], 3)


async def test_a_python_keyword_is_written_with_an_underscore(world: World, client: AsyncClient) -> None:
    await many_tickets(world, 1)
    assert [t["id"] async for t in client.support_tickets.list(from_="2026-11-15", to="2026-11-15")] == [1]
    assert [t["id"] async for t in client.support_tickets.list(from_="2026-11-16")] == []


async def test_an_ignored_field_is_raised_with_the_answer(client: AsyncClient) -> None:
    with pytest.raises(FieldsIgnored, match=r"ignored: colour, sort\.$") as caught:
        await client.referrals.tiers.create(**(BRONZE | {"colour": "brown", "sort": 1}))
    assert caught.value.names == ["colour", "sort"]
    assert caught.value.answer["data"]["name"] == "Bronze"


async def test_a_rejection_reports_every_field_the_code_and_the_request(client: AsyncClient) -> None:
    with pytest.raises(Invalid) as caught:
        await client.referrals.tiers.create(**(BRONZE | {"name": "", "reward_value": -1}))
    error = caught.value
    assert (error.status, error.error, error.code) == (422, "Validation Error", "validation_failed")
    assert error.fields["name"] == ["The name field must not be empty."]
    assert "reward_value" in error.fields
    assert error.request_id
    assert error.request_id in str(error)


async def test_each_rejection_has_a_class(world: World, client: AsyncClient) -> None:
    await many_tickets(world, 1)
    with pytest.raises(NotFound):
        await client.support_tickets.get(99)
    await client.support_tickets.close(1)
    with pytest.raises(Conflict, match="Allowed from here: open"):
        await client.support_tickets.set_status(1, status="pending")
    transport = httpx.ASGITransport(world.app)
    async with AsyncClient(BASE, "lk_nobody", transport=transport) as stranger:
        with pytest.raises(Unauthorized):
            await stranger.referrals.tiers.list()
    token = await world.new_token("referrals:read")
    async with AsyncClient(BASE, token, transport=transport) as reader:
        with pytest.raises(Forbidden, match="referrals:write"):
            await reader.referrals.tiers.create(**BRONZE)


async def test_an_id_cannot_lead_to_another_path(client: AsyncClient) -> None:
    with pytest.raises(NotFound):
        await client.webhooks.deliveries.get("../../referrals/tiers")


async def test_an_operation_whose_answer_was_lost_is_not_repeated(world: World, waits: RecordedWaits) -> None:
    transport = FlakyTransport(world, lost=2)
    async with flaky_client(world, transport, waits) as client:
        tier = await client.referrals.tiers.create(**BRONZE)
        assert [row["id"] for row in await client.referrals.tiers.list()] == [tier["id"]]
    keys = {request.headers["idempotency-key"] for request in transport.requests if request.method == "POST"}
    assert (len(transport.requests), len(keys), len(waits)) == (4, 1, 2)


async def test_two_calls_are_two_operations_unless_they_share_a_key(client: AsyncClient) -> None:
    for _ in range(2):
        await client.referrals.tiers.create(**BRONZE)
    for _ in range(2):
        await client.referrals.tiers.create(idempotency_key="bronze", **BRONZE)
    assert len(await client.referrals.tiers.list()) == 3


@pytest.mark.parametrize("status", [None, 408, 502, 503, 504])
async def test_the_client_waits_for_a_briefly_unavailable_service(
    world: World, waits: RecordedWaits, status: int
) -> None:
    transport = FlakyTransport(world, refused=3, status=status)
    async with flaky_client(world, transport, waits) as client:
        assert await client.referrals.tiers.list() == []
    assert len(waits) == 3
    assert sum(waits) <= 3.5


async def test_the_client_gives_up_on_an_unavailable_service(world: World, waits: RecordedWaits) -> None:
    async with flaky_client(world, FlakyTransport(world, refused=99), waits) as client:
        with pytest.raises(ConnectionFailed, match="Connection refused"):
            await client.referrals.tiers.list()
    assert len(waits) == 4
    async with flaky_client(
        world, FlakyTransport(world, refused=99, status=503), waits, retry=Retry(attempts=1)
    ) as client:
        with pytest.raises(ServerError, match="The server answered 503"):
            await client.referrals.tiers.list()
    assert len(waits) == 4


async def test_the_client_waits_for_a_rate_limit_as_long_as_asked(world: World, waits: RecordedWaits) -> None:
    token = await world.new_token("referrals:read", rate_limit=2)
    async with AsyncClient(BASE, token, transport=httpx.ASGITransport(world.app), sleep=waits.later) as client:
        for _ in range(3):
            await client.referrals.tiers.list()
    assert waits == [60.0]


async def test_the_client_does_not_wait_longer_than_its_maximum(world: World, waits: RecordedWaits) -> None:
    token = await world.new_token("referrals:read", rate_limit=1)
    transport = httpx.ASGITransport(world.app)
    async with AsyncClient(BASE, token, transport=transport, sleep=waits.later, retry=Retry(patience=5)) as client:
        await client.referrals.tiers.list()
        with pytest.raises(RateLimited) as caught:
            await client.referrals.tiers.list()
    assert (caught.value.retry_after, waits) == (60, [])


async def test_the_sync_client_waits_too(world: World, waits: RecordedWaits) -> None:
    bridge = Bridge(FlakyTransport(world, lost=1, refused=1), asyncio.get_running_loop())
    with Client(BASE, world.token, transport=bridge, sleep=waits) as client:
        tier = await asyncio.to_thread(lambda: client.referrals.tiers.create(**BRONZE))
    assert (tier["id"], len(waits)) == (1, 2)


async def test_a_shop_can_be_filled_through_the_store_api(client: AsyncClient) -> None:
    customer = (await client.store.customers.create(email="jun@example.com", name="Jun"))["customer"]
    product = await client.store.products.create(name="VIP rank", price="20.00")
    order = await client.store.orders.create(
        customer_id=customer["id"],
        items=[{"product_id": product["id"], "quantity": 1}],
        ip_address="203.0.113.9",
    )
    paid = await client.store.orders.pay(order["order"]["id"], transaction_id="pi_1")
    assert paid["status"] == "paid"
    ticket = await client.store.support_tickets.create(customer_id=customer["id"], subject="Key", message="Broken.")
    answered = await client.support_tickets.add_message(ticket["id"], message="Here is another.")
    assert answered["ticket"]["status"] == "pending"
    feed = await client.events.read(after=0, limit=10)
    assert [event["event_type"] for event in feed["events"]][:2] == ["customer.created", "product.created"]
