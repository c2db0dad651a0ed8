"""The store's own lists over HTTP: entries of every kind, their ends, look-ups, and blocking a buyer."""

from __future__ import annotations

from typing import Any

import pytest

from lootkeep.kernel.clock import DAY, HOUR
from tests.api.commanding import NOTCH
from tests.api.fraud.own_rules import action, make, new_list
from tests.api.fraud.shop import DATACENTER, VPN, check, judged, place, regular, review, shop
from tests.conftest import only_sqlite
from tests.world import World

CARD = {"payment": {"fingerprint": "card-1", "country": "DE"}}
# By kind: an entry as it is sent, what is stored, the fact that is looked up, and an order that is on the list.
KINDS: list[tuple[str, str, str | None, str, dict[str, Any]]] = [
    ("email", "J.u.n+shop@Gmail.com", "jun@gmail.com", "email", {}),
    ("domain", "@GMAIL.com", "gmail.com", "email_domain", {}),
    ("domain", "com", "com", "email_domain", {}),
    ("ip", "::ffff:198.51.100.70", "198.51.100.70", "ip", {"ip_address": DATACENTER}),
    ("ip", "198.51.100.99/26", "198.51.100.64/26", "ip", {"ip_address": DATACENTER}),
    ("ip", "198.0.0.0/8", "198.0.0.0/8", "ip", {"ip_address": DATACENTER}),
    ("ip", "2001:db8::/32", "2001:db8::/32", "ip", {"ip_address": "2001:db8:0:7::9"}),
    ("ip", "2001:DB8:0:7::9", "2001:db8:0:7::9", "ip", {"ip_address": "2001:db8:0:7::9"}),
    ("device", " Phone-7 ", "phone-7", "device", {"device_id": "PHONE-7"}),
    ("instrument", "card-1", None, "instrument", CARD),
    ("player", "minecraft:NOTCH", "minecraft:notch", "player", {"player": {"game": "minecraft", "name": "Notch"}}),
    ("country", "de", "DE", "billing_country", {"billing_country": "DE"}),
    ("country", "DE", "DE", "card_country", CARD),
    ("customer", "01", "1", "customer", {}),
]


async def test_an_order_is_found_by_an_entry_of_each_kind(world: World) -> None:
    await shop(world)
    customer = await regular(world, email="jun@gmail.com")
    other_customer = await regular(world, email="mira@example.org")
    for kind, sent, value, fact, fields in KINDS:
        world.clock.advance(DAY)
        list_id = await new_list(world, "mine", kind, sent)
        rule = await make(world, expression=f"{fact} in @mine")
        assert (await action(world, customer, **fields))[0] == "verification_required", sent
        elsewhere = {"ip_address": "192.0.2.1", "device_id": "other", "billing_country": "FR"}
        assert (await action(world, other_customer, **elsewhere))[0] == "allowed", sent
        (entry,) = (await world.get(f"/fraud/lists/{list_id}/entries")).json()["data"]
        assert (value or entry["value"], entry["added_by"]) == (entry["value"], 1)
        assert len(entry["value"]) == 64 or kind != "instrument"
        for again in (sent, entry["value"]):
            answer = await world.delete(f"/fraud/lists/{list_id}/entries", {"value": again})
            assert answer.status_code == 200
        assert (await action(world, customer, **fields))[0] == "allowed", sent
        await world.delete(f"/fraud/rules/{rule['id']}")
        await world.delete(f"/fraud/lists/{list_id}")


@only_sqlite
@pytest.mark.parametrize(
    ("kind", "sent"),
    [
        *[("email", "nobody"), ("domain", "a b"), ("domain", "-"), ("ip", "1.2.3"), ("ip", "10.0.0.0/7")],
        *[("player", "steam"), ("player", "chess:1"), ("player", "steam:")],
        *[("ip", "2001:db8::/33"), ("ip", "::/8"), ("country", "XX"), ("customer", "-1"), ("customer", "1" * 20)],
        *[("device", " "), ("domain", "é" * 80)],
    ],
)
async def test_an_entry_of_another_kind_is_rejected(world: World, kind: str, sent: str) -> None:
    list_id = await new_list(world, "mine", kind)
    good = {"email": "a@example.org", "domain": "a.org", "ip": "192.0.2.1", "country": "DE", "customer": "7"}
    values = [(good | {"player": "steam:7"}).get(kind, "x"), sent]
    answer = await world.post(f"/fraud/lists/{list_id}/entries", {"values": values})
    assert (answer.status_code, list(answer.json()["errors"])) == (422, ["values.1"])
    assert (await world.get(f"/fraud/lists/{list_id}/entries")).json()["meta"]["total"] == 0


