"""Fraud review in a real browser: by keys alone, with decisions that can be undone and are never lost."""

from __future__ import annotations

import time
from collections.abc import Iterator

import httpx
import pytest

from tests.browser import SECONDS, Browser, browsing
from tests.builders import STORE
from tests.cli.terminal import Serving, environment, served, start
from tests.console.visits import set_up
from tests.moments import double_click
from tests.world import EXTERNAL

# A machine on which a case takes longer to appear than a hand waits.
SLOW = """document.addEventListener("shown", () => {
  for (const end = performance.now() + 600; performance.now() < end;);
})"""


# On SQLite alone: pages are the same on both engines, which the other tests show.
@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Serving]:
    """With orders of many new accounts on one device, which are held."""
    folder = tmp_path_factory.mktemp("review")
    with served(start(folder, environment({"log_level": "warning"}), "serve", "--port", "0")) as server:
        headers = {"Authorization": f"Bearer {server.token}"}
        with httpx.Client(base_url=server.url, headers=headers, timeout=SECONDS) as shop:
            settings = {"fraud_action": "verify", "fraud_sensitivity_level": "high"}
            shop.put(f"{EXTERNAL}/fraud/settings", json=settings).raise_for_status()
            shop.post(f"{STORE}/products", json={"name": "VIP rank", "price": "20.00"}).raise_for_status()
            for number in range(1, 16):
                customer = {"email": f"b{number}@mail{number}.example", "name": f"Buyer {number}"}
                shop.post(f"{STORE}/customers", json=customer).raise_for_status()
                order = {"customer_id": number, "items": [{"product_id": 1, "quantity": 1}]}
                seen_with = {"device_id": "shared", "ip_address": "203.0.113.9"}
                shop.post(f"{STORE}/orders", json=order | seen_with).raise_for_status()
        yield server


@pytest.fixture(scope="module")
def shop(store: Serving) -> Iterator[httpx.Client]:
    """Made before there is a decision, which takes effect within seconds."""
    headers = {"Authorization": f"Bearer {store.token}"}
    with httpx.Client(base_url=store.url, headers=headers, timeout=SECONDS) as shop:
        yield shop


@pytest.fixture(scope="module")
def browser(store: Serving) -> Iterator[Browser]:
    with browsing() as browser:
        browser.open(store.console_link)
        set_up(browser)
        yield browser


@pytest.fixture
def queue(store: Serving, browser: Browser) -> Browser:
    browser.resize(1400, 800)
    browser.open(f"{store.url}/console/fraud")
    browser.run("window.stayed = true")
    return browser


def test_a_decision_shows_the_next_case_at_once_and_takes_effect_later(shop: httpx.Client, queue: Browser) -> None:
    number, size = shown(queue), count(queue)
    decide(queue, "a")
    assert queue.text(".toast b").startswith("Approved Buyer")
    assert (count(queue), status(shop, number)) == (size - 1, "on_hold")
    second = shown(queue)
    # A quick hand is in the note already: its letters are no decisions.
    queue.press("n")
    queue.press("a")
    assert queue.run("[document.activeElement.name, document.activeElement.value]") == ["notes", "a"]
    queue.press("Escape")
    decide(queue, "r")
    settled(queue)
    assert [status(shop, order) for order in (number, second)] == ["pending", "cancelled"]
    queue.until(f"document.querySelectorAll('.queue li').length === {size - 2}")
    assert queue.run("[window.stayed, document.querySelector('.toast')]") == [True, None]
    assert queue.console() == []


def test_a_decision_is_undone_by_a_key_and_the_case_is_back_with_its_note(shop: httpx.Client, queue: Browser) -> None:
    number = shown(queue)
    queue.press("n")
    queue.write(".decide textarea", "Perhaps.")
    queue.press("Escape")
    decide(queue, "a")
    queue.press("z")
    queue.until(f"document.querySelector('.case h2 a')?.textContent === '{number}'")
    queue.until("document.querySelector('.decide textarea').value === 'Perhaps.'")
    assert queue.run("[waiting.length, sending.length, window.stayed]") == [0, 0, True]
    assert status(shop, number) == "on_hold"


def test_leaving_the_page_sends_a_decision_at_once(store: Serving, shop: httpx.Client, queue: Browser) -> None:
    number = shown(queue)
    decide(queue, "a")
    queue.open("about:blank")
    until_status(shop, number, "pending")
    queue.open(f"{store.url}/console/fraud")
    number = shown(queue)
    decide(queue, "r")
    queue.click(".side a[href='/console/orders']")
    queue.until("location.pathname === '/console/orders'")
    assert status(shop, number) == "cancelled"


