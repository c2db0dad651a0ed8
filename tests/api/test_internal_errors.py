"""Internal errors are reported without details."""

from __future__ import annotations

import httpx

from lootkeep.api.http.app import Api
from lootkeep.api.http.limits import Limits
from lootkeep.api.http.metrics import Metrics
from lootkeep.api.http.probes import Probes
from lootkeep.api.http.router import Router
from lootkeep.api.http.routes import Call, Group, Reply, Route, only_message
from tests.world import EXTERNAL, World


class UnexpectedError(Exception):
    """Whatever goes wrong inside; none of it may leak outside."""


async def stumble(_: Call[None, None]) -> Reply:
    raise UnexpectedError("the password of /etc/lootkeep is hunter2")


STUMBLES = Group(
    "Test",
    "What goes wrong.",
    (Route("GET", "/stumble", stumble, "referrals:read", "Go wrong", only_message("never")),),
)


def edge(world: World, group: Group) -> httpx.AsyncClient:
    """The same HTTP layer over other routes."""
    pages = Probes(world.deps, world.tokens, world.limits, Metrics(), {}, dict).app()
    api = Api(
        world.deps, Router(group.routes_below), world.tokens, Limits(world.deps.limiter, 60, 60), Metrics(), pages
    )
    return httpx.AsyncClient(
        transport=httpx.ASGITransport(api),
        base_url="http://store.test",
        headers={"Authorization": f"Bearer {world.token}"},
    )


async def test_an_internal_error_is_reported_without_details(world: World) -> None:
    async with edge(world, STUMBLES) as client:
        answer = await client.get(EXTERNAL + "/stumble", headers={"X-Request-ID": "mine"})
    assert answer.status_code == 500
    assert answer.json() == {
        "success": False,
        "error": "Server Error",
        "code": "server_error",
        "message": "Something went wrong on our side. The request id helps us to find it.",
    }
    assert answer.headers["X-Request-ID"] == "mine"
    assert answer.headers["X-RateLimit-Remaining"] == "59"
    response_text = answer.text + str(answer.headers)
    assert not [word for word in ("Mishap", "hunter2", "Traceback", "lootkeep", ".py") if word in response_text]


async def test_an_internal_error_of_a_page_is_reported_without_details(world: World) -> None:
    async def check() -> bool:
        raise UnexpectedError("hunter2")

    pages = Probes(world.deps, world.tokens, world.limits, Metrics(), {"database": check}, dict).app()
    # The framework raises the error again after its answer, for the server to log.
    transport = httpx.ASGITransport(pages, raise_app_exceptions=False)
    async with httpx.AsyncClient(transport=transport, base_url="http://store.test") as client:
        answer = await client.get("/readyz")
    assert (answer.status_code, answer.json()["code"]) == (500, "server_error")
    assert "Mishap" not in answer.text
    assert "hunter2" not in answer.text
