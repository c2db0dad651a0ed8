"""Sends sixty-four concurrent requests and returns their answers."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Iterable
from typing import Any

import httpx

from tests.builders import (
    STORE,
    honest_buyer,
)
from tests.recount import maintained, recounted
from tests.world import World

AT_ONCE = 64

ROUNDS = 3

ORDERS = f"{STORE}/orders"

Call = tuple[str, dict[str, Any]]


async def race(world: World, calls: Iterable[Call]) -> list[httpx.Response]:
    """Runs all requests concurrently; none may fail with an internal error."""
    answers = await asyncio.gather(*(served(world, path, body) for path, body in calls))
    failed = [answer.text for answer in answers if answer.status_code >= 500]
    assert not failed, failed
    return answers


async def served(world: World, path: str, body: dict[str, Any], **options: Any) -> httpx.Response:
    """Retries when no connection was free in time: nothing had started then. A slow machine is not a lost race."""
    while True:
        answer = await world.post(path, body, **options)
        if answer.status_code != 503 or "busy" not in answer.json()["message"]:
            return answer


def statuses(answers: list[httpx.Response]) -> Counter[int]:
    return Counter(answer.status_code for answer in answers)


def order_of(customer_id: int, *lines: tuple[int, int], **fields: Any) -> Call:
    items = [{"product_id": product_id, "quantity": quantity} for product_id, quantity in lines]
    return ORDERS, {"customer_id": customer_id, "items": items} | honest_buyer(customer_id) | fields


async def assert_all_totals_agree(world: World) -> None:
    assert await maintained(world.db) == await recounted(world.db)
