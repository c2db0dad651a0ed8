"""What can be undone: the message after an act has a form that reverses it, once, as any other change."""

from __future__ import annotations

import re
from html import unescape
from typing import Any

import httpx
import pytest

from lootkeep.console.pages import PAGES
from lootkeep.console.undo import PAIRS
from lootkeep.kernel.clock import MINUTE, Instant
from lootkeep.storage import alerts as alerts_db, audit as audit_db
from lootkeep.storage.fraud import lists as fraud_lists_db
from tests.console.visits import Visitor, logged, visitor
from tests.world import World

PRODUCT = {"name": "VIP rank", "price": "20.00", "status": "archived", "delivery_type": "manual"}
PRODUCT |= {"billing_type": "one_time", "description": "Now with a description."}
COUPON = {"code": "SALE20", "discount_type": "percentage", "discount_value": "20.00", "max_uses_per_customer": "1"}
HOOK = {"url": "https://hooks.example/bot", "events": "product.updated"}
CUSTOMER = {"name": "Jun Park", "email": "jun@park.example", "tags": "vip", "accepts_marketing": "no"}
CUSTOMER |= {"email_status": "ok"}

CREATOR = {"name": "Moon", "code": "LUNA", "commission": "10", "hold_days": "30", "is_active": "yes"}
TIER = {"name": "Gold", "referrals_required": "3", "reward_type": "fixed_discount", "reward_value": "5.00"}
TIER |= {"coupon_validity_days": "30", "sort_order": "0"}


def way_back(page: httpx.Response) -> tuple[str, dict[str, str]] | None:
    """Where the form of the message goes, and what it holds."""
    form = re.search(
        r'<div class="notice said with-button[^>]*>.*?<form method="post" action="([^"]+)">(.*?)</form>',
        page.text,
        re.DOTALL,
    )
    if form is None:
        return None
    fields = re.findall(r'name="([^"]+)" value="([^"]*)"', form[2])
    return form[1], {name: unescape(value) for name, value in fields}


async def act(visits: Visitor, path: str, **fields: str) -> tuple[str, dict[str, str]] | None:
    answer = await visits.post(path, **fields)
    assert answer.status_code == 303, answer.text
    return way_back(await visits.http.get(answer.headers["location"]))


async def undo(visits: Visitor, back: tuple[str, dict[str, str]] | None) -> httpx.Response:
    assert back is not None
    return await visits.http.post(back[0], data=back[1])


async def data(world: World, path: str) -> dict[str, Any]:
    """A record, or the first of a list."""
    content = (await world.get(path)).json()["data"]
    return dict(content[0] if isinstance(content, list) else content)


def test_every_pair_is_of_two_rows_with_the_same_scope_and_the_reverse_asks_nothing() -> None:
    changes = {page.path: page for page in PAGES if page.method == "POST"}
    for path, (reverse, _) in PAIRS.items():
        assert changes[path].scope == changes[reverse].scope, path
        assert not changes[reverse].confirm, path


@pytest.mark.parametrize(
    ("path", "record", "fields"),
    [
        ("/tickets/1/close", "/support-tickets/1", {}),
        ("/tickets/1/status", "/support-tickets/1", {"status": "pending"}),
        ("/tickets/1/priority", "/support-tickets/1", {"priority": "urgent"}),
        ("/tickets/1/assign", "/support-tickets/1", {"user_id": "1"}),
        ("/customers/1/block", "/customers/1", {"status_reason": "Abuse"}),
        ("/customers/1/edit", "/customers/1", CUSTOMER),
        ("/products/1/edit", "/products/1", PRODUCT),
        ("/coupons/1/edit", "/coupons/1", COUPON),
        ("/webhooks/1/edit", "/webhooks/1", HOOK),
        ("/gift-cards/1/edit", "/gift-cards/1", {"note": "VIP"}),
        ("/creators/1/edit", "/creators/1", CREATOR),
        ("/referrals/tiers/1", "/referrals/tiers", TIER),
        ("/referrals/tiers/1/toggle", "/referrals/tiers", {}),
    ],
)
async def test_an_act_is_reversed_by_its_form_which_acts_once(
    store: World, path: str, record: str, fields: dict[str, str]
) -> None:
    visits = await visitor(store, "owner")
    before = await data(store, record)
    store.clock.advance(MINUTE)
    back = await act(visits, path, **fields)
    changed = await data(store, record)
    assert _essence(changed) != _essence(before)
    store.clock.advance(MINUTE)
    answers = [await undo(visits, back) for _ in range(2)]
    assert [answer.status_code for answer in answers] == [303, 303]
    assert _essence(await data(store, record)) == _essence(before)
    noun = {"/support-tickets": "ticket", "/customers": "customer", "/coupons": "coupon", "/webhooks": "webhook"}
    if record.rpartition("/")[0] in noun:
        async with store.db.read() as tx:
            entries = await audit_db.changes_since(tx, f"{noun[record.rpartition('/')[0]]}:1", Instant(0))
        assert len(entries) == 2


