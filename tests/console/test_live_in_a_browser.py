"""The console moves by itself, in a real browser: in one process, and in two on PostgreSQL."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Any, NamedTuple

import httpx
import pytest

from tests.api.commanding import GAME
from tests.browser import SECONDS, Browser, browsing
from tests.builders import STORE
from tests.cli.terminal import KEY, Serving, environment, served, start
from tests.conftest import ENGINES, drop_postgres_database, new_postgres_database
from tests.console.visits import set_up
from tests.world import EXTERNAL

ROW_TOP = "document.querySelector('tbody tr').getBoundingClientRect().top"
BADGE = "document.querySelector('.side nav a[href$=\"/fraud\"] .badge')?.textContent"
CASES = "document.querySelectorAll('.queue ol:first-of-type li').length"
# The answer of a look is there, and comes later, like that of every other look meanwhile.
HOLD_LOOKS = """(() => {
  const now = fetch;
  const end = new Promise((go) => (window.letGo = go));
  window.fetch = async (url, options) => {
    const answer = await now(url, options);
    if (options.headers["x-live"]) await ((window.isHeld = true), end);
    return answer;
  };
  window.looked = lookNow();
})()"""
LIVE = "document.querySelector('.live')?.textContent === 'live'"


class Consoles(NamedTuple):
    """A browser at one process, and the API of another one, or of the same on SQLite."""

    browser: Browser
    server: Serving
    shop: httpx.Client

    def open(self, path: str) -> Browser:
        self.browser.open(f"{self.server.url}/console{path}")
        self.browser.until(LIVE)
        self.browser.run("window.stayed = true")
        return self.browser

    def order(self, customer: int, **seen_with: str) -> None:
        body = {"customer_id": customer, "items": [{"product_id": 1, "quantity": 1}]}
        body |= {"ip_address": f"203.0.113.{customer}"}
        answer = self.shop.post(f"{STORE}/orders", json=body | seen_with)
        assert answer.status_code == 201, answer.text


@pytest.fixture(scope="module", params=ENGINES)
def consoles(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Consoles]:
    folder = tmp_path_factory.mktemp("live")
    settings = {"log_level": "warning"}
    with ExitStack() as stack:
        if request.param == "postgresql":
            settings |= {"database_url": stack.enter_context(_database(request)), "secret_key": KEY}
            with start(folder, environment(settings), "migrate") as migration:
                assert migration.wait() == 0
        serve = ("serve", "--port", "0")
        server = other = stack.enter_context(served(start(folder, environment(settings), *serve)))
        if request.param == "postgresql":
            other = stack.enter_context(served(start(folder, environment(settings), *serve)))
        headers = {"Authorization": f"Bearer {server.token}"}
        shop = stack.enter_context(httpx.Client(base_url=other.url, headers=headers, timeout=SECONDS))
        shop.post(f"{STORE}/products", json={"name": "VIP rank", "price": "20.00"}).raise_for_status()
        for number in range(1, 10):
            customer = {"email": f"b{number}@mail{number}.example", "name": f"Buyer {number}"}
            shop.post(f"{STORE}/customers", json=customer).raise_for_status()
        browser = stack.enter_context(browsing())
        # The link of the last start is the one that works, in any process.
        browser.open(other.console_link.replace(other.url, server.url))
        set_up(browser)
        yield Consoles(browser, server, shop)


@contextmanager
def _database(request: pytest.FixtureRequest) -> Iterator[str]:
    admin_url = request.getfixturevalue("postgres_admin_url")
    name = f"lootkeep_{request.getfixturevalue('testrun_uid')[:8]}_{request.getfixturevalue('worker_id')}_live"
    url = asyncio.run(new_postgres_database(admin_url, name))
    yield url
    asyncio.run(drop_postgres_database(admin_url, url))


def test_a_new_order_waits_behind_a_button_and_the_rows_stay_where_they_are(consoles: Consoles) -> None:
    consoles.order(1)
    page = consoles.open("/orders")
    before = page.run(ROW_TOP)
    consoles.order(2)
    page.until("document.querySelector('.news button')?.textContent === '1 new order'")
    consoles.order(3)
    page.until("document.querySelector('.news button')?.textContent === '2 new orders'")
    assert page.run(ROW_TOP) == before
    page.click(".news button")
    page.until("!document.querySelector('.news') && document.querySelector('tbody').textContent.includes('Buyer 3')")
    assert page.run("window.stayed") is True
    assert page.console() == []


def test_a_row_says_what_became_of_its_order(consoles: Consoles) -> None:
    consoles.order(4)
    page = consoles.open("/orders")
    number = page.text("tbody .row")
    order = int(number.removeprefix("ORD-"))
    consoles.shop.post(f"{STORE}/orders/{order}/cancel", json={"reason": "A test"}).raise_for_status()
    page.until("document.querySelector('tbody tr .badge').textContent === 'Cancelled'")
    assert page.text("tbody .row") == number


def test_what_is_ticked_stays_ticked_and_says_what_is_so_now(consoles: Consoles) -> None:
    consoles.order(4)
    page = consoles.open("/orders")
    page.click("tbody .tick")
    number = page.text("tbody .row")
    consoles.shop.post(f"{STORE}/orders/{int(number.removeprefix('ORD-'))}/cancel", json={}).raise_for_status()
    page.until("document.querySelector('tbody tr:has(:checked) .badge').textContent === 'Cancelled'")
    consoles.order(5)
    page.click(".news button")
    page.until("document.querySelector('tbody tr:nth-child(2) .tick').checked && !document.querySelector('.news')")
    assert page.text("tbody tr:has(:checked) .row") == number
    assert page.text(".ticked").startswith("1 of ")


def test_a_row_that_its_filter_does_not_match_any_more_says_that_it_changed(consoles: Consoles) -> None:
    consoles.order(6)
    consoles.order(7)
    page = consoles.open("/orders?status=pending")
    changed, other = (page.text(f"tbody tr:nth-child({row}) .row") for row in (1, 2))
    consoles.shop.post(f"{STORE}/orders/{int(changed.removeprefix('ORD-'))}/cancel", json={}).raise_for_status()
    page.until("document.querySelector('tbody .badge').textContent === 'Changed'")
    assert [page.text(f"tbody tr:nth-child({row}) .row") for row in (1, 2)] == [changed, other]
    assert page.text("tbody tr:nth-child(2) .badge") == "Pending"


def test_what_a_form_has_said_stays_while_the_page_moves_and_what_the_page_says_itself_does_not(
    consoles: Consoles,
) -> None:
    def post(path: str, **body: Any) -> Any:
        return consoles.shop.post(path, json=body).raise_for_status().json()["data"]

    added = post(f"{EXTERNAL}/servers", name="Survival", game="minecraft")
    server, headers = added["server"]["id"], {"Authorization": f"Bearer {added['token']}"}
    command = {"server_id": server, "on": "paid", "text": "say {order_number}"}
    title = post(f"{STORE}/products", name="Title", price="5.00", delivery_type="command", commands=[command])
    page = consoles.open(f"/servers/{server}")
    page.wait_for_text("It has never asked for commands.")
    page.run("document.querySelector('a[href$=\"/resync\"]').click()")
    page.until("document.querySelector('.save button.main')")
    # Not with the mouse: no list changes under it.
    page.run("document.querySelector('.save button.main').click()")
    page.wait_for_text("There is no such purchase")
    page.run("document.querySelector('.side a[href$=\"/servers\"]').focus()")
    items = [{"product_id": title["id"], "quantity": 1}]
    order = post(f"{STORE}/orders", customer_id=1, items=items, ip_address="203.0.113.1")["order"]["id"]
    post(f"{STORE}/orders/{order}/pay")
    page.wait_for_text("say ORD-")
    (taken,) = consoles.shop.get(f"{GAME}/commands", headers=headers).raise_for_status().json()["data"]
    results = {"results": [{"id": taken["id"], "ok": True}]}
    consoles.shop.post(f"{GAME}/commands/results", json=results, headers=headers).raise_for_status()
    page.until("document.querySelector('tbody .badge').textContent === 'Done'")
    said = page.run("[...document.querySelectorAll('main > .notice')].map((it) => it.textContent)")
    assert said == ["There is no such purchase, or its commands wait already."]
    # As if nothing had happened for those who walk through the menu by keys.
    assert page.focused().startswith("Servers")
    assert page.run("window.stayed") is True


def test_a_look_from_before_a_form_was_sent_does_not_bring_back_what_was_there(consoles: Consoles) -> None:
    consoles.shop.post(f"{EXTERNAL}/servers", json={"name": "Survival", "game": "rust"}).raise_for_status()
    page = consoles.open("/servers/1")
    page.run(HOLD_LOOKS)
    page.until("window.isHeld")
    page.run("document.querySelector('a[href$=\"/edit\"]').click()")
    page.until("document.querySelector('#name')")
    page.write("#name", "Creative")
    page.run("document.querySelector('.save button.main').click()")
    page.wait_for_text("The server is saved.")
    page.wait_for("letGo(); looked.then(done);")
    assert page.text("h1 bdi") == "Creative"


def test_the_number_of_the_review_queue_moves_on_any_page_and_the_case_stays(consoles: Consoles) -> None:
    settings = {"fraud_action": "verify", "fraud_sensitivity_level": "high"}
    consoles.shop.put(f"{EXTERNAL}/fraud/settings", json=settings).raise_for_status()
    page = consoles.open("/products/new")
    page.write("#name", "Typed before")
    for customer in range(1, 8):
        consoles.order(customer, device_id="shared", ip_address="203.0.113.9")
    page.until(f"Number({BADGE}) > 0")
    assert page.run("document.querySelector('#name').value") == "Typed before"
    page = consoles.open("/fraud")
    case, waiting = page.text(".case h2"), page.run(CASES)
    consoles.order(8, device_id="shared", ip_address="203.0.113.9")
    page.until("document.querySelector('.news button')?.textContent === '1 new check'")
    assert (page.text(".case h2"), page.run(CASES), int(page.run(BADGE))) == (case, waiting, waiting + 1)
    page.click(".news button")
    page.until(f"{CASES} === {waiting + 1}")
    # Someone else decides on the next one.
    decided, left = page.run(
        "[...document.querySelectorAll('.queue a[data-check]')].slice(1, 3).map((a) => a.dataset.check)"
    )
    outcome = {"outcome": "legitimate"}
    consoles.shop.post(f"{EXTERNAL}/fraud/checks/{decided}/review", json=outcome).raise_for_status()
    page.until(f"document.querySelector('[data-check=\"{decided}\"] .badge').textContent === 'Changed'")
    assert page.run("document.querySelector('[data-key=j]').href").endswith(f"check={left}")
    assert page.run(CASES) == waiting + 1


def test_a_report_is_not_made_again_when_a_number_of_the_menu_moves(consoles: Consoles) -> None:
    settings = {"fraud_action": "verify", "fraud_sensitivity_level": "high"}
    consoles.shop.put(f"{EXTERNAL}/fraud/settings", json=settings).raise_for_status()
    page = consoles.open("/analytics/growth")
    before = page.run(f"Number({BADGE} ?? 0)")
    for customer in range(1, 8):
        consoles.order(customer, device_id="shared", ip_address="203.0.113.9")
    page.until(f"Number({BADGE}) > {before}")
    assert page.run("performance.getEntriesByType('resource').filter(it => it.name === location.href).length") == 0
    assert page.text("h1") == "Growth"


def test_tickets_and_the_overview_move(consoles: Consoles) -> None:
    page = consoles.open("/tickets")
    ticket = {"customer_id": 1, "subject": "Where is my key?", "message": "I paid."}
    consoles.shop.post(f"{STORE}/support-tickets", json=ticket).raise_for_status()
    page.until("document.querySelector('.news button')?.textContent === '1 new ticket'")
    page = consoles.open("")
    consoles.order(9)
    page.wait_for_text("Buyer 9")
    assert page.run("window.stayed") is True


def test_a_lost_connection_is_said_and_found_again(consoles: Consoles) -> None:
    page = consoles.open("/orders")
    # At once: it is found again within seconds.
    assert page.run("(lose(), sign.textContent)").startswith("not live since ")
    consoles.order(1)
    page.until(LIVE)
    page.until("document.querySelector('.news button')?.textContent === '1 new order'")


def test_a_palette_without_a_connection_says_so_and_leaves_no_page(consoles: Consoles) -> None:
    page = consoles.open("/products/new")
    page.write("#name", "Typed before")
    page.network(is_on=False)
    page.run("openPalette()")
    page.until("document.querySelector('#choices').textContent.startsWith('The service cannot be reached.')")
    page.network(is_on=True)
    page.type("B")
    page.until("document.querySelector('#choices [role=option]')")
    assert page.run("document.querySelector('#name').value") == "Typed before"
