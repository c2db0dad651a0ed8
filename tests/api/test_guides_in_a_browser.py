"""The guides in a real browser: read at every width in both themes, searched with and without JavaScript."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from lootkeep.api.http.guides import contents
from tests.api.html_pages import HtmlPage
from tests.browser import SECONDS, Browser, browsing
from tests.cli.terminal import Serving, environment, served, start
from tests.generators import packages
from tests.moments import copy

# The first one may install what npm has.
pytestmark = pytest.mark.timeout(600)
# The rules of axe that colours can change. They take longer than all others.
COLOURS = {"runOnly": ("color-contrast", "link-in-text-block")}
# By width the themes with the rules.
WIDTHS: dict[int, dict[str, dict[str, Any]]] = {390: {"light": {}}, 820: {}, 1400: {"light": {}, "dark": COLOURS}}
# Together they have all that a page can have: tables, code, pictures, plots, groups in groups.
KINDS = [
    *("/docs/guides/index", "/docs/guides/quickstart", "/docs/guides/console", "/docs/guides/fraud"),
    *("/docs/guides/operate/results", "/docs/guides/operate/runbooks/down", "/docs/guides/api/conventions"),
    *("/docs/search?q=webhook", "/docs/search", "/docs/guides/nothing"),
]
TOO_WIDE = """
[...document.querySelectorAll("body *")]
  .filter((one) => one.checkVisibility() && !one.closest(".scroll, .hidden, pre, .skip"))
  .filter((one) => one.getBoundingClientRect().right > document.documentElement.clientWidth + 1)
  .map((one) => `${one.tagName}.${one.className}: ${one.textContent.slice(0, 60)}`)
