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
from tests.world import EXTERNAL

# Any link of the pages here is reached by fewer.
MAX_TABS = 60


# On SQLite alone: pages are the same on both engines, which the other tests show.
@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Serving]:
    """With two orders, one of which is completed, a draft of a campaign and a webhook."""
    folder = tmp_path_factory.mktemp("console")
    with served(start(folder, environment({"log_level": "warning"}), "serve", "--port", "0")) as server:
        headers = {"Authorization": f"Bearer {server.token}"}
        with httpx.Client(base_url=f"{server.address}{STORE}", headers=headers, timeout=SECONDS) as shop:
            customer = {"email": "jun@park.example", "name": "Jun Park", "accepts_marketing": True}
            shop.post("/customers", json=customer).raise_for_status()
            shop.post("/products", json={"name": "VIP rank", "price": "20.00"}).raise_for_status()
            shop.post("/gift-cards", json={"initial_balance": "25.00", "customer_id": 1}).raise_for_status()
            ticket = {"customer_id": 1, "subject": "My key does not work", "message": "It was used before."}
            shop.post("/support-tickets", json=ticket).raise_for_status()
            for _ in range(2):
                order = {"customer_id": 1, "items": [{"product_id": 1, "quantity": 1}], "ip_address": "203.0.113.9"}
                shop.post("/orders", json=order).raise_for_status()
            shop.post("/orders/1/pay", json={"transaction_id": "t1"}).raise_for_status()
            shop.post(f"{server.address}{EXTERNAL}/orders/1/fulfill", json={}).raise_for_status()
            campaign = {"name": "Winter sale", "subject": "Hello {{ name }}", "body_html": "<p>Hi</p>"}
            shop.post(f"{server.address}{EXTERNAL}/email-campaigns", json=campaign).raise_for_status()
            webhook = {"url": "https://hooks.example/bot", "events": ["product.deleted"]}
            shop.post(f"{server.address}{EXTERNAL}/webhooks", json=webhook).raise_for_status()
        yield server


@pytest.fixture(scope="module")
def browser(store: Serving) -> Iterator[Browser]:
    """Signed in by the link of the first start."""
    with browsing() as browser:
        browser.open(store.console_link)
        set_up(browser)
        yield browser


def test_the_console_is_dark_for_those_who_like_it_dark(browser: Browser, store: Serving) -> None:
    browser.open(f"{store.address}/console")
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
    browser.open(f"{store.address}/console/orders")
    browser.run("window.stayed = true")
    browser.click(".chip[href*='status=completed']")
    browser.until("location.search.includes('status=completed') && document.querySelector('.chip.on')")
    browser.click("td a.row")
    browser.until("document.querySelector('.timeline')")
    assert browser.run("[window.stayed, location.pathname.startsWith('/console/orders/')]") == [True, True]
    browser.run("history.back()")
    browser.until("document.querySelector('.chip.on')")
    assert browser.console() == []


def test_a_ticket_is_answered_and_noted_on_in_place(browser: Browser, store: Serving) -> None:
    browser.resize(1400, 900)
    browser.open(f"{store.address}/console/tickets/1")
    browser.run("window.stayed = true")
    browser.write("#message", "A known batch.")
    browser.click("button[formaction$='/note']")
    browser.until("document.querySelector('.talk .internal')")
    browser.write("#message", "Here is a new key.")
    browser.click(".card form button.main")
    browser.until("document.querySelector('.talk .staff:not(.internal)')")
    assert browser.run("[window.stayed, document.querySelector('.head .badge').textContent]") == [True, "Pending"]
    assert browser.console() == []


def test_a_slash_goes_to_the_search_from_anywhere(browser: Browser, store: Serving) -> None:
    browser.open(f"{store.address}/console/account")
    browser.press("/")
    browser.until("document.activeElement.name === 'q'")
    browser.write(".search input", "ORD-000001")
    browser.press("Enter")
    browser.until("document.querySelector('h1').textContent.includes('ORD-000001')")


def test_the_way_to_an_order_needs_no_mouse(browser: Browser, store: Serving) -> None:
    browser.resize(1400, 900)
    browser.open(f"{store.address}/console")
    follow(browser, "a[href='/console/orders']", "Orders")
    follow(browser, "td a.row", "ORD-")
    assert browser.console() == []


def follow(browser: Browser, link: str, title: str) -> None:
    """Goes to the link and opens it."""
    tab_to(browser, link)
    browser.press("Enter")
    browser.until(f"document.querySelector('h1').textContent.startsWith('{title}')")


def tab_to(browser: Browser, selector: str) -> None:
    """Goes there with the tabulator; the focus can be seen."""
    for _ in range(MAX_TABS):
        browser.press("Tab")
        if browser.run(f'document.activeElement.matches("{selector}")'):
            break
    assert browser.run("getComputedStyle(document.activeElement).outlineStyle") == "solid"


def typed(browser: Browser, text: str) -> None:
    for character in text:
        browser.press(character)


