"""The console in a real browser: in place, by keys, in the dark, and without JavaScript."""

from __future__ import annotations

import re
from collections.abc import Iterator

import httpx
import pytest

from tests.browser import SECONDS, Browser, browsing
from tests.builders import STORE
from tests.cli.terminal import Serving, environment, served, start
from tests.console.visits import EMAIL, PASSWORD, set_up
from tests.moments import copy
from tests.world import EXTERNAL

# The fields of the sign-in are reached by fewer.
MAX_TABS = 10


# On SQLite alone: pages are the same on both engines, which the other tests show.
@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Serving]:
    """With two orders, one of which is completed, and a ticket."""
    folder = tmp_path_factory.mktemp("console")
    with served(start(folder, environment({"log_level": "warning"}), "serve", "--port", "0")) as server:
        headers = {"Authorization": f"Bearer {server.token}"}
        with httpx.Client(base_url=f"{server.url}{STORE}", headers=headers, timeout=SECONDS) as shop:
            customer = {"email": "jun@park.example", "name": "Jun Park", "accepts_marketing": True}
            shop.post("/customers", json=customer).raise_for_status()
            shop.post("/products", json={"name": "VIP rank", "price": "20.00"}).raise_for_status()
            ticket = {"customer_id": 1, "subject": "My key does not work", "message": "It was used before."}
            shop.post("/support-tickets", json=ticket).raise_for_status()
            for _ in range(2):
                order = {"customer_id": 1, "items": [{"product_id": 1, "quantity": 1}], "ip_address": "203.0.113.9"}
                shop.post("/orders", json=order).raise_for_status()
            shop.post("/orders/1/pay", json={"transaction_id": "t1"}).raise_for_status()
            shop.post(f"{server.url}{EXTERNAL}/orders/1/fulfill", json={}).raise_for_status()
        yield server


@pytest.fixture(scope="module")
def browser(store: Serving) -> Iterator[Browser]:
    """Signed in by the link of the first start."""
    with browsing() as browser:
        browser.open(store.console_link)
        set_up(browser)
        yield browser


def test_the_console_is_dark_for_those_who_like_it_dark(browser: Browser, store: Serving) -> None:
    browser.open(f"{store.url}/console")
    lightness = {}
    for theme in ("light", "dark"):
        browser.prefer(theme)
        colour = browser.run("getComputedStyle(document.documentElement).backgroundColor")
        lightness[theme] = sum(map(int, re.findall(r"\d+", colour)))
    browser.prefer("light")
    assert lightness["light"] > 700
    assert lightness["dark"] < 100


def test_lists_and_orders_open_in_place_and_the_address_follows(browser: Browser, store: Serving) -> None:
    browser.resize(1400, 900)
    browser.open(f"{store.url}/console/orders")
    browser.run("window.stayed = true")
    browser.click(".chip[href*='status=completed']")
    browser.until("location.search.includes('status=completed') && document.querySelector('.chip.on')")
    browser.click("td a.row")
    browser.until("document.querySelector('.timeline')")
    assert browser.run("[window.stayed, location.pathname.startsWith('/console/orders/')]") == [True, True]
    browser.run("history.back()")
    browser.until("document.querySelector('.chip.on')")
    assert browser.console() == []


@pytest.mark.parametrize("width", [390, 820, 1400])
def test_every_filter_unfolds_within_the_page(browser: Browser, store: Serving, width: int) -> None:
    browser.resize(width, 900)
    browser.open(f"{store.url}/console/orders")
    filters = browser.run("document.querySelectorAll('details.chip').length")
    assert filters == 4
    for number in range(filters):
        browser.run(f"document.querySelectorAll('details.chip')[{number}].open = true")
        box = f"document.querySelectorAll('details.chip .pop')[{number}].getBoundingClientRect()"
        browser.until(f"{box}.right <= innerWidth && {box}.left >= 0 && {box}.width > 0")
    browser.resize(1400, 900)


def test_a_ticket_is_answered_and_noted_on_in_place(browser: Browser, store: Serving) -> None:
    browser.resize(1400, 900)
    browser.open(f"{store.url}/console/tickets/1")
    browser.run("window.stayed = true")
    browser.write("#message", "A known batch.")
    browser.click("button[formaction$='/note']")
    browser.until("document.querySelector('.talk .internal')")
    browser.write("#message", "Here is a new key.")
    browser.click(".card form button.main")
    browser.until("document.querySelector('.talk .staff:not(.internal)')")
    assert browser.run("[window.stayed, document.querySelector('.head .badge').textContent]") == [True, "Pending"]
    assert browser.console() == []


def test_a_token_that_is_shown_once_is_copied_by_its_button(browser: Browser, store: Serving) -> None:
    browser.open(f"{store.url}/console/tokens/new")
    browser.write("#name", "Bot")
    browser.click("input[name=scopes]")
    browser.click("button.main")
    browser.wait_for_text("It is shown only now.")
    copy(browser, ".copy")


def test_what_is_changed_in_the_settings_is_marked_and_listed_until_it_is_discarded(
    browser: Browser, store: Serving
) -> None:
    browser.open(f"{store.url}/console/settings")
    browser.write("#store_name", "Forge")
    browser.wait_for_text("1 change Name – → Forge")
    assert browser.text(".setting.changed label") == "Name"
    browser.click("[data-discard]")
    browser.wait_for_text("No changes yet.")
    assert not browser.run("document.querySelector('.setting.changed')")
    browser.run("window.stayed = true")
    for name in ("Forge", "Lootkeep"):
        browser.write("#store_name", name)
        browser.click(".save-bar .main")
        browser.until(f"document.querySelector('.side .brand bdi').textContent === '{name}'")
    assert browser.run("window.stayed") is True


