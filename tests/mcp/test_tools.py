"""Every tool answers the question it is for, over HTTP, to the official client."""

from __future__ import annotations

import json
from typing import Any

import pytest

from lootkeep.mcp import marking
from lootkeep.mcp.tools import CHANGES as CHANGE_ROWS, TOOLS
from tests.builders import new_customer, new_ticket
from tests.conftest import only_sqlite
from tests.mcp.agents import ARGUMENTS, CHANGES, DELIVERY, agent
from tests.world import World


async def answers(world: World) -> dict[str, Any]:
    async with agent(world) as asking:
        replies = {name: await asking.ask(name, **arguments) for name, arguments in ARGUMENTS.items()}
    failed = {name: reply.text for name, reply in replies.items() if reply.is_error}
    assert failed == {}
    return {name: reply.data for name, reply in replies.items()}


def test_the_tests_call_every_tool() -> None:
    assert ARGUMENTS.keys() == {tool.name for tool in TOOLS}
    assert CHANGES.keys() == {change.name for change in CHANGE_ROWS}


async def test_orders_are_found_and_read_with_their_story(shop: World) -> None:
    replies = await answers(shop)
    assert [order["id"] for order in replies["find_orders"]["orders"]] == [2, 1]
    assert (replies["find_orders"]["total"], replies["find_orders"]["pages"]) == (2, 1)
    story = replies["order_story"]
    assert story["order"]["order_number"] == "ORD-000001"
    assert {"Placed", "Paid"} <= {step["what"] for step in story["story"]}
    receivers = [row for step in story["story"] for row in step.get("receivers", ())]
    assert {(row["event"], row["status"]) for row in receivers} >= {("order.paid", "pending")}
    assert [good["state"] for good in story["goods"]] == ["failed"]


async def test_why_an_order_was_held_is_said_with_points_facts_and_rules(shop: World) -> None:
    async with agent(shop) as asking:
        held = (await asking.ask("why_held", order="ORD-000002")).data
        queue = (await asking.ask("review_queue")).data
    assert (held["waits_for"], held["check"]["action_taken"]) == ("on_hold", "verification_required")
    assert [rule["name"] for rule in held["check"]["rules"]] == ["All"]
    assert held["check"]["facts"].keys() <= held["check"]["signals"].keys()
    assert [check["order"]["id"] for check in queue["checks"]] == [2]


async def test_a_rule_is_tried_and_nothing_is_saved(shop: World) -> None:
    before = (await shop.get("/fraud/rules")).json()
    tried = (await answers(shop))["try_rule"]
    assert (tried["checks"], tried["rule"]["fired"]) == (2, 2)
    assert (await shop.get("/fraud/rules")).json() == before


async def test_a_buyer_is_explained_by_id_and_by_email(shop: World) -> None:
    async with agent(shop) as asking:
        by_id, by_email = [
            (await asking.ask("explain_buyer", **who)).data for who in ({"customer_id": 1}, {"email": "jun@j.example"})
        ]
        neither = await asking.ask("explain_buyer")
        unknown = await asking.ask("explain_buyer", email="nobody@j.example")
    assert by_id == by_email
    assert [order["id"] for order in by_id["newest_orders"]] == [2, 1]
    assert [ticket["id"] for ticket in by_id["newest_tickets"]] == [1]
    assert [account["id"] for account in by_id["linked"]["accounts"]] == [1]
    assert by_id["an_order_now"]["is_known_customer"]
    assert (neither.code, unknown.code) == ("validation_failed", "not_found")


async def test_tickets_are_listed_read_and_drafted_for(shop: World) -> None:
    replies = await answers(shop)
    assert [ticket["id"] for ticket in replies["waiting_tickets"]["tickets"]] == [1]
    assert [message["author_type"] for message in replies["read_ticket"]["messages"]] == ["customer"]
    draft = replies["draft_reply"]
    assert draft["draft"] == "Hello {{ customer_name }}, about VIP rank:"
    assert (draft["canned_replies"], draft["order"]["id"]) == (["New key"], 1)
    async with agent(shop) as asking:
        plain = (await asking.ask("draft_reply", ticket=1)).data["draft"]
        missing = await asking.ask("draft_reply", ticket=1, canned_reply="Nothing")
    assert plain.startswith("Hello {{ customer_name }},")
    assert missing.code == "not_found"
    # Nothing was sent.
    assert (await shop.get("/support-tickets/1")).json()["data"]["messages_count"] == 1


