"""The store's own rules over HTTP: written, applied to orders, counted in shadow, tried out, and executed again."""

from __future__ import annotations

from typing import Any

import pytest

from lootkeep.domain.checkout import Cart, CartLine
from lootkeep.domain.fraud.comparison import facts_of
from lootkeep.domain.fraud.rule import MAX_RULES
from lootkeep.domain.fraud.score import judge
from lootkeep.kernel.clock import DAY, HOUR, Instant
from lootkeep.services import orders as orders_service
from lootkeep.storage.fraud import checks as fraud_checks_db
from tests.api.fraud.own_rules import RULE, action, make, new_list
from tests.api.fraud.shop import DATACENTER, TOR, VPN, check, judged, regular, review, shop, stored
from tests.conftest import only_sqlite
from tests.world import World


async def test_a_created_rule_is_returned_with_every_field(world: World) -> None:
    answer = await world.post("/fraud/rules", RULE | {"note": "Why", "expires_at": "2026-12-01T00:00:00Z"})
    rule = {
        "id": 1,
        **RULE,
        "points": 0,
        "note": "Why",
        "expires_at": "2026-12-01T00:00:00Z",
        "hits": {"fired": 0, "right": 0, "wrong": 0, "precision": None},
        "updated_by": 1,
        "created_at": "2026-11-15T12:00:00Z",
        "updated_at": "2026-11-15T12:00:00Z",
    }
    assert answer.json() == {"success": True, "message": "Fraud rule created successfully", "data": rule}
    assert (await world.get("/fraud/rules")).json()["data"] == [rule]
    assert "rules" not in (await world.get("/fraud/settings")).json()["data"]["settings"]


async def test_rules_act_by_precedence_and_never_make_a_decision_milder(world: World) -> None:
    await shop(world)
    customer = await regular(world)
    rule_ids = {
        name: (await make(world, name=name, action=name))["id"] for name in ("flag", "verify", "block", "allow")
    }
    expected = {"allow": "allowed", "block": "blocked", "verify": "verification_required", "flag": "flagged"}
    for name in expected:
        assert (await action(world, customer, ip_address=VPN))[0] == expected[name]
        await world.put(f"/fraud/rules/{rule_ids[name]}", {"mode": "off"})
        world.clock.advance(30 * HOUR)
    assert (await action(world, customer, ip_address=VPN))[0] == "allowed"
    # What the settings block is not only verified; what a rule allows is not blocked.
    await make(world, name="tor", expression="is_tor", action="verify")
    assert (await action(world, customer, ip_address=TOR))[0] == "blocked"
    await make(world, name="friends", expression="is_tor", action="allow")
    assert (await action(world, customer, ip_address=TOR))[0] == "allowed"


async def test_points_of_a_rule_are_part_of_the_score_and_named(world: World) -> None:
    await shop(world)
    customer = await regular(world)
    await make(world, name="Heavy", action="points", points=45)
    done, signals, rules = await action(world, customer, ip_address=VPN)
    assert (done, signals, rules) == ("flagged", {"vpn": 10, "rule: Heavy": 45}, ["Heavy"])
    assert (await check(world, 1))["detected_signals"] == ["Rule “Heavy”", "VPN address"]


async def test_a_shadow_rule_is_counted_with_its_precision_and_does_nothing(world: World) -> None:
    await shop(world)
    rule = await make(world, mode="shadow", action="block")
    for outcome in ("fraud", "legitimate", "fraud", "inconclusive", None):
        order = await judged(world, await regular(world), ip_address=VPN)
        assert order["order"]["status"] == "pending"
        if outcome:
            await review(world, order["fraud_check"]["id"], outcome)
    await judged(world, await regular(world))
    (listed,) = (await world.get("/fraud/rules")).json()["data"]
    assert listed["hits"] == {"fired": 5, "right": 2, "wrong": 1, "precision": 0.6667}
    renamed = (await world.put(f"/fraud/rules/{rule['id']}", {"name": "Other"})).json()["data"]
    assert renamed["hits"]["fired"] == 5
    changed = (await world.put(f"/fraud/rules/{rule['id']}", {"expression": "is_tor"})).json()["data"]
    assert changed["hits"]["fired"] == 0


