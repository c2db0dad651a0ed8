"""What staff do all day, in a real browser: going back, the palette, saved views, canned replies and undo."""

from __future__ import annotations

from collections.abc import Iterator

import httpx
import pytest

from tests.browser import KEYS, SECONDS, Browser, browsing
from tests.builders import STORE
from tests.cli.terminal import Serving, environment, served, start
from tests.console.visits import set_up

MESSAGE = "document.querySelector('#message')"


# On SQLite alone: pages are the same on both engines, which the other tests show.
@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Serving]:
    """With more orders than a window shows, and a ticket about the first."""
    folder = tmp_path_factory.mktemp("staff")
    with served(start(folder, environment({"log_level": "warning"}), "serve", "--port", "0")) as server:
        headers = {"Authorization": f"Bearer {server.token}"}
        with httpx.Client(base_url=f"{server.url}{STORE}", headers=headers, timeout=SECONDS) as shop:
            customer = {"email": "jun@park.example", "name": "Jun Park"}
            shop.post("/customers", json=customer).raise_for_status()
            shop.post("/products", json={"name": "VIP rank", "price": "20.00"}).raise_for_status()
            for _ in range(25):
                order = {"customer_id": 1, "items": [{"product_id": 1, "quantity": 1}], "ip_address": "203.0.113.9"}
                shop.post("/orders", json=order).raise_for_status()
            ticket = {"customer_id": 1, "order_id": 1, "subject": "My key", "message": "It was used before."}
            shop.post("/support-tickets", json=ticket).raise_for_status()
        yield server


@pytest.fixture(scope="module")
def browser(store: Serving) -> Iterator[Browser]:
    with browsing() as browser:
        browser.open(store.console_link)
        set_up(browser)
        browser.resize(1400, 500)
        yield browser


def test_going_back_to_a_list_leads_to_the_same_place_in_it(browser: Browser, store: Serving) -> None:
    browser.open(f"{store.url}/console/orders")
    browser.run("scrollTo(0, 600)")
    browser.run("document.querySelectorAll('td a.row')[15].click()")
    browser.until("document.querySelector('.timeline') && scrollY === 0")
    browser.run("history.back()")
    browser.until("document.querySelector('.list') && scrollY === 600")
    browser.run("history.forward()")
    browser.until("document.querySelector('.timeline') && scrollY === 0")
    browser.run("history.back()")
    browser.until("document.querySelector('.list') && scrollY === 600")
    # The page itself is left.
    browser.open(f"{store.url}/docs")
    browser.run("history.back()")
    browser.until("document.querySelector('.list') && scrollY === 600")
    assert browser.console() == []


def test_a_half_written_reply_is_there_again_after_going_back_until_it_is_sent(
    browser: Browser, store: Serving
) -> None:
    browser.open(f"{store.url}/console/tickets/1")
    browser.write("#message", "Dear Jun, half")
    browser.click("a[href='/console/customers/1']")
    browser.until(
        "location.pathname.endsWith('/customers/1') && document.querySelector('h1').textContent.includes('Jun')"
    )
    browser.run("history.back()")
    browser.until(f"{MESSAGE}?.value === 'Dear Jun, half'")
    # The page itself is left, too.
    browser.open(f"{store.url}/docs")
    browser.run("history.back()")
    browser.until(f"{MESSAGE}?.value === 'Dear Jun, half'")
    browser.click("button.main")
    browser.until("document.querySelector('.talk .staff')")
    # The answer took the place of the page that the reply was written on.
    browser.run("history.back()")
    browser.until("location.pathname.endsWith('/orders') && document.querySelector('.list')")
    browser.run("history.forward()")
    browser.until(f"document.querySelector('.talk .staff') && {MESSAGE}.value === ''")
    assert browser.console() == []