async def test_an_entry_ends_at_its_time_and_can_be_added_again(world: World) -> None:
    await shop(world)
    customer = await regular(world)
    list_id = await new_list(world, "mine", "ip", VPN, reason="First", expires_at="2026-12-15T13:00:00Z")
    await make(world, expression="ip in @mine")
    assert (await action(world, customer, ip_address=VPN))[0] == "verification_required"
    world.clock.advance(HOUR)
    assert (await action(world, customer, ip_address=VPN))[0] == "allowed"
    late = {"values": [VPN], "expires_at": "2026-12-15T13:00:00Z"}
    assert list((await world.post(f"/fraud/lists/{list_id}/entries", late)).json()["errors"]) == ["expires_at"]
    await world.post(f"/fraud/lists/{list_id}/entries", {"values": [VPN, VPN], "reason": "Again"})
    answer = (await world.get(f"/fraud/lists/{list_id}/entries", params={"value": VPN})).json()
    assert [(entry["reason"], entry["expires_at"]) for entry in answer["data"]] == [("Again", None)]
    assert (await action(world, customer, ip_address=VPN))[0] == "verification_required"


async def test_a_list_is_created_once_and_deleted_when_no_rule_uses_it(world: World) -> None:
    list_id = await new_list(world, "mine", "ip", VPN, DATACENTER)
    (listed,) = (await world.get("/fraud/lists")).json()["data"]
    assert listed == {
        "id": list_id,
        "name": "mine",
        "kind": "ip",
        "note": None,
        "entries_count": 2,
        "created_at": "2026-11-15T12:00:00Z",
    }
    again = await world.post("/fraud/lists", {"name": "mine", "kind": "email"})
    assert (again.status_code, list(again.json()["errors"])) == (422, ["name"])
    bad = await world.post("/fraud/lists", {"name": "Mine!", "kind": "email"})
    assert (bad.status_code, list(bad.json()["errors"])) == (422, ["name"])
    rule = await make(world, expression="ip in @mine", mode="off")
    used = await world.delete(f"/fraud/lists/{list_id}")
    assert (used.status_code, used.json()["code"]) == (409, "list_in_use")
    assert used.json()["message"] == f"The rule “{rule['name']}” uses this list."
    await world.delete(f"/fraud/rules/{rule['id']}")
    assert (await world.delete(f"/fraud/lists/{list_id}")).status_code == 200
    for method, path in (("GET", "/entries"), ("DELETE", "")):
        assert (await world.call(method, f"/fraud/lists/{list_id}{path}")).status_code == 404


async def test_a_review_can_block_every_trait_of_a_buyer(world: World) -> None:
    await shop(world)
    thief = await regular(world, email="thief@gmail.com")
    order = await judged(world, thief, ip_address=VPN, device_id="phone", **CARD, player=NOTCH)
    kinds = ["customer", "email", "device", "ip", "instrument", "player"]
    check_id = order["fraud_check"]["id"]
    refused = await review(world, check_id, "legitimate", block=kinds)
    assert (refused.status_code, refused.json()["code"]) == (422, "not_fraud")
    assert (await review(world, check_id, "fraud", block=kinds)).status_code == 200
    assert (await review(world, check_id, "fraud", block=["email"])).status_code == 200
    (rule,) = (await world.get("/fraud/rules")).json()["data"]
    assert (rule["name"], rule["action"], rule["mode"]) == ("Blocked buyers", "block", "on")
    lists = (await world.get("/fraud/lists")).json()["data"]
    assert [entry_list["entries_count"] for entry_list in lists] == [1] * 6
    ours: list[dict[str, Any]] = [{"device_id": "phone"}, {"ip_address": VPN}, CARD, {"player": NOTCH}]
    for number, fields in enumerate(ours):
        other_customer = await regular(world, email=f"o{number}@example.org")
        world.clock.advance(-30 * DAY + HOUR)
        placed = (await place(world, other_customer, **fields)).json()["data"]
        assert (await check(world, placed["fraud_check"]["id"]))["check"]["action_taken"] == "blocked", fields
    alias = await regular(world, email="t.hief+2@googlemail.com")
    assert (await action(world, alias))[0] == "blocked"
    # By now the IP may belong to someone else.
    assert (await action(world, await regular(world), ip_address=VPN))[0] == "allowed"


async def test_a_review_does_not_shorten_what_is_blocked_for_longer(world: World) -> None:
    await shop(world)
    ips = await new_list(world, "blocked_ips", "ip", VPN, reason="Ours")
    emails = await new_list(world, "blocked_emails", "email", "thief@t.example", expires_at="2027-01-01T00:00:00Z")
    await judged(world, await regular(world, email="thief@t.example"), ip_address=VPN)
    assert (await review(world, 1, "fraud", block=["ip", "email"])).status_code == 200
    entries = [(await world.get(f"/fraud/lists/{list_id}/entries")).json()["data"] for list_id in (ips, emails)]
    assert [(it["reason"], it["expires_at"]) for (it,) in entries] == [("Ours", None), ("Review of ORD-000001", None)]