async def test_a_rule_ends_at_its_time(world: World) -> None:
    await shop(world)
    customer = await regular(world)
    await make(world, expires_at="2026-12-15T13:00:00Z")
    assert (await action(world, customer, ip_address=VPN))[0] == "verification_required"
    world.clock.advance(HOUR)
    assert (await action(world, customer, ip_address=VPN))[0] == "allowed"


@only_sqlite
@pytest.mark.parametrize(
    ("changes", "field", "words"),
    [
        ({"expression": "totl > 1"}, "expression", "has an unknown name at character 1; the nearest is total."),
        ({"expression": "email in @nobody"}, "expression", "names a list that does not exist."),
        ({"expression": "ip in @free_mail"}, "expression", "looks up ip in a list of another kind"),
        ({"expression": "email_domain in @fre_mail"}, "expression", "the nearest is @free_mail."),
        ({"expression": ""}, "expression", "must not be empty."),
        ({"expression": "(" * 2001}, "expression", "must not be greater than 2000 characters."),
        ({"action": "points"}, "points", "is required with the action points, and only with it."),
        ({"points": 5}, "points", "is required with the action points, and only with it."),
        ({"action": "points", "points": 61}, "points", "must not be greater than 60."),
        ({"action": "points", "points": -51}, "points", "must be at least -50."),
        ({"action": "delete"}, "action", "must be one of"),
        ({"mode": "maybe"}, "mode", "must be one of"),
        ({"name": "vpn"}, "name", "is the name of another rule."),
        ({"name": " "}, "name", "must not be blank."),
        ({"expires_at": "soon"}, "expires_at", "must be a time"),
    ],
)
async def test_an_invalid_rule_is_rejected_with_its_field(
    world: World, changes: dict[str, Any], field: str, words: str
) -> None:
    await new_list(world, "free_mail", "domain")
    await make(world)
    answer = await world.post("/fraud/rules", RULE | {"name": "Another"} | changes)
    assert answer.status_code == 422
    assert list(answer.json()["errors"]) == [field]
    assert words in answer.json()["errors"][field][0]


async def test_a_rule_knows_how_many_orders_were_fraud(world: World) -> None:
    await shop(world)
    customer = await regular(world)
    await make(world, expression="confirmed_frauds >= 2", action="flag", mode="shadow")
    for number, matches in ((1, []), (2, []), (3, ["VPN"])):
        assert (await action(world, customer))[2] == matches
        await review(world, number, "fraud")
    assert (await check(world, 3))["check"]["facts"]["confirmed_fraud"] == "2 earlier orders of this customer"


async def test_a_deleted_rule_is_not_found_and_its_id_is_not_reused(world: World) -> None:
    await make(world)
    assert (await world.delete("/fraud/rules/1")).json()["message"] == "Fraud rule deleted successfully"
    assert (await world.delete("/fraud/rules/1")).status_code == 404
    assert (await world.put("/fraud/rules/1", {"mode": "off"})).status_code == 404
    assert (await make(world))["id"] == 2


@only_sqlite
async def test_the_number_of_rules_is_limited_and_no_buyer_is_blocked_without_the_rule_for_it(world: World) -> None:
    await shop(world)
    await judged(world, await regular(world))
    for number in range(MAX_RULES):
        await make(world, name=f"Rule {number}", expression="quantity > 9")
    answer = await world.post("/fraud/rules", RULE)
    assert (answer.status_code, answer.json()["code"]) == (422, "too_many_rules")
    refused = await review(world, 1, "fraud", block=["email"])
    assert (refused.status_code, refused.json()["code"]) == (422, "too_many_rules")
    assert (await check(world, 1))["check"]["is_reviewed"] is False


