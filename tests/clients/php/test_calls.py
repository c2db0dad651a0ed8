"""The PHP client against the real app: pages, errors, retries that do not repeat an operation, and webhooks."""

from __future__ import annotations

from typing import Any

from tests.builders import new_customer, new_ticket
from tests.clients.deliveries import HEADERS, vectors
from tests.clients.php.front import Front
from tests.clients.php.programs import run
from tests.world import World

# A framework has a list of values for each name.
_LISTS = {name: [value] for name, value in HEADERS.items()}
_GENUINE = next(vector for vector in vectors() if vector["reason"] is None)
VECTORS = [*vectors(), _GENUINE | {"title": "headers as lists", "headers": _LISTS}]
ERRORS = "Lootkeep\\Errors\\"


async def calls(world: World, front: Front) -> Any:
    customer = (await new_customer(world))["customer"]
    for _ in range(7):
        await new_ticket(world, customer["id"])
    return await run(
        "calls.php",
        {
            "url": front.url,
            "token": world.token,
            "reader": await world.new_token("referrals:read"),
            "limited": await world.new_token("referrals:read", rate_limit=2),
            "impatient": await world.new_token("referrals:read", rate_limit=1),
            "webhooks": VECTORS,
        },
    )


async def test_the_client_calls_the_service(world: World) -> None:
    """One run of PHP for all of it: to start it takes longer than most of what it does."""
    async with Front(world) as front:
        results = await calls(world, front)
    assert results["tier"] == ["Bronze", "10.00", "Silver", ["Silver"], False, "Referral tier deleted successfully"]
    assert results["metadata"] == []
    assert results["pages"] == {
        "all": [7, 6, 5, 4, 3, 2, 1],
        "from the second": [4, 3, 2, 1],
        "unassigned": [7, 6, 5, 4, 3, 2, 1],
        "none": [],
        "second": [[5, 4], 2, 4, 2, 7],
        "third": 3,
    }
    check_errors(results["errors"])
    check_retries(results, front)
    check_construction(results)
    assert results["webhooks"] == {vector["title"]: vector["reason"] or "wh_1" for vector in VECTORS}


def check_errors(errors: dict[str, Any]) -> None:
    classes = {name: error["class"].removeprefix(ERRORS) for name, error in errors.items()}
    assert classes == {
        "ignored": "FieldsIgnored",
        "invalid": "Invalid",
        "not found": "NotFound",
        "conflict": "Conflict",
        "unauthorized": "Unauthorized",
        "forbidden": "Forbidden",
        "another path": "NotFound",
        "a header in a key": "InvalidArgumentException",
        "a header in a token": "InvalidArgumentException",
    }
    assert errors["ignored"]["message"].endswith("ignored: colour, sort.")
    assert errors["ignored"]["names"] == ["colour", "sort"]
    assert errors["ignored"]["answer"]["data"]["name"] == "Bronze"
    invalid = errors["invalid"]
    assert (invalid["status"], invalid["code"], invalid["error"]) == (
        [422, 422],
        "validation_failed",
        "Validation Error",
    )
    assert invalid["fields"]["name"] == ["The name field must not be empty."]
    assert "reward_value" in invalid["fields"]
    assert invalid["has request"]
    assert "Allowed from here: open" in errors["conflict"]["detail"]
    assert "referrals:write" in errors["forbidden"]["detail"]


def check_retries(results: dict[str, Any], front: Front) -> None:
    assert results["waits before"] == []
    # An id that could lead to another path arrives as it is.
    assert "/no-fault/api/external/v1/webhooks/deliveries/.." in front.targets
    assert results["lost"] == ["Bronze", 2]
    assert results["keys"] == [True, False]
    for fault in ("lost-2", "cut-3", "503-3", "used-2"):
        # One key for all attempts of a call.
        assert len(front.keys[fault]) == int(fault[-1]) + 1
        assert len(set(front.keys[fault])) == 1
    faults = results["faults"]
    for fault in ("408-3", "502-3", "503-3", "504-3", "cut-3"):
        assert faults[fault]["error"] == []
        assert len(faults[fault]["waits"]) == 3
        assert sum(faults[fault]["waits"]) <= 3.5
    assert (faults["used-2"]["error"], len(faults["used-2"]["waits"])) == ([], 2)
    assert (faults["503-99"]["error"]["class"], len(faults["503-99"]["waits"])) == (ERRORS + "ServerError", 4)
    assert (faults["cut-99"]["error"]["class"], len(faults["cut-99"]["waits"])) == (ERRORS + "ConnectionFailed", 4)
    assert faults["cut-99"]["error"]["message"].startswith("The service did not answer: ")
    assert (faults["500-1"]["error"]["class"], faults["500-1"]["waits"]) == (ERRORS + "ServerError", [])
    assert results["once"] == ["The server answered 503.", []]
    assert results["limited"] == [3, [60.0]]
    error, waits = results["impatient"]
    assert (error["class"], error["retry after"], waits) == (ERRORS + "RateLimited", 60, [])
    for most, waits in zip((0.5, 1.0, 2.0, 4.0), results["first waits"], strict=True):
        assert all(most / 2 <= wait <= most for wait in waits)
        assert len(set(waits)) > 1
    assert results["last waits"] == [None, True]


def check_construction(results: dict[str, Any]) -> None:
    for error in results["addresses"]:
        assert error["message"].endswith("it starts with http:// or https://.")
    assert [error["message"] for error in results["missing"]] == [
        "Give the URL of the service, or set LOOTKEEP_URL.",
        "Give a token, or set LOOTKEEP_TOKEN.",
    ]
    assert results["environment"] == ["https://store.example", False]
    assert results["timeout"] == ERRORS + "ConnectionFailed"
