"""The buyer's page: keys behind a button, every look recorded, nothing after a refund, and no other way in."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator

import httpx
import pytest

from lootkeep.domain.goods import Look
from lootkeep.services import goods as goods_service
from lootkeep.storage.engine.database import Engine
from lootkeep.storage.goods import looks as looks_db
from tests.api.commanding import GIVE, bought, open_server, rank
from tests.builders import STORE, new_customer, new_product, paid_order
from tests.console.visits import Visitor, as_demo, visitor
from tests.world import World

PUBLIC = "https://loot.example"
KEY = "EMB4T-9QWXA-7LM2P"


@pytest.fixture
async def shop(db: Engine) -> AsyncIterator[World]:
    """A paid order of a key and of a file, in a store that buyers can reach."""
    world = World(db, public_url=PUBLIC, store_name="Pixel Forge", store_colour="#ffcc00", order_emails=True)
    await world.begin()
    await new_customer(world, email="jun@park.example", name="Jun <b>Park")
    await new_product(world, name="Emberfall key", delivery_type="keys", stock=0)
    await world.post("/products/1/keys", {"keys": [KEY]})
    await new_product(world, name="Soundtrack", delivery_type="file", file_url="https://files.example/ost.zip")
    await paid_order(world, 1, (1, 1), (2, 1))
    yield world
    await world.close()


async def page_of(world: World, order_id: int = 1) -> str:
    order = (await world.get(f"{STORE}/orders/{order_id}")).json()["data"]
    return str(order["page_url"]).removeprefix(PUBLIC)


async def looks(world: World) -> list[Look]:
    async with world.db.read() as tx:
        return await looks_db.ROWS.find(tx, order_id=1)


async def show(world: World, path: str, item: int = 1, key: int = 1) -> httpx.Response:
    return await world.http.post(
        f"{path}/show", data={"item": str(item), "key": str(key)}, headers={"user-agent": "Tab"}
    )


async def test_the_link_is_in_the_store_api_alone_and_only_with_a_public_url(shop: World) -> None:
    path = await page_of(shop)
    assert re.fullmatch(r"/o/[A-Za-z0-9_-]{43}", path)
    assert (await shop.get("/orders/1")).json()["data"]["page_url"] is None
    private = World(shop.db, clock=shop.clock)
    private.token = shop.token
    assert (await private.get(f"{STORE}/orders/1")).json()["data"]["page_url"] is None
    await private.close()


async def test_the_page_shows_the_order_without_the_key_and_a_look_shows_it_and_is_recorded(shop: World) -> None:
    path = await page_of(shop)
    page = await shop.http.get(path)
    assert (page.status_code, "Emberfall key" in page.text, KEY in page.text) == (200, True, False)
    assert "Your order is here" in page.text
    assert await looks(shop) == []
    shown = await show(shop, path)
    assert (shown.status_code, KEY in shown.text) == (200, True)
    (look,) = await looks(shop)
    assert (look.key_id, look.at, look.user_agent) == (1, shop.clock.now(), "Tab")
    assert KEY not in (await shop.http.get(path)).text
    (key,) = (await shop.get("/products/1/keys")).json()["data"]
    assert key["revealed_at"] is not None


async def test_a_file_is_opened_by_a_link_that_is_recorded(shop: World) -> None:
    path = await page_of(shop)
    assert "files.example" not in (await shop.http.get(path)).text
    opened = await shop.http.get(f"{path}/files/2")
    assert (opened.status_code, opened.headers["location"]) == (303, "https://files.example/ost.zip")
    assert [look.item_id for look in await looks(shop)] == [2]


async def test_the_page_is_not_cached_not_indexed_and_sends_no_referrer(shop: World) -> None:
    headers = (await shop.http.get(await page_of(shop))).headers
    assert (headers["cache-control"], headers["x-robots-tag"]) == ("no-store", "noindex")
    assert headers["referrer-policy"] == "no-referrer"
    assert "script-src" not in headers["content-security-policy"]
    assert headers["content-security-policy"].startswith("default-src 'none'")


async def test_after_a_full_refund_the_page_says_so_and_shows_nothing(shop: World) -> None:
    path, inside = await page_of(shop), World(shop.db, clock=shop.clock, public_url="http://store.test")
    staff = await visitor(inside, "staff")
    says = "Anyone who has the link sees the order and its keys."
    before = (await staff.get("/orders/1")).text
    await shop.post(f"{STORE}/orders/1/refund", {})
    assert [says in before, says in (await staff.get("/orders/1")).text] == [True, False]
    await inside.close()
    page = (await shop.http.get(path)).text
    assert ("This order was refunded" in page, "Show key" in page, "Download" in page) == (True, False, False)
    assert [(await show(shop, path)).status_code, (await shop.http.get(f"{path}/files/2")).status_code] == [404, 404]
    assert await looks(shop) == []


async def test_while_a_dispute_is_open_nothing_is_shown_and_once_it_is_won_it_is_again(shop: World) -> None:
    path = await page_of(shop)
    await shop.post(f"{STORE}/orders/1/dispute", {"kind": "dispute", "reason": "fraudulent"})
    assert "is disputed" in (await shop.http.get(path)).text
    assert (await show(shop, path)).status_code == 404
    shop.clock.advance(1)
    await shop.post(f"{STORE}/orders/1/dispute", {"kind": "dispute_won", "reason": "fraudulent"})
    assert KEY in (await show(shop, path)).text


async def test_a_wrong_link_a_key_of_another_order_and_hostile_addresses_lead_nowhere(shop: World) -> None:
    path = await page_of(shop)
    await shop.post("/products/1/keys", {"keys": ["OTHER-KEY"]})
    await paid_order(shop, 1, (1, 1))
    wrong = path[:-1] + ("A" if path[-1] != "A" else "B")
    for address in (wrong, "/o/x", "/o/" + "A" * 43, "/o/" + "é" * 43, f"{path}x", "/o/%00", "/o/" + "_" * 43):
        assert (await shop.http.get(address)).status_code == 404, address
    assert [(await show(shop, path, item, key)).status_code for item, key in ((1, 2), (2, 1), (0, 0))] == [404] * 3
    for item in ("1", "9" * 30, "²", "x"):
        assert (await shop.http.get(f"{path}/files/{item}")).status_code == 404, item
    assert await looks(shop) == []


async def test_a_renewed_link_replaces_the_old_one(shop: World) -> None:
    old = await page_of(shop)
    await goods_service.renew_page(shop.deps, 1)
    new = await page_of(shop)
    assert [(await shop.http.get(path)).status_code for path in (old, new)] == [404, 200]


async def test_a_buyer_can_write_and_a_ticket_about_the_order_is_opened(shop: World) -> None:
    path = await page_of(shop)
    empty = await shop.http.post(f"{path}/ticket", data={"message": " "})
    assert (empty.status_code, "Please write what happened" in empty.text) == (422, True)
    sent = await shop.http.post(f"{path}/ticket", data={"message": "The key <i>does not</i> work."})
    assert (sent.status_code, sent.headers["location"]) == (303, f"{path}?asked")
    assert "We have your message" in (await shop.http.get(f"{path}?asked")).text
    (ticket,) = (await shop.get("/support-tickets?order_id=1")).json()["data"]
    assert (ticket["subject"], ticket["category"]) == ("Order ORD-000001", "order")


async def test_a_network_that_tries_many_links_has_to_wait(shop: World) -> None:
    answers = [(await shop.http.get(f"/o/{'A' * 42}{number % 10}")).status_code for number in range(70)]
    assert answers[-1] == 429
    shop.clock.advance(61_000_000)
    assert (await shop.http.get(await page_of(shop))).status_code == 200


async def test_the_colour_of_the_store_is_readable_in_both_themes(shop: World) -> None:
    style = await shop.http.get("/o/page.css")
    light, dark = re.findall(r"--accent:(#[0-9a-f]{6})", style.text)
    assert (light != "#ffcc00", dark) == (True, "#ffcc00")


async def test_the_email_carries_the_link_and_never_the_key(shop: World) -> None:
    (email,) = (await shop.get("/orders/1/evidence")).json()["data"]["emails"]
    assert (email["kind"], email["subject"]) == ("order", "Your order ORD-000001")


async def test_confirmed_fraud_is_said_calmly_and_shows_neither_key_nor_file(shop: World) -> None:
    path = await page_of(shop)
    await shop.post("/fraud/checks/1/review", {"outcome": "fraud", "notes": "Stolen card"})
    page = (await shop.http.get(path)).text
    assert ("did not pass our review" in page, "Show key" in page, "Download" in page) == (True, False, False)
    assert "Stolen card" not in page
    assert [(await show(shop, path)).status_code, (await shop.http.get(f"{path}/files/2")).status_code] == [404, 404]
    assert await looks(shop) == []


async def test_nothing_is_promised_while_nothing_is_shown(shop: World) -> None:
    await open_server(shop)
    path = await page_of(shop, order := await bought(shop, await rank(shop)))
    assert "Survival gives it to you" in (await shop.http.get(path)).text
    await shop.post(f"{STORE}/orders/{order}/dispute", {"kind": "dispute_lost", "reason": "fraudulent"})
    page = (await shop.http.get(path)).text
    assert ("Not delivered" in page, "Survival gives" in page, "We look after it" in page) == (True, False, False)


async def test_the_export_of_a_person_has_every_look(shop: World) -> None:
    path = await page_of(shop)
    await show(shop, path)
    await shop.http.get(f"{path}/files/2", headers={"user-agent": "Tab"})
    goods = (await shop.get(f"{STORE}/customers/1/export")).json()["data"]["goods"]
    assert [[look["user_agent"] for look in good["looks"]] for good in goods] == [["Tab"], ["Tab"]]


async def test_a_look_at_the_page_of_an_erased_buyer_says_nothing_of_a_person(shop: World) -> None:
    path = await page_of(shop)
    await shop.delete(f"{STORE}/customers/1")
    assert KEY in (await show(shop, path)).text
    (look,) = await looks(shop)
    assert (look.ip_address, look.user_agent) == (None, None)


async def test_what_a_game_server_gives_says_what_it_waits_for_and_never_what_the_server_answered(shop: World) -> None:
    server = await open_server(shop)
    role = GIVE | {"text": "role {player_id}", "needs_player_online": True}
    path = await page_of(shop, await bought(shop, await rank(shop, GIVE, role, name="VIP")))
    page = (await shop.http.get(path)).text
    assert ("Waits until you join Survival." in page, "Survival gives it to you" in page) == (True, True)
    assert "Survival · for Notch" in page
    await server.take()
    await server.report({"id": 1, "ok": True, "output": "secret words"}, {"id": 2, "ok": False, "output": "oh no"})
    page = (await shop.http.get(path)).text
    assert ("secret words" in page, "oh no" in page, "lp user" in page) == (False, False, False)
    assert re.findall(r'class="state (\w+)"', page) == ["waiting", "delivered"]


async def test_in_an_open_house_the_page_is_shown_and_nothing_is_recorded(shop: World) -> None:
    path = await page_of(shop)
    visits = Visitor(as_demo(shop, is_open_house=True)).http
    assert (await visits.get(path)).status_code == 200
    answers = [
        await visits.post(f"{path}/show", data={"item": "1", "key": "1"}),
        await visits.get(f"{path}/files/2"),
        await visits.post(f"{path}/ticket", data={"message": "Buy at my shop"}),
    ]
    assert [(answer.status_code, "change nothing" in answer.text) for answer in answers] == [(422, True)] * 3
    assert await looks(shop) == []
    assert (await shop.get("/support-tickets")).json()["data"] == []
