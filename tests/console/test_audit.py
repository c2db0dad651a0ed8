"""The audit log: each entry is a sentence, filtered by who, area, record, day and way, and masked where it must be."""

from __future__ import annotations

import re
from collections.abc import Mapping
from html import unescape
from typing import Any

import pytest

from lootkeep.console import acts
from lootkeep.console.pages import PAGES
from lootkeep.kernel.clock import DAY, Instant
from lootkeep.services import keys as keys_service, privacy as privacy_service, resync as resync_service
from lootkeep.storage import audit as audit_db
from tests.console.visits import Visitor, visitor
from tests.world import World

BY_SERVICES = (keys_service.REVEAL, keys_service.LIST_REVOKED, privacy_service.ERASE, resync_service.RESYNC)
_SENTENCE = re.compile(r'<td class="changes">(.*?)\.\s*(?:<details>.*?)?</td>', re.DOTALL)


async def sentences(visits: Visitor, query: str = "") -> list[str]:
    page = (await visits.get(f"/audit{query}")).text
    return [unescape(re.sub("<[^>]+>", "", text)).strip() for text in _SENTENCE.findall(page)]


async def logged(world: World, action: str, record: str, after: Mapping[str, Any] = {}, **values: Any) -> None:
    values = dict[str, Any](user_id=1, ip_address="192.0.2.1", now=world.clock.now()) | values
    async with world.db.write() as tx:
        await audit_db.add(tx, action=action, record=record, after=after, **values)


def test_every_act_of_the_console_and_of_the_services_has_a_sentence() -> None:
    titles = {page.title for page in PAGES if page.method == "POST" and not page.is_preview}
    sentences = {action for area in acts.AREAS.values() for action in area}
    assert (titles | set(BY_SERVICES)) - sentences == set()


async def test_a_refund_reads_as_a_sentence_with_its_amount_and_leads_to_the_order(store: World) -> None:
    owner = await visitor(store, "owner")
    await owner.post("/orders/1/refund", on="/orders/1/refund", amount="4.00")
    assert await sentences(owner, "?area=orders") == ["The owner refunded $4.00 of order ORD-000001"]
    assert (
        '<a class="link" href="/console/orders/1">order <bdi>ORD-000001</bdi></a>' in (await owner.get("/audit")).text
    )


@pytest.mark.parametrize(
    ("entry", "sentence"),
    [
        (("Edit a product", "product:7", {"name": "Gold", "price": "2.00"}), "changed the price of product “Gold”"),
        (("Change a customer", "customer:7", {"notes": "x", "name": "Bo"}), "changed the notes of customer “Bo”"),
        (("Redeem a gift card", "gift_card:7", {"balance": "6.00"}), "redeemed $4.00 of gift card 7"),
        (("Add to a fraud list", "setting:fraud", {"vip": "b@x.example"}), "added b@x.example to a fraud list"),
        (("Create a fraud list", "setting:fraud", {"vip": "email"}), "created the fraud list vip"),
        # Named as times and lists are.
        (("Create a fraud list", "setting:fraud", {"banned_at": "device"}), "created the fraud list banned at"),
        (("Add to a fraud list", "setting:fraud", {"bad_tags": "[tag"}), "added [tag to a fraud list"),
        (("Change role", "user:2", {"role": "staff"}), "changed the role of user The owner to staff"),
        (("Export", "gift-cards", {"status": "active"}), "exported gift cards"),
        (("Export", "audit", {}), "exported the audit log"),
        (("Start a bulk action", "bulk_orders:3", {"action": "Cancel"}), "started bulk action 3: Cancel"),
    ],
)
async def test_an_entry_reads_as_a_sentence(
    store: World, entry: tuple[str, str, dict[str, Any]], sentence: str
) -> None:
    owner = await visitor(store, "owner")
    before = {"name": entry[2].get("name"), "balance": "10.00"}
    await logged(store, *entry, before={name: before[name] for name in before.keys() & entry[2].keys()})
    assert await sentences(owner, f"?record={entry[1]}") == [f"Owner {sentence}"]