async def test_figures_are_those_of_the_api(shop: World) -> None:
    replies = await answers(shop)
    revenue = (await shop.get("/analytics/revenue?compare=true")).json()["data"]
    sales = (await shop.get("/analytics/sales?compare=true")).json()["data"]
    assert replies["figures"]["revenue"] == revenue
    assert replies["figures"]["sales"]["totals"] == sales["totals"]
    assert replies["best_sellers"]["top_products"] == sales["top_products"]
    async with agent(shop) as asking:
        day = (await asking.ask("figures", since="2026-11-15", until="2026-11-15")).data["revenue"]
        wrong = await asking.ask("figures", since="2026-11-15")
    assert (day["period"]["from"], day["totals"]["orders_count"]) == ("2026-11-15", 1)
    assert wrong.data["errors"] == {"to": ["The to field is required when from is sent."]}


async def test_what_failed_names_deliveries_commands_and_emails(shop: World) -> None:
    failed = (await answers(shop))["what_failed"]
    assert [delivery["id"] for delivery in failed["failed_deliveries"]] == [DELIVERY]
    assert [command["order_id"] for command in failed["failed_commands"]] == [1]
    assert [email["kind"] for email in failed["failed_emails"]] == ["gift_card"]
    assert failed["paid_lines_that_wait_for_a_key"] == 0


async def test_stock_cards_coupons_payments_and_health_are_read(shop: World) -> None:
    replies = await answers(shop)
    assert [(row["name"], row["stock"]) for row in replies["low_stock"]["products"]] == [
        ("Dragon key", 0),
        ("VIP rank", 1),
    ]
    assert (replies["gift_card"]["balance"], len(replies["gift_card"]["transactions"])) == ("25.00", 1)
    assert [use["order_id"] for use in replies["coupon"]["uses"]] == [1]
    assert [event["amount"] for event in replies["unmatched_payments"]["events"]] == ["0.01"]
    assert {"database", "key"} <= {finding["what"] for finding in replies["health"]}


async def test_a_gift_card_is_found_by_its_code_which_is_not_shown(shop: World) -> None:
    card = (await shop.post("/api/store/v1/gift-cards", {"initial_balance": "5.00"})).json()["data"]
    async with agent(shop) as asking:
        answer = await asking.ask("gift_card", code=card["code"].lower())
        wrong = await asking.ask("gift_card", code="nothing")
    assert answer.data["id"] == card["id"]
    assert card["code"] not in answer.text
    assert wrong.code == "not_found"


async def test_lists_have_pages(shop: World) -> None:
    for _ in range(21):
        await new_ticket(shop, 1)
    async with agent(shop) as asking:
        first, second = [(await asking.ask("waiting_tickets", page=page)).data for page in (1, 2)]
    assert (len(first["tickets"]), len(second["tickets"])) == (20, 2)
    assert (second["total"], second["pages"]) == (22, 2)


async def test_a_large_answer_is_cut_and_says_so(shop: World) -> None:
    for _ in range(30):
        await shop.post("/api/store/v1/support-tickets/1/messages", {"message": "x" * 20_000})
    async with agent(shop) as asking:
        answer = await asking.ask("read_ticket", ticket=1)
    assert len(answer.text) <= marking.MAX_ANSWER
    messages = answer.data["messages"]
    assert messages[-1].endswith("more are left out; ask for less at a time.")
    assert messages[-2]["body"]["buyer_text"].endswith("more characters)")


@only_sqlite
@pytest.mark.parametrize(
    ("tool", "arguments", "code"),
    [
        ("nothing", {}, "not_found"),
        ("order_story", {"order": "ORD-000999"}, "not_found"),
        ("order_story", {"order": "the last one"}, "validation_failed"),
        ("order_story", {}, "validation_failed"),
        ("find_orders", {"status": "odd"}, "validation_failed"),
        ("find_orders", {"since": "yesterday"}, "validation_failed"),
        ("find_orders", {"page": 0}, "validation_failed"),
        ("find_orders", {"sort": "total"}, "validation_failed"),
        ("try_rule", {"expression": "total >", "action": "flag"}, "validation_failed"),
        ("read_ticket", {"ticket": "TKT-000999"}, "not_found"),
        ("gift_card", {}, "validation_failed"),
    ],
)
async def test_an_error_has_a_code_and_a_sentence(
    world: World, tool: str, arguments: dict[str, Any], code: str
) -> None:
    async with agent(world) as asking:
        answer = await asking.ask(tool, **arguments)
    assert answer.code == code
    assert answer.data["message"].endswith(".")


@pytest.mark.parametrize("mode", ["auto", "legacy"])
async def test_old_and_new_versions_of_the_protocol_are_spoken(world: World, mode: str) -> None:
    await new_customer(world)
    async with agent(world, mode=mode) as asking:
        assert "buyer_text" in (asking.client.instructions or "")
        assert (await asking.ask("find_orders")).data == {"orders": [], "total": 0, "page": 1, "pages": 1}
        tools = (await asking.client.list_tools()).tools
    assert {tool.name for tool in tools} == ARGUMENTS.keys()
    assert all(tool.annotations and tool.annotations.read_only_hint for tool in tools)
    assert all(json.dumps(tool.input_schema) for tool in tools)
