"""Every page of a full store in a real browser: at every width, in both themes, and for people who cannot see it."""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest

from lootkeep.console.page import PREFIX
from lootkeep.console.pages import PAGES
from tests.browser import Browser, browsing
from tests.cli.terminal import PROGRAM, Serving, environment, served, start
from tests.console.visits import path_of, set_up
from tests.generators import packages

# The first one loads the demo, and may install what npm has.
pytestmark = pytest.mark.timeout(600)
WIDTHS = (390, 820, 1400)
# What the theme and the width can change of what axe finds in the light, on a desk.
OF_LOOK = ("color-contrast", "scrollable-region-focusable", "target-size", "link-in-text-block")
# The mail of a campaign is not a page: it is shown in the frame of one.
MAIL = "/campaigns/{id}/mail"
# Only somebody who is not signed in sees these.
OUTSIDE = ("/sign-in", "/setup")
# Tests that share the pages, so that each is short.
PARTS = range(4)
ROWS = [page for page in PAGES if page.method == "GET" and page.path not in (*OUTSIDE, MAIL)]

# What reaches out of the page, but for what scrolls in a box of its own.
TOO_WIDE = """
[...document.querySelectorAll("body *")]
  .filter((one) => one.checkVisibility() && !one.closest(".scroll, .hidden, svg, .skip"))
  .filter((one) => one.getBoundingClientRect().right > document.documentElement.clientWidth + 1)
  .map((one) => `${one.tagName}.${one.className}`)
"""
AXE = """
const text = (rule, node) => `${rule}: ${node.html.slice(0, 160)} ${node.any[0]?.message ?? ""}`;
const findings = (result) => result.violations.flatMap((found) => found.nodes.map((node) => text(found.id, node)));
axe.run(document, OPTIONS).then(findings, (error) => [String(error)]).then(done);
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("demo")


@pytest.fixture(scope="module")
def demo(folder: Path) -> Iterator[Serving]:
    with served(start(folder, environment({"log_level": "warning"}), "serve", "--demo", "--port", "0")) as server:
        yield server


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
    paths = ("/console/sign-in", f"/console/setup?{token[0]}", "/console/setup?token=used")
    with browsing() as browser:
        browser.preload(axe)
        assert findings(browser, demo, paths) == []
        assert findings_in_the_dark(browser, demo, paths) == []


@pytest.mark.parametrize("part", PARTS)
def test_every_page_passes_axe(browser: Browser, demo: Serving, part: int) -> None:
    assert findings(browser, demo, addresses(browser, demo)[part :: len(PARTS)]) == []


@pytest.mark.parametrize("part", PARTS)
def test_every_page_passes_axe_in_the_dark_on_a_phone(browser: Browser, demo: Serving, part: int) -> None:
    assert findings_in_the_dark(browser, demo, addresses(browser, demo)[part :: len(PARTS)]) == []


def test_every_page_fits_every_width_without_a_complaint(browser: Browser, demo: Serving) -> None:
    wide = []
    browser.console()
    for path in addresses(browser, demo):
        browser.open(demo.url + path)
        for width in WIDTHS:
            browser.resize(width, 900)
            wide += [f"{path} {width} {element}" for element in browser.run(TOO_WIDE)]
    assert wide == []
    assert browser.console() == []


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
    assert [path for path, title in titles.items() if title in ("", "Something went wrong", "Not found")] == []


def addresses(browser: Browser, demo: Serving) -> list[str]:
    """Of every row that has a page."""
    browser.open(f"{demo.url}/console/webhooks/1")
    delivery = browser.run("document.querySelector('a[href*=\"/deliveries/\"]').pathname.split('/').pop()")
    paths = [PREFIX + path_of(page, {"{delivery_id}": delivery}) for page in ROWS]
    return [*paths, f"{PREFIX}/search?q=an", f"{PREFIX}/orders?status=on_hold&search=nothing"]


def findings(browser: Browser, demo: Serving, paths: Iterable[str], **options: Any) -> list[str]:
    program = AXE.replace("OPTIONS", json.dumps({"resultTypes": ["violations"]} | options))
    found = []
    for path in paths:
        browser.open(demo.url + path)
        found += [f"{path}: {finding}" for finding in browser.wait_for(program)]
    return found


def findings_in_the_dark(browser: Browser, demo: Serving, paths: Iterable[str]) -> list[str]:
    browser.prefer("dark")
    browser.resize(390, 900)
    try:
        return findings(browser, demo, paths, runOnly=OF_LOOK)
    finally:
        browser.prefer("light")
        browser.resize(1400, 900)