async def test_the_log_is_filtered_by_who_area_record_day_and_way_together(store: World) -> None:
    owner = await visitor(store, "owner")
    await logged(store, "Cancel order", "order:1")
    await logged(store, "Show a key", "order:2", ip_address=None)
    await logged(store, "Make a one-time link", "user:2", user_id=None, ip_address=None)
    await logged(store, "Close a ticket", "ticket:1", now=Instant(store.clock.now() - 3 * DAY))
    by_query = {
        query: await sentences(owner, query)
        for query in (
            "?area=orders",
            "?channel=token",
            "?channel=command_line",
            "?search=ORD-000002",
            "?search=2",
            "?area=orders&channel=console&user_id=1",
            "?user_id=1&area=tickets",
            "?record=user:2",
        )
    }
    key, cancelled = "Owner looked at the key of order ORD-000002", "Owner cancelled order ORD-000001"
    link = "The command line made a one-time link for user The owner"
    assert by_query == {
        "?area=orders": [key, cancelled],
        "?channel=token": [key],
        "?channel=command_line": [link],
        "?search=ORD-000002": [key],
        "?search=2": [key],
        "?area=orders&channel=console&user_id=1": [cancelled],
        "?user_id=1&area=tickets": ["Owner closed ticket 1"],
        "?record=user:2": [link],
    }


async def test_days_choose_entries_and_the_file_has_the_same_rows_with_their_values(store: World) -> None:
    owner = await visitor(store, "owner")
    await logged(store, "Cancel order", "order:1", {"cancel_reason": "Twice"})
    await logged(store, "Close a ticket", "ticket:1", now=Instant(store.clock.now() - 3 * DAY))
    today = re.findall(r'datetime="(\d{4}-\d\d-\d\d)', (await owner.get("/orders/1")).text)[0]
    assert len(await sentences(owner)) == 2
    lines = (await owner.get(f"/audit?from={today}&area=orders&format=csv")).text.splitlines()
    assert len(lines) == 2
    assert len((await owner.get(f"/audit?to={today}&area=tickets&format=csv")).text.splitlines()) == 2
    assert len((await owner.get(f"/audit?from={today}&area=tickets&format=csv")).text.splitlines()) == 1
    assert "Owner cancelled order ORD-000001: Twice,Cancel order,Console,192.0.2.1" in lines[1]
    assert "order:1,cancel reason: none → Twice" in lines[1]


async def test_values_are_words_on_the_page_in_the_file_and_in_the_notice_of_a_stale_form(store: World) -> None:
    owner = await visitor(store, "owner")
    before = {"is_active": True, "product_ids": "[]", "ends_at": None, "assigned_to_id": None}
    after = {"is_active": False, "product_ids": "[1,2]", "ends_at": "2026-11-26T00:00:00Z", "assigned_to_id": 1}
    await logged(store, "Edit a product", "product:1", after, before=before, now=Instant(store.clock.now() + 1))
    words = {
        "active": ("yes", "no"),
        "product ids": ("none", "1, 2"),
        "ends at": ("none", "26 Nov 2026, 00:00"),
        "assigned to": ("none", "Owner"),
    }
    page, file = (await owner.get("/audit")).text, (await owner.get("/audit?format=csv")).text
    stale = (await owner.post("/products/1/edit", on="/products/1/edit", version="5")).text
    for name, (old, new) in words.items():
        assert re.search(rf'{name}:</span> <bdi class="was">{old}</bdi> → <bdi>{new}</bdi>', page), name
        assert f"{name}: {old} → {new}" in file, name
        assert f"{name}: <bdi>{old}</bdi> → <b><bdi>{new}</bdi></b>" in stale, name


async def test_a_role_that_masks_reads_masked_sentences_and_one_without_the_scope_none_of_the_values(
    store: World,
) -> None:
    await logged(store, "Send a gift card", "gift_card:1", {"recipient_email": "mia@player.example"})
    masking = await visitor(store, "audit:read gift-cards:read", masks_emails=True)
    without = await visitor(store, "audit:read")
    assert await sentences(masking, "?record=gift_card:1") == ["Owner sent gift card 1 to m***@player.example"]
    assert await sentences(without, "?record=gift_card:1") == ["Owner sent gift card 1"]
    for visits in (masking, without):
        assert "mia@" not in (await visits.get("/audit?format=csv")).text


async def test_amounts_are_not_in_the_sentences_and_files_of_those_who_must_not_see_revenue(store: World) -> None:
    await logged(store, "Refund order", "order:1", {"refunded_total": "4.00", "currency": "USD"})
    visits = await visitor(store, "audit:read orders:read", hides_revenue=True)
    assert await sentences(visits) == ["Owner refunded order ORD-000001"]
    assert "4.00" not in (await visits.get("/audit?format=csv")).text
