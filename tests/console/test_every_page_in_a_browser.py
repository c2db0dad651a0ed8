"""Every page of a full store in a real browser: at every width, in both themes, and for people who cannot see it."""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from lootkeep.console.page import PREFIX
from lootkeep.console.pages import PAGES
from tests.browser import SECONDS, Browser, browsing
from tests.builders import STORE
from tests.cli.terminal import PROGRAM, Serving, environment, served, start
from tests.console.visits import path_of, set_up
from tests.generators import packages
from tests.world import EXTERNAL

# The first one loads the demo, and may install what npm has.
pytestmark = pytest.mark.timeout(600)
# The rules of axe that colours can change. They take longer than all others.
COLOURS = ("color-contrast", "link-in-text-block")
BOTH: dict[str, dict[str, Any]] = {"light": {}, "dark": {"runOnly": COLOURS}}
# By width and theme the rules. What is seen in between is seen on a narrow page or on a wide one too, in its colours.
WIDTHS = {390: BOTH, 820: {"light": {"rules": {rule: {"enabled": False} for rule in COLOURS}}}, 1400: BOTH}
# The mail of a campaign is not a page: it is shown in the frame of one.
MAIL = "/campaigns/{id}/mail"
# Only someone who is not signed in sees these.
OUTSIDE = ("/sign-in", "/sign-in/openid", "/sign-in/openid/callback", "/setup")
# Tests that share the pages, so that each is short.
PARTS = range(6)
# As long as a name may be, without a place to break it.
LONG = "x" * 255
# The pages of a bulk action are the same in every area; one has a test of its own.
ROWS = [
    page
    for page in PAGES
    if page.method == "GET" and page.path not in (*OUTSIDE, MAIL) and not page.path.endswith("/bulk/{id}")
]