def _essence(record: dict[str, Any]) -> dict[str, Any]:
    """Without what the steps themselves leave behind."""
    left_out = ("updated_at", "messages", "reopened_count", "last_message_at", "marketing_changed_at")
    return {name: value for name, value in record.items() if name not in left_out}


async def test_what_was_undone_can_be_done_again_with_its_reason(store: World) -> None:
    visits = await visitor(store, "staff")
    await act(visits, "/customers/1/block", status_reason="Abuse")
    back = await act(visits, "/customers/1/unblock")
    await undo(visits, back)
    customer = await data(store, "/customers/1")
    assert (customer["status"], customer["status_reason"]) == ("blocked", "Abuse")


async def test_entries_of_lists_and_a_mute_are_taken_back(store: World) -> None:
    visits = await visitor(store, "owner")
    await undo(visits, await act(visits, "/fraud/lists/emails/add", emails="ann@mail.example"))
    assert "ann@mail.example" not in (await visits.get("/fraud/lists?search=ann")).text.partition("<table")[2]
    await undo(visits, await act(visits, "/fraud/named-lists/1/add", value="203.0.113.9"))
    async with store.db.read() as tx:
        assert await fraud_lists_db.counts(tx) == {}
    await undo(visits, await act(visits, "/alerts/1/mute"))
    async with store.db.read() as tx:
        alert = await alerts_db.ROWS.get(tx, 1)
    assert alert is not None
    assert alert.muted_until is None


async def test_a_later_change_of_someone_else_is_not_overwritten(store: World) -> None:
    visits, other = await visitor(store, "staff"), await visitor(store, "owner")
    back = await act(visits, "/tickets/1/priority", priority="urgent")
    store.clock.advance(MINUTE)
    await act(other, "/tickets/1/priority", priority="high")
    assert (await undo(visits, back)).status_code == 409
    assert (await data(store, "/support-tickets/1"))["priority"] == "high"


async def test_nothing_is_offered_where_there_is_no_way_back_or_nothing_changed(store: World) -> None:
    visits = await visitor(store, "staff")
    assert await act(visits, "/tickets/1/priority", priority="normal") is None
    assert await act(visits, "/tickets/1/reply", message="Hello") is None
    await act(visits, "/tickets/1/status", status="resolved")
    assert await act(visits, "/tickets/1/note", message="Done") is None
    # A resolved ticket cannot become pending: a ticket that was closed then is opened again.
    back = await act(visits, "/tickets/1/close")
    assert back is not None
    assert back[1]["status"] == "open"
    assert await act(visits, "/orders/1/refund", amount="1.00", confirmed="yes") is None


async def test_a_way_back_that_no_cookie_can_hold_or_that_is_hidden_from_someone_is_not_offered(store: World) -> None:
    visits = await visitor(store, "staff")
    long = PRODUCT | {"status": "active", "description": "x" * 4000}
    await act(visits, "/products/1/edit", **long)
    assert await act(visits, "/products/1/edit", **PRODUCT) is None
    masked = await visitor(store, "customers:read customers:write", masks_emails=True)
    assert await act(masked, "/customers/1/edit", **CUSTOMER | {"email": "new@park.example"}) is None


async def test_a_message_is_shown_as_text_with_its_way_back(store: World) -> None:
    visits = await visitor(store, "staff")
    name = "<script>alert(1)</script>"
    await act(visits, "/customers/1/edit", **CUSTOMER | {"name": name})
    answer = await visits.post("/customers/1/edit", **CUSTOMER)
    page = await visits.http.get(answer.headers["location"])
    assert "<script>alert" not in page.text
    back = way_back(page)
    assert back is not None
    assert back[1]["name"] == name


async def test_a_form_that_changes_nothing_says_so_and_the_log_has_nothing_of_it(store: World) -> None:
    visits = await visitor(store, "owner")
    for path, record, form in (("/referrals/tiers/1", "tier:1", TIER), ("/creators/1/edit", "creator:1", CREATOR)):
        for said in ("is saved", "Nothing was changed."):
            answer = await visits.post(path, **form)
            assert said in (await visits.http.get(answer.headers["location"])).text
        assert len(await logged(store, record)) == 1
