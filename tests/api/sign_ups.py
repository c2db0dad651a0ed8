"""Helpers that create customers over the Store API, with and without the code of another customer."""

from __future__ import annotations

from typing import Any

import httpx

from tests.builders import STORE, new_customer
from tests.world import World

CUSTOMERS = f"{STORE}/customers"
JUN = {"email": "jun@j.example", "name": "Jun Park"}


async def sign_up(world: World, **fields: Any) -> httpx.Response:
    return await world.post(CUSTOMERS, JUN | fields)


async def anna(world: World, **fields: Any) -> dict[str, Any]:
    """The customer whose code the others use."""
    body = {"email": "anna@a.example", "name": "Anna"} | fields
    customer: dict[str, Any] = (await new_customer(world, **body))["customer"]
    return customer
