"""A tool is for tokens with its scope, and what it adds from other areas is for tokens with theirs."""

from __future__ import annotations

import pytest

from lootkeep.domain.access import SCOPES
from lootkeep.mcp.tools import BY_NAME
from tests.mcp.agents import ARGUMENTS, CHANGES, agent
from tests.world import World

CALLS = ARGUMENTS | CHANGES


async def test_each_tool_is_refused_without_its_scope_and_works_with_nothing_else(shop: World) -> None:
    for name, arguments in CALLS.items():
        scope = BY_NAME[name].scope
        others = await shop.new_token(*(SCOPES.keys() - {scope}))
        async with agent(shop, others) as asking:
            refused = await asking.ask(name, **arguments)
            assert name not in await asking.names()
        assert refused.data == {"code": "forbidden", "message": f"The token lacks the required scope {scope}."}
        async with agent(shop, await shop.new_token(scope)) as asking:
            answer = await asking.ask(name, **arguments)
            assert not answer.is_error, f"{name}: {answer.text}"
            assert await asking.names() == {tool.name for tool in BY_NAME.values() if tool.scope == scope}


async def test_an_order_has_no_reasons_and_no_receivers_for_a_token_of_orders(shop: World) -> None:
    async with agent(shop, await shop.new_token("orders:read")) as asking:
        steps = (await asking.ask("order_story", order=1)).data["story"]
    assert [step["what"] for step in steps if "facts" in step or "receivers" in step] == []
    assert "Paid" in [step["what"] for step in steps]


async def test_a_buyer_is_explained_without_what_the_token_may_not_read(shop: World) -> None:
    async with agent(shop, await shop.new_token("customers:read")) as asking:
        answer = (await asking.ask("explain_buyer", customer_id=1)).data
    assert answer["newest_orders"] == "Not included. The token lacks the required scope orders:read."
    assert answer["newest_tickets"] == "Not included. The token lacks the required scope support-tickets:read."
    assert answer["an_order_now"] == "Not included. The token lacks the required scope fraud:read."
    assert answer["customer"]["id"] == 1


async def test_failures_of_other_areas_are_left_out(shop: World) -> None:
    async with agent(shop, await shop.new_token("webhooks:read")) as asking:
        answer = (await asking.ask("what_failed")).data
    assert (answer["failed_emails"], answer["paid_lines_that_wait_for_a_key"]) == (None, None)
    assert answer["failed_commands"] == "Not included. The token lacks the required scope servers:read."


@pytest.mark.parametrize("name", CHANGES)
async def test_a_change_needs_more_than_the_scope_to_read(shop: World, name: str) -> None:
    reading = await shop.new_token(*(scope for scope in SCOPES if scope.endswith(":read")))
    async with agent(shop, reading) as asking:
        assert (await asking.ask(name, **CHANGES[name])).code == "forbidden"
        assert not await asking.names() & CHANGES.keys()