def test_a_text_that_is_there_again_does_not_overwrite_what_someone_changed_meanwhile(
    browser: Browser, store: Serving
) -> None:
    browser.open(f"{store.url}/console/products/1/edit")
    browser.write("#name", "VIP rank, new")
    browser.run("document.querySelector(\".side a[href='/console/orders']\").click()")
    browser.until("document.querySelector('.list')")
    headers = {"Authorization": f"Bearer {store.token}"}
    httpx.put(f"{store.url}{STORE}/products/1", json={"price": "21.00"}, headers=headers).raise_for_status()
    browser.run("history.back()")
    browser.until("document.querySelector('#name')?.value === 'VIP rank, new'")
    browser.click(".save button")
    browser.wait_for_text("This was changed after you opened the form.")
    assert len(browser.console()) == 1


def test_enter_opens_what_was_typed_however_quickly_it_is_pressed(browser: Browser, store: Serving) -> None:
    browser.open(f"{store.url}/console/account")
    for number in (7, 12):
        browser.press("/")
        browser.until("document.querySelector('#choices [aria-selected=true]')")
        browser.type(f"ORD-{number:06}{KEYS['Enter']}")
        browser.until(f"document.querySelector('h1').textContent.includes('ORD-{number:06}')")
        assert not browser.run("document.querySelector('.palette').open")
    assert browser.console() == []


def test_the_palette_marks_what_was_typed_and_shows_what_each_result_is(browser: Browser, store: Serving) -> None:
    browser.open(f"{store.url}/console/account")
    browser.press("/")
    browser.until("document.querySelector('#choices [aria-selected=true]')")
    browser.type("jun")
    browser.until("document.querySelector('#choices mark')?.textContent === 'Jun'")
    assert browser.run("!!document.querySelector('#choices [aria-selected=true] svg.icon path')")
    browser.press("Escape")


def test_a_view_is_saved_in_place_and_opened_from_the_palette(browser: Browser, store: Serving) -> None:
    browser.open(f"{store.url}/console/orders?status=pending&sort=total")
    browser.run("window.stayed = true")
    browser.run(
        "[...document.querySelectorAll('details.chip summary')].find(it => it.textContent === 'Save view').click()"
    )
    browser.write(".pop input[name=name]", "Large and open")
    browser.press("Enter")
    browser.until("document.querySelector('.tabs a[aria-current]')?.textContent === 'Large and open'")
    browser.run("document.querySelector(\".side a[href='/console/tickets']\").click()")
    browser.until("location.pathname.endsWith('/tickets') && document.querySelector('.list')")
    browser.press("/")
    browser.until("document.querySelector('#choices [aria-selected=true]')")
    browser.type(f"large and{KEYS['Enter']}")
    browser.until("location.search.includes('status=pending') && location.search.includes('sort=total')")
    assert browser.run("window.stayed")
    assert browser.console() == []


def test_a_canned_reply_is_inserted_in_place_and_the_text_has_the_focus(browser: Browser, store: Serving) -> None:
    browser.open(f"{store.url}/console/tickets/replies/new")
    browser.write("#name", "Sorry")
    browser.write("#body", "Sorry, {{ customer_name }}: {{ product }} of {{ order_number }}.")
    browser.click(".save button.main")
    browser.wait_for_text("Tickets offer it from now on.")
    browser.open(f"{store.url}/console/tickets/1")
    browser.write("#message", "Hello.")
    browser.run("document.querySelector('#canned_id').selectedIndex = 1")
    browser.click("button[formaction$='/insert']")
    browser.until(f"{MESSAGE}.value === 'Hello.\\n\\nSorry, Jun Park: VIP rank of ORD-000001.'")
    assert browser.run(f"document.activeElement === {MESSAGE}")
    browser.run("history.back()")
    browser.until(f"location.pathname.endsWith('/tickets/1') && {MESSAGE}")
    assert browser.console() == []


def test_z_undoes_what_was_done_last(browser: Browser, store: Serving) -> None:
    browser.open(f"{store.url}/console/tickets/1")
    browser.run("document.querySelector('#priority').value = 'urgent'")
    browser.click("form[action$='/priority'] button")
    browser.wait_for_text("The priority of TKT-000001 is urgent.")
    browser.press("z")
    browser.wait_for_text("The priority of TKT-000001 is normal.")
    assert browser.console() == []