# What reaches out of the page, but for what scrolls in a box of its own.
TOO_WIDE = """
[...document.querySelectorAll("body *")]
  .filter((one) => one.checkVisibility() && !one.closest(".scroll, .hidden, svg, .skip"))
  .filter((one) => one.getBoundingClientRect().right > document.documentElement.clientWidth + 1)
  .map((one) => `${one.tagName}.${one.className}`)
"""
# Tables whose rows have more or fewer cells than their head: what a narrow box leaves out, it leaves out of both.
UNALIGNED = """
[...document.querySelectorAll("table")]
  .filter((table) => table.checkVisibility() && table.tHead?.checkVisibility())
  .filter((table) => getComputedStyle(table).display === "table")
  .flatMap((table) => [...table.tBodies].flatMap((body) => [...body.rows]).slice(0, 1).map((row) => [table, row]))
  .filter(([, row]) => ![...row.cells].some((cell) => cell.colSpan > 1))
  .map(([table, row]) => [table.tHead.rows[0], row])
  .map((rows) => rows.map((row) => [...row.cells].filter((cell) => cell.checkVisibility())))
  .filter(([heads, cells]) => heads.length !== cells.length)
  .map(([heads, cells]) => `${cells.length} cells below ${heads.map((one) => one.textContent.trim()).join(", ")}`)
"""
# Not into the preview of an e-mail, which nobody may talk to.
AXE = """
const text = (rule, node) => `${rule}: ${node.html.slice(0, 160)} ${node.any[0]?.message ?? ""}`;
const findings = (result) => result.violations.flatMap((rule) => rule.nodes.map((node) => text(rule.id, node)));
axe.run(document, { ...OPTIONS, iframes: false }).then(findings, (error) => [String(error)]).then(done);
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("demo")


@pytest.fixture(scope="module")
def demo(folder: Path) -> Iterator[Serving]:
    with served(start(folder, environment({"log_level": "warning"}), "serve", "--demo", "--port", "0")) as server:
        yield server


@pytest.fixture(scope="module")
def long(demo: Serving) -> list[str]:
    """The pages of records whose every text is as long as it may be, without a place to break it."""
    headers = {"Authorization": f"Bearer {demo.token}"}
    with httpx.Client(base_url=demo.url, headers=headers, timeout=SECONDS) as shop:

        def new(path: str, **body: Any) -> Any:
            answer = shop.post(path, json=body)
            assert answer.is_success, answer.text
            return answer.json().get("data")

        email = f"{'x' * 60}@{'y' * 60}.{'z' * 60}.example"
        customer = new(f"{STORE}/customers", name=LONG, email=email, username=LONG[:60])["customer"]["id"]
        assert shop.put(f"{STORE}/customers/{customer}", json={"note": LONG * 4}).is_success
        product = new(f"{STORE}/products", name=LONG, price="999999.99", category=LONG[:100], sku=LONG[:64])["id"]
        items = [{"product_id": product, "quantity": 7}]
        seen = {"device_id": LONG[:200], "ip_address": "2001:db8:85a3:1234:5678:8a2e:370:7334"}
        order = new(f"{STORE}/orders", customer_id=customer, items=items, **seen)["order"]["id"]
        ticket = new(f"{STORE}/support-tickets", customer_id=customer, subject=LONG[:200], message=LONG * 4)["id"]
        card = new(f"{STORE}/gift-cards", initial_balance="9999.99", customer_id=customer, recipient_name=LONG)["id"]
        webhook = new(f"{EXTERNAL}/webhooks", url=f"https://hooks.example/{LONG * 4}", events=["order.*"])["id"]
        fraud_list = new(f"{EXTERNAL}/fraud/lists", name=LONG[:40], kind="device", note=LONG)["id"]
        new(f"{EXTERNAL}/fraud/lists/{fraud_list}/entries", values=[LONG], reason=LONG)
        new(f"{EXTERNAL}/fraud/rules", name=LONG[:60], note=LONG, expression=f"device in @{LONG[:40]}", action="flag")
        new(f"{EXTERNAL}/fraud/whitelist/email", email=email)
    records = {"customers": customer, "products": product, "orders": order, "tickets": ticket}
    records |= {"gift-cards": card, "webhooks": webhook, "fraud/named-lists": fraud_list}
    return [f"{PREFIX}/{name}/{number}" for name, number in records.items()]


@pytest.fixture(scope="module")
def axe() -> str:
    return (packages.node_modules() / "axe-core" / "axe.min.js").read_text()


@pytest.fixture(scope="module")
def browser(demo: Serving, axe: str) -> Iterator[Browser]:
    """Signed in by the link of the first start."""
    with browsing() as browser:
        browser.preload(axe)
        browser.open(demo.console_link)
        set_up(browser)
        browser.resize(1400, 900)
        yield browser


def test_the_pages_before_signing_in_pass_axe(folder: Path, demo: Serving, axe: str) -> None:
    subprocess.run([PROGRAM, "user", "add", "bo@shop.example", "--name", "Bo"], cwd=folder, check=True)
    printed = subprocess.run(
        [PROGRAM, "user", "link", "bo@shop.example"], cwd=folder, check=True, capture_output=True, text=True
    )
    token = re.search(r"token=\S+", printed.stdout)
    assert token, printed.stdout
    of_owner = demo.console_link.removeprefix(demo.url)
    paths = ("/console/sign-in", f"/console/setup?{token[0]}", "/console/setup?token=used", of_owner)
    with browsing() as browser:
        browser.preload(axe)
        assert findings(browser, demo, paths) == []


def test_a_buyers_page_passes_axe_and_fits_at_every_width_in_both_themes(demo: Serving, axe: str) -> None:
    page = re.search(r"/o/[\w-]{43}", demo.greeting)
    assert page, demo.greeting
    with browsing() as browser:
        browser.preload(axe)
        assert findings(browser, demo, [page[0], "/o/unknown"]) == []
        browser.scripts(are_on=False)
        browser.open(demo.url + page[0])
        browser.click("form[action*='/show'] button")
        browser.wait_for_text("Shown just now")


@pytest.mark.parametrize("part", PARTS)
def test_every_page_passes_axe_and_fits_at_every_width_in_both_themes(
    browser: Browser, demo: Serving, long: list[str], part: int
) -> None:
    browser.console()
    assert findings(browser, demo, [*addresses(browser, demo), *long][part :: len(PARTS)]) == []
    assert browser.console() == []


def test_the_palette_ticked_rows_and_a_bulk_action_pass_axe(browser: Browser, demo: Serving) -> None:
    browser.resize(1400, 900)
    browser.open(f"{demo.url}/console/orders")
    browser.click("td .tick")
    problems = [] if browser.run("document.querySelector('.bulk').checkVisibility()") else ["no bar"]
    program = AXE.replace("OPTIONS", "{}")
    problems += browser.wait_for(program)
    browser.press("/")
    browser.type("an")
    browser.until("document.querySelector('#choices mark')?.textContent.toLowerCase() === 'an'")
    problems += browser.wait_for(program)
    browser.press("Escape")
    browser.click(".bulk button[value=cancel]")
    browser.wait_for_text("Before it starts")
    path = str(browser.run("location.pathname"))
    problems += findings(browser, demo, [path])
    browser.click("form[action$='/start'] button")
    browser.wait_for_text("Progress", "h2")
    assert [*problems, *findings(browser, demo, [path])] == []


def test_every_page_is_whole_without_javascript(browser: Browser, demo: Serving) -> None:
    titles = {}
    paths = addresses(browser, demo)
    browser.scripts(are_on=False)
    try:
        for path in paths:
            browser.open(demo.url + path)
            titles[path] = browser.text("main h1")
    finally:
        browser.scripts(are_on=True)
    assert [path for path, title in titles.items() if title in ("", "Something went wrong", "Not problems")] == []


@pytest.mark.parametrize("javascript", ["on", "off"])
def test_the_tour_is_walked_by_keys(browser: Browser, demo: Serving, javascript: str) -> None:
    browser.scripts(are_on=javascript == "on")
    try:
        browser.open(f"{demo.url}/console?tour=0")
        for name, text in (("Begin", "1 of 5:"), *(("Next", f"{number} of 5:") for number in range(2, 6))):
            follow(browser, name)
            browser.wait_for_text(text)
        follow(browser, "Done")
        browser.wait_for_url("tour=off")
        browser.open(f"{demo.url}/console")
        assert "Five things" not in browser.text("main")
    finally:
        browser.scripts(are_on=True)


def follow(browser: Browser, name: str) -> None:
    """By Tab and Enter, from the beginning of the page."""
    for _ in range(60):
        if browser.focused().startswith(name):
            return browser.press("Enter")
        browser.press("Tab")
    pytest.fail(f"{name} is not reached by Tab.")


def addresses(browser: Browser, demo: Serving) -> list[str]:
    """Of every row that has a page."""
    browser.open(f"{demo.url}/console/webhooks/1")
    delivery = browser.run("document.querySelector('a[href*=\"/deliveries/\"]').pathname.split('/').pop()")
    paths = [PREFIX + path_of(page, {"{delivery_id}": delivery}) for page in ROWS]
    steps = re.findall(r"/console\S+tour=\d", demo.greeting)
    return [*paths, *steps, f"{PREFIX}/search?q=an", f"{PREFIX}/orders?status=on_hold&search=nothing"]


def findings(browser: Browser, demo: Serving, paths: Iterable[str]) -> list[str]:
    problems = []
    for path in paths:
        browser.open(demo.url + path)
        for width, themes in WIDTHS.items():
            browser.resize(width, 900)
            for theme, options in themes.items():
                browser.prefer(theme)
                program = AXE.replace("OPTIONS", json.dumps({"resultTypes": ["violations"]} | options))
                # Nothing is wider for its colours.
                said = browser.wait_for(program)
                said += [*browser.run(TOO_WIDE), *browser.run(UNALIGNED)] if theme == "light" else []
                problems += [f"{path} {theme} {width}: {finding}" for finding in said]
    return problems