def test_a_reply_and_a_campaign_need_no_mouse(browser: Browser, store: Serving) -> None:
    browser.resize(1400, 900)
    browser.open(f"{store.address}/console/tickets/1")
    browser.press("w")
    browser.until("document.activeElement.name === 'message'")
    typed(browser, "Try again.")
    tab_to(browser, "button.main")
    browser.press("Enter")
    browser.until("document.querySelector('main > .notice')?.textContent.includes('on its way')")
    follow(browser, "a[href='/console/campaigns']", "Campaigns")
    follow(browser, "td a.row", "Winter sale")
    tab_to(browser, "form[action$='/send'] button")
    browser.press("Enter")
    browser.until("document.querySelector('h1').textContent.startsWith('Send campaign?')")
    tab_to(browser, "button.danger")
    browser.press("Enter")
    browser.until("document.querySelector('main > .notice')?.textContent.includes('goes out to 1 customer')")
    assert browser.console() == []


def test_a_secret_is_shown_once_and_a_reload_shows_the_form_again(browser: Browser, store: Serving) -> None:
    browser.resize(1400, 900)
    browser.open(f"{store.address}/console/tokens/new")
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
        browser.open(f"{store.address}/console")
        browser.click("label.menu")
        browser.click(".side nav a[href='/console/orders']")
        assert browser.text("h1") == "Orders"
        browser.click("td a.row")
        assert browser.text("h1").startswith("ORD-")
        browser.click("label.menu")
        browser.click(".you button")
        assert browser.text("h1") == "Sign in"
        browser.write("#email", EMAIL)
        browser.write("#password", PASSWORD)
        browser.click("button.main")
        assert browser.text("h1") == "Overview"
    finally:
        browser.scripts(are_on=True)


def test_signing_in_needs_no_mouse(store: Serving, browser: Browser) -> None:
    """After `browser`, which sets the password."""
    with browsing() as other:
        other.open(f"{store.address}/console/sign-in")
        tab_to(other, "#email")
        typed(other, EMAIL)
        other.press("Tab")
        typed(other, PASSWORD)
        other.press("Enter")
        other.until("document.querySelector('h1').textContent.startsWith('Overview')")
        assert other.console() == []


# The main form of each page: what is entered, the button, and what the next page says.
FORMS = [
    ("/orders/1/refund", {"#amount": "1.00"}, "main .save button", "were refunded"),
    ("/customers/1/edit", {"#note": "Likes ranks"}, "main .save button", "Saved."),
    ("/customers/1", {"#status_reason": "A test"}, "form[action$='/block'] button", "cannot order any more"),
    ("/products/new", {"#name": "Sword", "#price": "5.00"}, "main .save button", "The product is created."),
    ("/products/1/edit", {"#price": "21.00"}, "main .save button", "The product is saved."),
    ("/products/1", {"#stock": "7"}, "form[action$='/stock'] button", "The stock is 7."),
    ("/gift-cards/new", {"#initial_balance": "10.00"}, "main .save button", "The card is issued."),
    ("/gift-cards/1", {"#note": "Found again"}, "form[action$='/edit'] button", "The card is saved."),
    (
        "/referrals/tiers/new",
        {"#name": "Gold", "#referrals_required": "5", "#reward_value": "10"},
        "main .save button",
        "The tier is created",
    ),
    ("/referrals", {"#referral_welcome_discount_value": "7"}, "form[action$='/settings'] button", "are saved."),
    (
        "/campaigns/new",
        {"#name": "Spring", "#subject": "Hello", "#body_html": "<p>Hi</p>"},
        "main .save button",
        "is saved as a draft",
    ),
    ("/campaigns/2/edit", {"#subject": "Hello again"}, "main .save button", "is saved."),
    ("/tickets/1", {"#message": "Here is another key."}, "button.main", "Your reply is on its way"),
    ("/webhooks/1/replay", {}, "main .save button", "will be sent again"),
    ("/alerts/new", {"#name": "Night", "#target": "https://hooks.example/staff"}, "main .save button", "is set."),
    ("/users/new", {"#name": "Bo", "#email": "bo@shop.example"}, "main .save button", "The user is invited."),
    ("/fraud/lists", {"#emails": "ann@mail.example"}, "form[action$='/emails/add'] button", "is on the list"),
    ("/fraud/rules", {"#name": "Large", "#expression": "total > 100"}, "button.main", "Save this rule"),
    ("/fraud/settings", {"#fraud_review_due_hours": "5"}, "button.main", "Save these settings"),
]
# What has to be ticked first.
TICKED = {"/alerts/new": "input[value='backlog']"}


# Where the next page says it, if it is no message.
SAID_IN = {"/users/new": "section.card:has(.secret)"} | dict.fromkeys(
    ("/fraud/rules", "/fraud/settings"), ".save .good"
)


def test_the_main_form_of_every_page_has_its_effect_without_javascript(browser: Browser, store: Serving) -> None:
    said = {}
    browser.scripts(are_on=False)
    try:
        for path, fields, button, _ in FORMS:
            browser.open(f"{store.address}/console{path}")
            for field, value in fields.items():
                browser.write(field, value)
            if path in TICKED:
                browser.click(TICKED[path])
            browser.click(button)
            # Only the next page has it, so that it is waited for.
            said[path] = browser.text(SAID_IN.get(path, "main > .notice"))
            if path in ("/fraud/rules", "/fraud/settings"):
                browser.click(".save button.good")
                assert "saved." in browser.text("main > .notice"), path
    finally:
        browser.scripts(are_on=True)
    expected = {path: sentence for path, _, _, sentence in FORMS}
    assert {path: text for path, text in said.items() if expected[path] not in text} == {}
