"""Roles that owners make: scopes decide what is open, and limits what is refunded and seen."""

from __future__ import annotations

import re

import pytest

from lootkeep.console.masking import mask
from lootkeep.console.page import PREFIX
from lootkeep.console.pages import PAGES
from lootkeep.domain.roles import PRESETS, ROLE_SCOPES, Permissions
from lootkeep.kernel.clock import Instant
from lootkeep.kernel.errors import NotFound, Unprocessable, existing
from lootkeep.kernel.money import Hundredths
from lootkeep.services import access as access_service, users as users_service
from lootkeep.storage import audit as audit_db
from lootkeep.storage.access import accounts as accounts_db, rows as access_db
from tests.builders import new_coupon
from tests.console.visits import Visitor, first_owner, path_of, visitor
from tests.world import World

ALL = " ".join(ROLE_SCOPES)
ROLE = {"name": "Refunds", "scopes": "orders:read\norders:write", "refund_limit": "10.00"}


async def made(owner: Visitor, **fields: str) -> None:
    answer = await owner.post("/roles/new", on="/roles/new", **(ROLE | fields))
    assert answer.status_code == 303, answer.text


async def test_an_owner_makes_a_role_and_a_change_of_it_counts_at_the_next_request_of_every_process(
    world: World,
) -> None:
    owner = await first_owner(world)
    staff = await visitor(world, "staff")
    await made(owner)
    assert (await owner.post("/users/2/role", on="/users/2", role="1")).status_code == 303
    pages = [(await staff.get(path)).status_code for path in ("/orders", "/customers", "/health")]
    assert pages == [200, 403, 403]
    assert "Refunds" in (await owner.get("/users")).text
    other = World(world.db, clock=world.clock)
    elsewhere = Visitor(other)
    elsewhere.http.cookies = staff.http.cookies
    assert (await elsewhere.get("/customers")).status_code == 403
    fields = ROLE | {"scopes": "customers:read"}
    assert (await owner.post("/roles/1/edit", on="/roles/1/edit", **fields)).status_code == 303
    assert [(await elsewhere.get(path)).status_code for path in ("/orders", "/customers")] == [403, 200]
    async with world.db.read() as tx:
        entries = await audit_db.changes_since(tx, "role:1", Instant(0))
    assert [(entry.action, entry.user_name) for entry in entries] == [
        ("Change a role", "Ada Park"),
        ("Make a role", "Ada Park"),
    ]
    assert ("scopes", "orders:read orders:write", "customers:read") in entries[0].changes


async def test_a_role_that_someone_has_is_not_deleted_and_names_are_unique(world: World) -> None:
    owner = await first_owner(world)
    await visitor(world, "staff")
    await made(owner)
    await owner.post("/users/2/role", on="/users/2", role="1")
    again = [
        await owner.post("/roles/new", on="/roles/new", **(ROLE | {"name": name})) for name in ("Refunds", "OWNER")
    ]
    assert [answer.status_code for answer in again] == [422, 422]
    assert (await owner.post("/roles/1/delete", on="/roles/1/edit", confirmed="yes")).status_code == 409
    await owner.post("/users/2/role", on="/users/2", role="staff")
    assert (await owner.post("/roles/1/delete", on="/roles/1/edit", confirmed="yes")).status_code == 303
    await owner.get("/roles")
    assert "Refunds" not in (await owner.get("/roles")).text


async def test_nobody_gives_more_than_they_have_or_acts_on_who_has_more(world: World) -> None:
    owner = await first_owner(world)
    await made(owner)
    await made(owner, name="Small refunds", refund_limit="5.00")
    lead = await visitor(world, "team:read team:write orders:read orders:write", refund_limit=700)
    form = (await lead.get("/users/new")).text
    assert re.findall(r'<option value="(\w+)"', form) == ["2", "3"]
    new = {"name": "Bo", "email": "bo@store.example"}
    invited = [
        await lead.post("/users/new", on="/users/new", **new, role=role) for role in ("owner", "staff", "1", "2")
    ]
    assert [answer.status_code for answer in invited] == [422, 422, 422, 200]
    on_owner = [
        await lead.post("/users/1/role", on="/users/3", role="2"),
        await lead.post("/users/1/link", on="/users/3"),
        await lead.post("/users/1/disable", on="/users/3", confirmed="yes"),
    ]
    assert [answer.status_code for answer in on_owner] == [422] * 3
    assert (await owner.get("/users")).status_code == 200
    own = await lead.post("/users/2/role", on="/users/2", role="owner")
    assert own.status_code == 422
    assert [(await lead.get(path)).status_code for path in ("/roles", "/tokens/new")] == [403, 403]


