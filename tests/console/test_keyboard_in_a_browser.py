"""What every page is for, done in a real browser by keys alone, with JavaScript and without."""

from __future__ import annotations

import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from fnmatch import fnmatchcase
from http import HTTPStatus
from itertools import groupby, pairwise
from pathlib import Path
from typing import Any

import httpx
import pytest

from lootkeep.domain.accounts import TOTP_STEP_SECONDS, totp_code
from tests.browser import KEYS, SECONDS, Browser, browsing
from tests.builders import STORE, honest_buyer
from tests.cli.terminal import Serving, environment, served, start
from tests.console.visits import EMAIL, PASSWORD, set_up, token
from tests.world import EXTERNAL

# Each part drives some twenty forms.
pytestmark = pytest.mark.timeout(600)
PARTS = range(3)
# More than any page has to step over.
MAX_TABS = 90
SKIP = "To the content"

_PATHS = Path(__file__).with_name("main_paths.txt").read_text(encoding="utf-8").splitlines()
PATHS = [line.split(": ", 1) for line in _PATHS if line.startswith("/")]
# What one line of an area deletes, a line before it needs: an area is in one part.
AREAS = [list(lines) for _, lines in groupby(PATHS, key=lambda line: line[0].split("/")[1])]


def _lines(part: int) -> list[list[str]]:
    areas = AREAS[len(AREAS) * part // len(PARTS) : len(AREAS) * (part + 1) // len(PARTS)]
    return [line for area in areas for line in area]


def _fill(shop: httpx.Client) -> None:
    """Each record four times: for keys with JavaScript and without, and a spare one of each."""

    def post(path: str, **body: Any) -> None:
        shop.post(path, json=body).raise_for_status()

    webhook = {"url": "https://hooks.example/bot", "events": ["product.created"]}
    for number in range(1, 5):
        post(
            f"{STORE}/customers",
            email=f"b{number}@mail{number}.example",
            name=f"Buyer {number}",
            accepts_marketing=True,
        )
        post(f"{STORE}/products", name=f"Rank {number}", price="20.00", stock=10)
        post(f"{STORE}/gift-cards", initial_balance="25.00", customer_id=number)
        post(f"{STORE}/support-tickets", customer_id=number, subject="My key", message="It was used before.")
        post(f"{EXTERNAL}/webhooks", **webhook)
        post(f"{EXTERNAL}/email-campaigns", name=f"Sale {number}", subject="Hello", body_html="<p>Hi</p>")
        tier = {"reward_type": "percentage_discount", "reward_value": 10}
        post(f"{EXTERNAL}/referrals/tiers", name=f"Tier {number}", referrals_required=number, **tier)
        alert = {"channel": "email", "target": "staff@shop.example", "triggers": ["backlog"]}
        post(f"{EXTERNAL}/alerts", name=f"Alert {number}", **alert)
        post(f"{EXTERNAL}/fraud/lists", name=f"list_{number}", kind="device")
        rule = {"expression": "total > 100", "action": "flag"}
        post(f"{EXTERNAL}/fraud/rules", name=f"Rule {number}", **rule)
    post(f"{STORE}/customers", email="reader@mail.example", name="A reader", accepts_marketing=True)
    for number in range(1, 5):
        order = {"customer_id": number, "items": [{"product_id": 4, "quantity": 1}]}
        post(f"{STORE}/orders", **order, **honest_buyer(number))
    for number in range(1, 5):
        post(f"{EXTERNAL}/servers", name=f"Server {number}", game="minecraft")
        post(f"{STORE}/products", name=f"Game {number}", price="20.00", delivery_type="keys")
    command = {"server_id": 1, "on": "paid", "text": "say {order_number}"}
    post(f"{STORE}/products", name="Title", price="20.00", delivery_type="command", commands=[command])
    post(f"{STORE}/orders", customer_id=5, items=[{"product_id": 9, "quantity": 1}], **honest_buyer(5))
    for number in (1, 2, 5):
        post(f"{STORE}/orders/{number}/pay", transaction_id=f"t{number}")


# On SQLite alone: pages are the same on both engines, which the other tests show.
@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Serving]:
    folder = tmp_path_factory.mktemp("keyboard")
    # A mail server that nobody has to answer: e-mails wait for it.
    settings = {"log_level": "error", "smtp_url": "smtp://127.0.0.1:1", "mail_from": "shop@store.example"}
    with served(start(folder, environment(settings), "serve", "--port", "0")) as server:
        headers = {"Authorization": f"Bearer {server.token}"}
        with httpx.Client(base_url=server.url, headers=headers, timeout=SECONDS) as shop:
            _fill(shop)
        yield server