def test_a_slash_opens_the_palette_from_anywhere_and_keys_choose_in_it(browser: Browser, store: Serving) -> None:
    browser.open(f"{store.url}/console/account")
    browser.press("/")
    browser.until("document.querySelector('.palette[open]') && document.activeElement.matches('.palette input')")
    browser.type("ORD-000001")
    browser.until("document.querySelector('#choices [aria-selected=true]')?.href.endsWith('/orders/1')")
    browser.press("ArrowDown")
    browser.press("ArrowUp")
    browser.press("Enter")
    browser.until("document.querySelector('h1').textContent.includes('ORD-000001')")
    assert not browser.run("document.querySelector('.palette').open")
    browser.press("/")
    browser.until("document.querySelector('.palette').open")
    browser.press("Escape")
    browser.until("!document.querySelector('.palette').open")
    assert browser.console() == []


def test_the_bar_appears_with_the_first_tick_escape_clears_and_a_key_leads_to_the_preview(
    browser: Browser, store: Serving
) -> None:
    browser.resize(1400, 900)
    browser.open(f"{store.url}/console/orders")
    bar = "document.querySelector('.bulk').checkVisibility()"
    assert not browser.run(bar)
    browser.click("td .tick")
    browser.until(f"{bar} && document.querySelector('.ticked').textContent === '1 of 2 selected'")
    browser.press("Escape")
    browser.until(f"!{bar}")
    browser.click("th .tick")
    browser.until("document.querySelector('.ticked').textContent === '2 of 2 selected'")
    browser.press("f")
    browser.wait_for_text("Mark 2 orders as fulfilled")
    browser.click("form[action$='/start'] button")
    browser.wait_for_text("1 done, 1 refused")
    assert browser.console() == []


def tab_to(browser: Browser, selector: str) -> None:
    """Goes there with the tabulator; the focus can be seen."""
    for _ in range(MAX_TABS):
        browser.press("Tab")
        if browser.run(f'document.activeElement.matches("{selector}")'):
            break
    assert browser.run("getComputedStyle(document.activeElement).outlineStyle") == "solid"


def test_a_secret_is_shown_once_and_a_reload_shows_the_form_again(browser: Browser, store: Serving) -> None:
    browser.resize(1400, 900)
    browser.open(f"{store.url}/console/tokens/new")
    browser.write("#name", "Discord bot")
    browser.click("input[value='orders:read']")
    browser.click("button.main")
    browser.until("document.querySelector('.secret')")
    assert browser.text(".secret").startswith("lk_")
    browser.run("location.reload()")
    browser.until("document.querySelector('#name')")
    assert browser.run("document.querySelector('.secret')") is None
    assert browser.console() == []


def test_everything_works_without_javascript(browser: Browser, store: Serving) -> None:
    browser.resize(390, 900)
    browser.scripts(are_on=False)
    try:
        browser.open(f"{store.url}/console")
        browser.click("label.menu")
        browser.click(".side nav a[href='/console/orders']")
        browser.wait_for_text("Orders", "h1")
        browser.click("td a.row")
        browser.wait_for_text("ORD-", "h1")
        browser.click("label.menu")
        browser.click(".you button")
        browser.wait_for_text("Sign in", "h1")
        browser.write("#email", EMAIL)
        browser.write("#password", PASSWORD)
        browser.click("button.main")
        browser.wait_for_text("Overview", "h1")
    finally:
        browser.scripts(are_on=True)


def test_signing_in_needs_no_mouse(store: Serving, browser: Browser) -> None:
    """After `browser`, which sets the password."""
    with browsing() as other:
        other.open(f"{store.url}/console/sign-in")
        tab_to(other, "#email")
        other.type(EMAIL)
        other.press("Tab")
        other.type(PASSWORD)
        other.press("Enter")
        other.until("document.querySelector('h1').textContent.startsWith('Overview')")
        assert other.console() == []


def test_who_signs_out_reads_it(store: Serving, browser: Browser) -> None:
    """After `browser`, which sets the password."""
    with browsing() as other:
        other.open(f"{store.url}/console/sign-in")
        other.write("#email", EMAIL)
        other.write("#password", PASSWORD)
        other.press("Enter")
        other.until("document.querySelector('form[action$=\"/sign-out\"]')")
        other.run("document.querySelector('form[action$=\"/sign-out\"] button').click()")
        other.wait_for_text("You are signed out.")


def test_a_button_that_is_pressed_twice_is_at_work_and_makes_one_product(browser: Browser, store: Serving) -> None:
    browser.open(f"{store.url}/console/products/new")
    browser.write("#name", "Gems")
    browser.write("#price", "5.00")
    press = "const it = document.querySelector('.save button'); it.click(); const was = [it.disabled, it.ariaBusy];"
    assert browser.run(f"(() => {{ {press} it.click(); return was; }})()") == [True, "true"]
    browser.wait_for_text("The product is created.")
    browser.open(f"{store.url}/console/products?search=gems")
    browser.wait_for_text("1–1 of 1")