async def test_nobody_becomes_more_by_the_link_of_a_user_who_has_no_account(world: World) -> None:
    lead = await visitor(world, "team:read team:write")
    await access_service.add_user(world.deps, "cli@store.example", "Cli")
    async with world.db.read() as tx:
        owner = existing(await access_db.owner(tx), "User")
        cli = existing(await access_db.USERS.find_one(tx, email="cli@store.example"), "User")
    for user_id in (owner.id, cli.id):
        refused = await lead.post(f"/users/{user_id}/link", on="/users/new")
        assert (refused.status_code, "may do more than yours" in refused.text) == (422, True)
    removed = await users_service.remove(world.deps, "cli@store.example")
    with pytest.raises(NotFound):
        await users_service.make_link(world.deps, removed.id, PRESETS["owner"])
    async with world.db.read() as tx:
        assert [await accounts_db.ROWS.get(tx, user_id) for user_id in (owner.id, cli.id)] == [None, None]


async def test_masked_addresses_are_on_no_page_and_in_no_file(store: World) -> None:
    visits = await visitor(store, ALL, masks_emails=True)
    assert await everything(await visitor(store, "owner"), r"jun@park\.example|jun%40park\.example")
    assert await everything(visits, r"jun@park\.example|jun%40park\.example") == []
    assert "j***@park.example" in (await visits.get("/customers/1")).text
    assert "j***@park.example" in (await visits.get("/search?q=Jun")).text
    assert "j***@park.example" in (await visits.get("/customers?format=csv")).text
    # What someone typed is no secret to them.
    assert "jun@park.example" in (await visits.get("/search?q=jun@park.example")).text


async def everything(visits: Visitor, pattern: str) -> list[str]:
    """Where on the pages and in the files of the store the pattern is found."""
    paths = [path_of(page) for page in PAGES if page.method == "GET"]
    texts = {path: (await visits.get(path)).text for path in (*paths, *(f"{path}?format=csv" for path in paths))}
    return [path for path, text in texts.items() if re.search(pattern, text)]


async def test_a_form_with_a_masked_address_leaves_it_as_it_is_stored(store: World) -> None:
    visits = await visitor(store, ALL, masks_emails=True)
    form = {"name": "Jun P.", "accepts_marketing": "yes", "email_status": "ok", "email": "j***@park.example"}
    version = re.findall(r'name="version" value="(\d+)"', (await visits.get("/customers/1/edit")).text)[0]
    saved = await visits.post("/customers/1/edit", on="/customers/1/edit", **form, version=version)
    assert saved.status_code == 303, saved.text
    customer = (await store.get("/customers/1")).json()["data"]
    assert (customer["name"], customer["email"]) == ("Jun P.", "jun@park.example")
    note = await visits.post("/customers/1/edit", on="/customers/1/edit", **form, note="Also a***@b.example")
    assert (note.status_code, "Your role masks an e-mail address" in note.text) == (422, True)


@pytest.mark.parametrize(
    ("text", "masked"),
    [
        ("ann@shop.example", "a***@shop.example"),
        ('<a href="?q=ann%2Bnew%40shop.example&amp;x=1">', '<a href="?q=a***%40shop.example&amp;x=1">'),
        ("o&#39;brien@shop.example", "o***@shop.example"),
        ("&lt;ann@shop.example&gt;,zoë@shop.example", "&lt;a***@shop.example&gt;,z***@shop.example"),
        ("john/doe=1?x%y@shop.example, {a}@b.example", "j***@shop.example, {***@b.example"),
        ("tom&jerry@shop.example tom&amp;jerry@shop.example", "t***@shop.example t***@shop.example"),
        ("%41nn@shop.example क्षमा@shop.example", "%***@shop.example क***@shop.example"),
        ('<a href="?q=%C3%BCser%40shop.example">', '<a href="?q=***%40shop.example">'),
        ("https://video.example/@ann no address @ all", "https://video.example/@ann no address @ all"),
    ],
)
def test_an_address_is_masked_however_it_is_written(text: str, masked: str) -> None:
    assert mask(text) == masked


async def test_hidden_revenue_is_not_on_the_overview_in_analytics_or_in_files(store: World) -> None:
    visits, owner = (await visitor(store, ALL, hides_revenue=True)), await visitor(store, "owner")
    for path in ("", "/analytics"):
        assert "Revenue" in (await owner.get(path)).text
        assert not re.search("Revenue|Refunded|Average order|Spent", (await visits.get(path)).text), path
    assert (await visits.get("/analytics/tax")).status_code == 403
    columns = (("/orders", "Total"), ("/analytics", "Net revenue"), ("/customers", "Spent"), ("/payments", "Amount"))
    await new_coupon(store, code="SHOWN")
    assert ["Revenue" in (await reader.get("/coupons/1")).text for reader in (owner, visits)] == [True, False]
    exported = [await reader.get("/customers/1/export") for reader in (owner, visits)]
    assert [(it.status_code, "which your role hides" in it.text) for it in exported] == [(200, False), (403, True)]
    for path, column in (*columns, ("/events", "Data")):
        heads = [(await reader.get(f"{path}?format=csv")).text.splitlines()[0] for reader in (owner, visits)]
        assert [column in head for head in heads] == [True, False], heads