@pytest.fixture(scope="module")
def browser(store: Serving) -> Iterator[Browser]:
    with browsing() as browser:
        browser.open(store.console_link)
        set_up(browser)
        browser.resize(1400, 900)
        yield browser


@pytest.mark.parametrize("part", PARTS)
@pytest.mark.parametrize("javascript", ["on", "off"])
def test_the_main_path_of_every_page_needs_no_mouse(
    browser: Browser, store: Serving, javascript: str, part: int
) -> None:
    number = 1 if javascript == "on" else 2
    tomorrow = f"{datetime.now(UTC) + timedelta(days=1):%m%d%Y}"
    browser.console()
    browser.scripts(are_on=javascript == "on")
    try:
        for line in _lines(part):
            path, steps = (text.format(number, number + 2, tomorrow) for text in line)
            browser.open(f"{store.url}/console{path.rstrip('/')}")
            _take_all(browser, steps)
    finally:
        browser.scripts(are_on=True)
    assert browser.console() == []


def test_sessions_a_second_factor_and_a_new_password_need_no_mouse(browser: Browser, store: Serving) -> None:
    with httpx.Client(base_url=f"{store.url}/console", timeout=SECONDS) as other:
        form = {"token": token(other.get("/sign-in")), "email": EMAIL, "password": PASSWORD}
        assert other.post("/sign-in", data=form).status_code == HTTPStatus.SEE_OTHER
    browser.open(f"{store.url}/console/account")
    _take_all(browser, "Sign out | ? is signed out")
    secret = str(browser.run("document.querySelector('a[href^=otpauth]').href.match(/secret=(\\w+)/)[1]"))
    code = totp_code(secret, int(time.time()) // TOTP_STEP_SECONDS)
    _take_all(browser, f"Code = {code} | Your password = {PASSWORD} | Turn on two-factor authentication")
    _take_all(browser, "? Recovery codes | I have stored them | ? Signing in requires a code")
    _take_all(browser, f"Your password = {PASSWORD} | Turn off two-factor authentication | ? Scan this with")
    new = "another horse battery"
    _take_all(browser, f"Current password = {PASSWORD} | New password = {new} | Repeat the new password = {new}")
    _take_all(browser, "Change the password | ? password is changed")
    assert browser.console() == []


def _take_all(browser: Browser, steps: str) -> None:
    listed = steps.split(" | ")
    for step, following in pairwise([*listed, ""]):
        if step[0] not in "?@":
            # What is there already does not show that the step did anything.
            assert not _is_there(browser, following), f"{step} | {following}"
        _take(browser, step)


def _is_there(browser: Browser, step: str) -> bool:
    """Whether there is already what the step waits for."""
    text = step[2:]
    return (step.startswith("? ") and browser.says(text)) or (step.startswith("@ ") and text in browser.url())


def _take(browser: Browser, step: str) -> None:
    match step.split(" ", 1):
        case ["?", text]:
            browser.wait_for_text(text)
        case ["@", text]:
            browser.wait_for_url(text)
        case ["Enter"]:
            browser.press("Enter")
        case ["[x]", name]:
            _go_to(browser, name)
            browser.press(" ")
        case ["to", name]:
            _go_to(browser, name)
        case _:
            name, _, text = step.partition(" = ")
            _go_to(browser, name)
            if text:
                browser.press("Control", "a")
                browser.type(text.replace("\\t", KEYS["Tab"]))
            else:
                browser.press("Enter")


def _go_to(browser: Browser, name: str) -> None:
    """By the tabulator, and past the navigation by the link for that; the focus can be seen."""
    passed = [browser.focused()]
    while not fnmatchcase(passed[-1], name):
        if len(passed) > MAX_TABS:
            pytest.fail(f"{name!r} is not reached by the tabulator: {passed}", pytrace=False)
        browser.press("Enter" if passed[-1] == SKIP else "Tab")
        passed.append(browser.focused())
    assert browser.run("getComputedStyle(document.activeElement).outlineStyle") == "solid"
