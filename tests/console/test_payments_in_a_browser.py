"""A payment that fits no order, in a real browser: it is applied once, however often the button is pressed."""

from __future__ import annotations

import hmac
import json
import time
from pathlib import Path

import httpx

from tests.api.providers import SECRET, STRIPE, charge, event
from tests.browser import SECONDS, browsing
from tests.builders import STORE
from tests.cli.terminal import Serving, environment, served, start
from tests.console.visits import set_up
from tests.world import EXTERNAL


# On SQLite alone: pages are the same on both engines, which the other tests show.
def test_an_event_whose_button_is_pressed_twice_is_applied_once(tmp_path: Path) -> None:
    started = start(tmp_path, environment({"log_level": "warning"}), "serve", "--port", "0")
    with served(started) as server, browsing() as browser:
        headers = {"Authorization": f"Bearer {server.token}"}
        with httpx.Client(base_url=server.url, headers=headers, timeout=SECONDS) as shop:
            receive_too_little(server, shop)
            browser.open(server.console_link)
            set_up(browser)
            browser.open(f"{server.url}/console/payments?status=unmatched")
            browser.click("td a.row")
            browser.until("document.querySelector('.likely button')")
            press = "const it = document.querySelector('.likely button'); it.click(); it.click();"
            browser.run(f"(() => {{ {press} }})()")
            browser.until("document.querySelector('h1').textContent.startsWith('Paid ORD-000001')")
            assert browser.console() == []
            types = [it["event_type"] for it in shop.get(f"{EXTERNAL}/events").json()["data"]["events"]]
            (shown,) = shop.get(f"{EXTERNAL}/payment-events").json()["data"]
        assert types.count("order.paid") == 1
        assert (shown["status"], shown["amount"]) == ("applied", "15.00")


def receive_too_little(server: Serving, shop: httpx.Client) -> None:
    """An order of $20.00, and a report of $15.00 that a worker has looked at."""
    shop.post(f"{STORE}/customers", json={"email": "jun@park.example", "name": "Jun Park"}).raise_for_status()
    shop.post(f"{STORE}/products", json={"name": "VIP rank", "price": "20.00"}).raise_for_status()
    order = {"customer_id": 1, "items": [{"product_id": 1, "quantity": 1}], "ip_address": "203.0.113.9"}
    shop.post(f"{STORE}/orders", json=order).raise_for_status()
    source = shop.post(f"{EXTERNAL}/payment-sources", json=STRIPE).json()["data"]
    body, at = json.dumps(event("charge.succeeded", charge(1, 1500))).encode(), int(time.time())
    digest = hmac.digest(SECRET.encode(), f"{at}.".encode() + body, "sha256").hex()
    sent = httpx.post(
        httpx.URL(server.url).join(source["url"]),
        content=body,
        headers={"stripe-signature": f"t={at},v1={digest}"},
        timeout=SECONDS,
    )
    sent.raise_for_status()
    while not shop.get(f"{EXTERNAL}/payment-events", params={"status": "unmatched"}).json()["data"]:
        pass