async def test_every_check_can_be_reproduced_after_rules_and_lists_have_changed(world: World) -> None:
    await shop(world)
    customers = [await regular(world, email=f"p{number}@mail{number}.example") for number in range(3)]
    domains = await new_list(world, "free_mail", "domain", "mail1.example")
    offices = await new_list(world, "offices", "ip", "198.51.100.64/26")
    rule = await make(world, name="a", expression="email_domain in @free_mail", action="points", points=45)
    await make(world, name="b", expression="ip in @offices", action="allow")
    await make(world, name="c", expression="email_domain not in @free_mail", action="block", mode="shadow")
    for number in range(4):
        for customer in customers:
            await judged(world, customer, ip_address=(VPN, DATACENTER)[number % 2])
        await world.put(f"/fraud/rules/{rule['id']}", {"points": 30 + number, "name": f"a{number}"})
        await world.post(f"/fraud/lists/{domains}/entries", {"values": [f"mail{number}.example"]})
        world.clock.advance(HOUR * 30)
    await world.delete("/fraud/rules/2")
    await world.delete(f"/fraud/lists/{offices}")
    checks = await stored(world)
    async with world.deps.db.read() as tx:
        again = [judge(facts_of(check), await fraud_checks_db.policy_of(tx, check.policy_version)) for check in checks]
    assert [(check.points, check.action_taken, check.rules) for check in checks] == [
        (verdict.signals, verdict.action_taken, list(verdict.rules)) for verdict in again
    ]
    assert {check.action_taken for check in checks} >= {"allowed", "flagged"}
    assert len({len(check.rules) for check in checks}) > 1


async def test_an_imported_order_is_judged_by_rules_and_lists_too(world: World) -> None:
    await shop(world)
    customer = await regular(world)
    await new_list(world, "mine", "device", "phone")
    await make(world, expression="device in @mine")
    at = Instant(world.clock.now() - DAY)
    cart = Cart(customer, (CartLine(1, 1),), VPN, device_id="phone", created_at=at, paid_at=at)
    await orders_service.import_order(world.deps, cart)
    (imported,) = await stored(world)
    assert (imported.action_taken, [hit.name for hit in imported.rules]) == ("verification_required", ["VPN"])


async def test_a_rule_can_be_tested_on_past_orders_before_it_is_saved(world: World) -> None:
    await shop(world)
    for outcome in ("fraud", "legitimate", None):
        order = await judged(world, await regular(world), ip_address=VPN)
        if outcome:
            await review(world, order["fraud_check"]["id"], outcome)
    await judged(world, await regular(world))
    await new_list(world, "mine", "customer", "1", "2", "3", "4")
    body = {"rule": {"expression": "is_vpn and customer in @mine", "action": "block"}, "days": 365}
    data = (await world.post("/fraud/backtest", body)).json()["data"]
    assert (data["checks"], data["changed_count"]) == (4, 3)
    assert data["rule"] == {"fired": 3, "right": 1, "wrong": 1, "precision": 0.5}
    assert (data["before"]["actions"]["blocked"], data["after"]["actions"]["blocked"]) == (0, 3)
    assert (await world.get("/fraud/rules")).json()["data"] == []
    saved = await make(world, expression="is_vpn", action="block")
    # Compared with the settings without the rule, not with what is done now.
    narrower = {"rule": {"id": saved["id"], "expression": "is_vpn and total > 100", "action": "block"}, "days": 365}
    assert (await world.post("/fraud/backtest", narrower)).json()["data"]["changed_count"] == 0
    for rule, status in (({"id": 99, "expression": "is_vpn", "action": "flag"}, 404), ({"expression": "is_vpn"}, 422)):
        assert (await world.post("/fraud/backtest", {"rule": rule})).status_code == status