async def test_hidden_revenue_is_in_no_sum_above_a_list(store: World) -> None:
    visits, owner = (await visitor(store, ALL, hides_revenue=True)), await visitor(store, "owner")
    tried = "/fraud/rules?try=yes&name=All&expression=total+%3E+0&action=block&mode=on"
    sums = {"/fraud": r"\$0\.00 held", "/gift-cards": "To be redeemed", "/referrals": "Discounts given"}
    for path, pattern in (sums | {tried: r"1 order</td><td class=\"number\"><b>\$"}).items():
        pages = [(await reader.get(path)).text for reader in (owner, visits)]
        assert [bool(re.search(pattern, page)) for page in pages] == [True, False], path


async def test_a_refund_above_the_limit_of_the_role_is_refused(store: World) -> None:
    visits = await visitor(store, "orders:read orders:write", refund_limit=1000)
    page, on = "/orders/1/refund", "/orders/1/refund"
    assert "up to $10.00 at once" in (await visits.get(page)).text
    above = await visits.post(page, on=on, amount="10.01")
    whole = await visits.post(page, on=on, confirmed="yes")
    assert [(answer.status_code, "at most 10.00 USD" in answer.text) for answer in (above, whole)] == [(422, True)] * 2
    assert (await visits.post(page, on=on, amount="10.00")).status_code == 303
    assert "$10.00" in (await visits.get("/orders/1")).text


def test_a_refund_limit_is_in_the_currency_of_the_store() -> None:
    limited = Permissions(frozenset(), refund_limit=Hundredths(1000))
    limited.check_refund(Hundredths(1000), "USD", "USD")
    with pytest.raises(Unprocessable, match="currency of the store only"):
        limited.check_refund(Hundredths(1), "EUR", "USD")


@pytest.mark.parametrize("path", ["/customers?search=", "/orders?search=", "/tickets?search=", "/search?q="])
async def test_a_role_that_masks_finds_customers_by_the_whole_e_mail_but_not_by_parts_of_it(
    store: World, path: str
) -> None:
    everyone, masked = await visitor(store, ALL), await visitor(store, ALL, masks_emails=True)
    terms = ("jun@park.example", "Jun Pa", "ju", "n@park", "k.example", "@", "jun@park.exampl", "un@park.example")
    matches = [
        [bool(re.search(r"<tbody>|/orders/1$", answer.text + answer.headers.get("location", ""))) for answer in answers]
        for answers in [[await visits.get(path + term) for visits in (everyone, masked)] for term in terms]
    ]
    assert matches == [[True, True]] * 3 + [[True, False]] * 5


async def test_a_role_that_masks_does_not_sort_by_e_mail(store: World) -> None:
    for path in ("/customers", "/users"):
        everyone, masked = await visitor(store, ALL), await visitor(store, ALL, masks_emails=True)
        assert ["sort=email" in (await visits.get(path)).text for visits in (everyone, masked)] == [True, False]
        for visits, direction in ((everyone, "ascending"), (masked, "none")):
            page = (await visits.get(f"{path}?sort=email&order=asc")).text
            assert re.search(rf'aria-sort="{direction}">(<a [^>]*>)?E-mail<', page)


async def test_search_overview_and_navigation_have_only_what_the_role_may_see(store: World) -> None:
    support = await visitor(store, "support-tickets:read")
    assert "Tickets" in (await support.get("/search?q=Jun")).text
    assert not re.search(r"<h2>(Orders|Customers)</h2>", (await support.get("/search?q=Jun")).text)
    overview = (await support.get("")).text
    assert "ticket without an answer" in overview
    assert not re.search("Latest orders|Revenue|Fraud stopped|Receivers|payment event|Export", overview)
    assert re.findall(rf'<li><a href="{PREFIX}(/\w[^"]*)"', overview) == ["/tickets"]


async def test_a_page_shows_records_of_other_areas_only_to_roles_that_may_see_them(store: World) -> None:
    await new_coupon(store, code="SHOWN")
    everyone = await visitor(store, "owner")
    areas = {"/products/1": "products", "/coupons/1": "coupons", "/customers/1": "customers"}
    others = {
        "/products/1": ["ORD-000001"],
        "/coupons/1": [">Abuse<", ">Orders<"],
        "/customers/1": ["ORD-000001", ">Tickets<", ">Gift cards<", ">Fraud checks<", ">Seen with<", ">Referred<"],
    }
    for path, area in areas.items():
        pages = [(await it.get(path)).text for it in (everyone, await visitor(store, f"{area}:read"))]
        assert [[text in page for text in others[path]] for page in pages] == [
            [True] * len(others[path]),
            [False] * len(others[path]),
        ], path


async def test_the_audit_log_shows_values_only_of_records_that_the_role_may_see(store: World) -> None:
    await (await visitor(store, "staff")).post("/orders/1/fulfill", on="/orders/1")
    auditor, reader = await visitor(store, "audit:read"), await visitor(store, "audit:read orders:read")
    for path in ("/audit", "/audit?format=csv"):
        pages = [(await visits.get(path)).text for visits in (auditor, reader)]
        assert ["Mark fulfilled" in page for page in pages] == [True, True]
        assert ["completed" in page for page in pages] == [False, True]