"""
AXE = """
const text = (rule, node) => `${rule}: ${node.html.slice(0, 160)} ${node.any[0]?.message ?? ""}`;
const findings = (result) => result.violations.flatMap((rule) => rule.nodes.map((node) => text(rule.id, node)));
axe.run(document, OPTIONS).then(findings, (error) => [String(error)]).then(done);
"""
FOCUSED = "document.activeElement"


# On SQLite alone: no page here reads the database.
@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Serving]:
    folder: Path = tmp_path_factory.mktemp("store")
    with served(start(folder, environment({"log_level": "warning"}), "serve", "--port", "0")) as server:
        yield server


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    with browsing() as browser:
        browser.preload((packages.node_modules() / "axe-core" / "axe.min.js").read_text())
        yield browser


@pytest.fixture
def browser(chromium: Browser, store: Serving) -> Browser:
    """On the first guide, as for someone who has just come."""
    chromium.resize(1280, 900)
    chromium.prefer("light")
    chromium.open(f"{store.url}/docs/guides/index")
    chromium.console()
    return chromium


def search(browser: Browser, query: str) -> list[str]:
    """The addresses of the results, as the script lists them."""
    browser.write("#filter", query)
    browser.until("!document.querySelector('#results').hidden")
    return list(browser.run("[...document.querySelectorAll('#results a')].map((one) => one.href)"))


def from_server(store: Serving, query: str) -> list[str]:
    """The same without JavaScript."""
    answer = httpx.get(f"{store.url}/docs/search", params={"q": query}, timeout=SECONDS)
    links = HtmlPage(answer.text.partition('<ul class="results">')[2].partition("</ul>")[0]).links
    return [str(httpx.URL(f"{store.url}/docs/search").join(link)) for link in links]


# Reading


@pytest.mark.parametrize("path", KINDS)
def test_a_page_passes_axe_and_fits_at_every_width_in_both_themes(browser: Browser, store: Serving, path: str) -> None:
    problems = []
    browser.open(store.url + path)
    for width, themes in WIDTHS.items():
        browser.resize(width, 900)
        problems += browser.run(TOO_WIDE)
        for theme, options in themes.items():
            browser.prefer(theme)
            problems += browser.wait_for(AXE.replace("OPTIONS", json.dumps({"resultTypes": ["violations"]} | options)))
    assert problems == []


def test_every_page_fits_on_a_phone_without_a_complaint_and_asks_nobody_else(browser: Browser, store: Serving) -> None:
    browser.resize(390, 844)
    problems = []
    for path in contents.pages():
        browser.open(f"{store.url}/docs/guides/{path}")
        urls = browser.run("performance.getEntriesByType('resource').map((one) => one.name)")
        problems += [url for url in urls if not url.startswith(f"{store.url}/docs/")]
        problems += [f"{path}: {wide}" for wide in browser.run(TOO_WIDE)]
    assert (problems, browser.console()) == ([], [])


def test_the_page_is_marked_in_the_navigation_and_its_group_is_open(browser: Browser, store: Serving) -> None:
    browser.open(f"{store.url}/docs/guides/operate/runbooks/down")
    current = "[...document.querySelectorAll('#navigation [aria-current=page]')]"
    assert browser.run(f"{current}.map((one) => [one.textContent, one.checkVisibility()])") == [["LootkeepDown", True]]
    assert browser.run("[...document.querySelectorAll('#navigation > details[open]')].length") == 1


def test_a_block_of_code_is_copied_as_it_is_shown(browser: Browser, store: Serving) -> None:
    browser.open(f"{store.url}/docs/guides/quickstart")
    shown = browser.run("document.querySelector('figure.code code').textContent")
    copy(browser, "figure.code [data-copy]")
    browser.write("#filter", "")
    browser.press("Control", "v")
    assert browser.run("document.querySelector('#filter').value") == shown.replace("\n", "")


# Searching


@pytest.mark.parametrize(
    "query", ["refund", "Backup", "fraud/whitelist", "order paid", "signature verify", "LOOTKEEP_PORT", "e", "zzyzx"]
)
def test_the_script_finds_what_the_server_finds(browser: Browser, store: Serving, query: str) -> None:
    assert search(browser, query) == from_server(store, query)


def test_the_index_is_fetched_with_the_first_key(browser: Browser) -> None:
    fetched = "performance.getEntriesByType('resource').filter((one) => one.name.endsWith('search.json')).length"
    before = browser.run(fetched)
    search(browser, "tiers")
    search(browser, "tiers of")
    assert (before, browser.run(fetched)) == (0, 1)


def test_a_guide_is_found_and_opened_by_keyboard_alone(browser: Browser) -> None:
    browser.press("/")
    browser.type("verify the signature")
    browser.press("Enter")
    browser.until("location.hash === '#verify-the-signature' && location.pathname.endsWith('/guides/webhooks')")
    browser.press("/")
    browser.type("list reward tiers")
    browser.until("document.querySelector('#results a')?.hash === '#list-tiers'")
    browser.press("ArrowDown")
    assert browser.run(f"{FOCUSED}.hash") == "#list-tiers"
    browser.press("Enter")
    browser.until("location.hash === '#list-tiers' && location.pathname === '/docs'")


def test_escape_gives_the_navigation_back(browser: Browser) -> None:
    search(browser, "webhook")
    is_hidden = browser.run("document.querySelector('#navigation').hidden")
    browser.click("#filter")
    browser.press("Escape")
    browser.until("!document.querySelector('#navigation').hidden")
    assert (is_hidden, browser.run("document.querySelector('#results').hidden")) == (True, True)


def test_hostile_words_are_text(browser: Browser) -> None:
    search(browser, "<img src=x onerror=alert(1)>")
    assert browser.run("document.querySelectorAll('#side img').length") == 0
    assert browser.console() == []


def test_without_javascript_the_search_is_a_page(browser: Browser, store: Serving) -> None:
    browser.scripts(are_on=False)
    try:
        browser.open(f"{store.url}/docs/guides/operate/backup")
        browser.write("#filter", "verify the signature")
        browser.press("Enter")
        browser.wait_for_text("Results for “verify the signature”")
        browser.click("main .results a")
        browser.wait_for_url("/docs/guides/webhooks#verify-the-signature")
    finally:
        browser.scripts(are_on=True)


def test_the_navigation_can_be_skipped(browser: Browser) -> None:
    browser.press("Tab")
    skip = browser.run(f"[{FOCUSED}.textContent, {FOCUSED}.getBoundingClientRect().top >= 0]")
    browser.press("Enter")
    assert (skip, browser.run(f"{FOCUSED}.id")) == (["Skip to the guide", True], "main")
