"""Fraud review in a real browser: by keys alone, from case to case without a page load."""

from __future__ import annotations

from collections.abc import Iterator

import httpx
import pytest

from tests.browser import SECONDS, Browser, browsing
from tests.builders import STORE
from tests.cli.terminal import Serving, environment, served, start
from tests.console.visits import set_up
from tests.world import EXTERNAL


# On SQLite alone: pages are the same on both engines, which the other tests show.
@pytest.fixture
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Serving]:
    """With orders of many new accounts on one device, which are held."""
    folder = tmp_path_factory.mktemp("review")
    with served(start(folder, environment({"log_level": "warning"}), "serve", "--port", "0")) as server:
        headers = {"Authorization": f"Bearer {server.token}"}
        with httpx.Client(base_url=server.url, headers=headers, timeout=SECONDS) as shop:
            settings = {"fraud_action": "verify", "fraud_sensitivity_level": "high"}
            shop.put(f"{EXTERNAL}/fraud/settings", json=settings).raise_for_status()
            shop.post(f"{STORE}/products", json={"name": "VIP rank", "price": "20.00"}).raise_for_status()
            for number in range(1, 8):
                customer = {"email": f"b{number}@mail{number}.example", "name": f"Buyer {number}"}
                shop.post(f"{STORE}/customers", json=customer).raise_for_status()
                order = {"customer_id": number, "items": [{"product_id": 1, "quantity": 1}]}
                seen_with = {"device_id": "shared", "ip_address": "203.0.113.9"}
                shop.post(f"{STORE}/orders", json=order | seen_with).raise_for_status()
        yield server


def test_cases_are_decided_by_keys_and_the_next_one_is_there_without_a_page_load(store: Serving) -> None:
    with browsing() as browser:
        browser.open(store.console_link)
        set_up(browser)
        browser.resize(1400, 900)
        browser.open(f"{store.url}/console/fraud")
        browser.run("window.stayed = true")
        waiting = browser.run("document.querySelectorAll('.queue li').length")
        assert waiting >= 4
        assert decide(browser, "a") == "is approved."
        assert decide(browser, "r") == "is rejected as fraud."
        browser.press("n")
        browser.until("document.activeElement.name === 'notes'")
        browser.write(".decide textarea", "Called them.")
        browser.press("Escape")
        assert decide(browser, "w") == "is approved, and its e-mail is trusted from now on."
        first = browser.run("location.href")
        browser.until("!document.querySelector('[data-ahead]') || ahead.html")
        browser.press("j")
        browser.until(f"location.href !== '{first}'")
        assert browser.run("[window.stayed, document.querySelectorAll('.queue li').length]") == [True, waiting - 3]
        assert browser.console() == []


def decide(browser: Browser, key: str) -> str:
    """Presses the key when the next case is there; what is said of the order afterwards."""
    browser.until("ahead.html")
    number = browser.run("document.querySelector('.case h2 a').textContent")
    browser.press(key)
    browser.until(f"document.querySelector('main > .notice')?.textContent.startsWith('{number}')")
    assert browser.run("document.querySelector('.case h2 a').textContent") != number
    return str(browser.run(f"document.querySelector('main > .notice').textContent.replace('{number} ', '')"))