def test_keys_are_ignored_just_after_a_case_appears(queue: Browser) -> None:
    queue.until("ahead.html")
    queue.run(SLOW)
    before = shown(queue)
    typed = "((typed) => (document.querySelector('[data-key=j]').click(), document.dispatchEvent(typed)))"
    queue.run(f"{typed}(new KeyboardEvent('keydown', {{key: 'a', bubbles: true}}))")
    assert queue.run("waiting.length") == 0
    assert shown(queue) != before


def test_a_double_click_decides_one_case(queue: Browser) -> None:
    before = shown(queue)
    queue.until("ahead.html")
    queue.run(SLOW)
    double_click(queue, ".decide [value=approve]")
    queue.until(f"document.querySelector('.case h2 a')?.textContent !== '{before}'")
    assert queue.run("waiting.length") == 1
    queue.press("z")
    queue.until(f"document.querySelector('.case h2 a')?.textContent === '{before}'")


def test_a_letter_typed_in_an_open_menu_decides_nothing(queue: Browser) -> None:
    before = shown(queue)
    queue.until("!isTooSoon()")
    queue.click(".head summary")
    queue.until("document.activeElement.closest('.head details[open]')")
    queue.press("a")
    assert queue.run("waiting.length") == 0
    queue.press("Escape")
    decide(queue, "a")
    queue.press("z")
    queue.until(f"document.querySelector('.case h2 a')?.textContent === '{before}'")


def test_the_decision_of_a_second_reviewer_stays_and_is_named(shop: httpx.Client, queue: Browser) -> None:
    number = shown(queue)
    decide(queue, "r")
    answer = shop.post(f"{EXTERNAL}/fraud/checks/{order_id(number)}/review", json={"outcome": "legitimate"})
    answer.raise_for_status()
    settled(queue)
    queue.until("document.querySelector('main > .failed')")
    assert queue.text("main > .failed span").startswith(f"{number} was approved by ")
    other = shown(queue)
    queue.press("j")
    queue.until(f"document.querySelector('.case h2 a')?.textContent !== '{other}'")
    assert queue.text("main > .failed span").endswith("Your decision was not recorded.")
    assert (status(shop, number), queue.run("window.stayed")) == ("pending", True)


def test_the_buttons_are_in_sight_and_a_case_fits_the_page(queue: Browser) -> None:
    for width in (390, 820, 1400):
        queue.resize(width, 720)
        bottoms = "[...document.querySelectorAll('.decide button')].map((one) => one.getBoundingClientRect().bottom)"
        assert max(queue.run(bottoms)) <= 720
    queue.resize(1400, 800)
    assert queue.run("document.documentElement.scrollHeight <= 800")
    whole = "document.querySelector('.case .body')"
    assert queue.run(f"{whole}.scrollHeight - {whole}.clientHeight") <= 0


def test_without_javascript_a_decision_takes_effect_at_once(
    store: Serving, shop: httpx.Client, browser: Browser
) -> None:
    browser.scripts(are_on=False)
    browser.open(f"{store.url}/console/fraud")
    number = browser.text(".case h2 a")
    browser.click(".decide [value=approve]")
    browser.wait_for_text(f"{number} is approved.")
    browser.scripts(are_on=True)
    assert status(shop, number) == "pending"


def shown(browser: Browser) -> str:
    return str(browser.run("document.querySelector('.case h2 a').textContent"))


def count(browser: Browser) -> int:
    return int(browser.run("document.querySelectorAll('.queue li:not([hidden])').length"))


def decide(browser: Browser, key: str) -> None:
    """Presses the key until it counts, which it does not just after a case has appeared."""
    number = shown(browser)
    browser.until("!isTooSoon()")
    browser.press(key)
    browser.until(f"document.querySelector('.case h2 a')?.textContent !== '{number}'")


def settled(browser: Browser) -> None:
    browser.until("!waiting.length && !sending.length")


def order_id(number: str) -> int:
    """Every order has the number of its check."""
    return int(number.removeprefix("ORD-"))


def status(shop: httpx.Client, number: str) -> str:
    return str(shop.get(f"{EXTERNAL}/orders/{order_id(number)}").json()["data"]["status"])


def until_status(shop: httpx.Client, number: str, wanted: str) -> None:
    end = time.monotonic() + SECONDS
    while status(shop, number) != wanted:
        assert time.monotonic() < end
