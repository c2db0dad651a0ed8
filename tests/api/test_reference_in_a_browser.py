"""The reference page in a real browser, used as a newcomer would: read, find, enter a token, try calls."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from tests.browser import SECONDS, Browser, browsing
from tests.cli.terminal import Serving, environment, served, start
from tests.moments import copy, let_jump

TIERS = "/api/external/v1/referrals/tiers"

FOCUSED = "document.activeElement"
# At its middle nothing else is on top of it, and no box that scrolls hides it.
IN_SIGHT = """((one) => {
  const { left, top, width, height } = one.getBoundingClientRect();
  return one.contains(document.elementFromPoint(left + width / 2, top + height / 2));
})"""
# All that an operation can show, and the sections off the screen too: those are laid out only when they are seen.
UNFOLD = """(() => {
  for (const folded of document.querySelectorAll("main details")) folded.open = true;
  for (const section of document.querySelectorAll("section")) section.style.contentVisibility = "visible";
})()"""
# Where it is wider than the page, without what is in a box that scrolls by itself.
TOO_WIDE = """
[...document.querySelectorAll("body *")]
  .filter((one) => one.checkVisibility() && one.getBoundingClientRect().right > document.documentElement.clientWidth)
  .filter((one) => !one.closest("pre"))
  .map((one) => `${one.closest("section")?.id} ${one.tagName}.${one.className}`)
"""


# On SQLite alone: the page talks to the API like any other client, and knows nothing of the engine behind it.
@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Serving]:
    quiet = {"rate_limit_per_minute": "0", "auth_failures_per_minute": "0", "log_level": "warning"}
    folder = tmp_path_factory.mktemp("store")
    with served(start(folder, environment(quiet), "serve", "--port", "0")) as server:
        yield server


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    with browsing() as browser:
        yield browser


@pytest.fixture
def browser(chromium: Browser, store: Serving) -> Browser:
    """On the page, as for someone who has just come."""
    chromium.use_new_tab()
    chromium.resize(1280, 900)
    chromium.prefer("light")
    chromium.open(f"{store.url}/docs")
    return chromium


def go_to(browser: Browser, anchor: str) -> None:
    browser.click(f'#side a[href="#{anchor}"]')
    let_jump(browser)


def try_it(browser: Browser, anchor: str, body: str | None = None) -> tuple[str, Any]:
    """Opens the form of an operation, sends it, and gives the status and the JSON that it shows."""
    go_to(browser, anchor)
    browser.click(f"#{anchor} .try summary")
    if body is not None:
        browser.write(f"#{anchor} textarea", body)
    browser.click(f"#{anchor} [type=submit]")
    return browser.text(f"#{anchor} .reply .status"), json.loads(browser.text(f"#{anchor} .reply code"))


def ask(store: Serving, **headers: str) -> Any:
    """What the API itself answers for the list of tiers."""
    return httpx.get(store.url + TIERS, headers=headers, timeout=SECONDS).json()


# Reading


def test_the_page_loads_without_a_complaint_and_asks_nobody_else(browser: Browser, store: Serving) -> None:
    browser.until("document.querySelector('#side [aria-current]')")
    urls = browser.run("performance.getEntriesByType('resource').map((one) => one.name)")
    commands = browser.run("[...document.querySelectorAll('[data-language=shell]')].map((one) => one.textContent)")
    assert browser.console() == []
    assert [url.partition("?")[0] for url in urls] == [
        f"{store.url}/docs/reference.css",
        f"{store.url}/docs/reference.js",
        f"{store.url}/docs/languages.js",
        f"{store.url}/docs/page.js",
    ]
    assert all(command.startswith((f"curl '{store.url}/api/", f"curl '{store.url}/inbox/")) for command in commands)


def test_the_page_is_dark_for_those_who_like_it_dark(browser: Browser) -> None:
    lightness = {}
    for scheme in ("light", "dark"):
        browser.prefer(scheme)
        colours = browser.run("['backgroundColor', 'color'].map((name) => getComputedStyle(document.body)[name])")
        lightness[scheme] = [sum(map(int, re.findall(r"\d+", colour))) / (3 * 255) for colour in colours]
    (light_paper, dark_ink), (dark_paper, light_ink) = lightness["light"], lightness["dark"]
    assert min(light_paper, light_ink) > 0.85
    assert max(dark_paper, dark_ink) < 0.15


def test_nothing_is_wider_than_the_page_on_any_screen(browser: Browser) -> None:
    browser.run(UNFOLD)
    widths = {}
    for width in (320, 390, 768, 1280):
        browser.resize(width, 844)
        is_scrolled = browser.run("document.documentElement.scrollWidth > document.documentElement.clientWidth")
        widths[width] = (is_scrolled, browser.run(TOO_WIDE))
    assert widths == dict.fromkeys(widths, (False, []))


# Trying


def test_with_a_token_the_example_creates_a_tier_and_the_list_has_it(browser: Browser, store: Serving) -> None:
    browser.write("#token", store.token)
    status, answer = try_it(browser, "create-tier")
    assert (status, answer["message"]) == ("201", "Referral tier created successfully")
    browser.until(f"{IN_SIGHT}(document.querySelector('#create-tier .reply .key'))")
    listed = try_it(browser, "list-tiers")
    assert listed == ("200", ask(store, authorization=f"Bearer {store.token}"))
    assert answer["data"] in listed[1]["data"]
    assert browser.console() == []


def test_without_a_token_the_rejection_is_shown_as_the_api_gives_it(browser: Browser, store: Serving) -> None:
    assert try_it(browser, "list-tiers") == ("401", ask(store))


def test_a_bad_body_is_answered_with_every_failing_field(browser: Browser, store: Serving) -> None:
    browser.write("#token", store.token)
    status, answer = try_it(browser, "create-tier", '{"name": "", "reward_value": 10}')
    assert (status, set(answer["errors"])) == ("422", {"name", "referrals_required", "reward_type"})


def test_a_token_is_in_every_form_stays_for_the_tab_and_can_be_forgotten(browser: Browser, store: Serving) -> None:
    tokens = "[...new Set([...document.querySelectorAll('input.token')].map((one) => one.value))]"
    browser.write("#token", f" {store.token} ")
    go_to(browser, "list-tiers")
    browser.open(f"{store.url}/docs?again")
    stored = browser.run(tokens)
    browser.click("[data-forget]")
    assert (stored, browser.run(tokens)) == ([store.token], [""])
    assert browser.run("[sessionStorage.length, localStorage.length, document.cookie]") == [0, 0, ""]


# Copying


def pasted(browser: Browser) -> str:
    """What is in the clipboard, put where text goes over several lines."""
    browser.write("#create-tier textarea", "")
    browser.press("Control", "v")
    return str(browser.run("document.querySelector('#create-tier textarea').value"))


def test_a_command_is_copied_as_it_is_shown(browser: Browser) -> None:
    go_to(browser, "create-tier")
    command = browser.run("document.querySelector('#create-tier [data-language=shell]').textContent")
    copy(browser, "#create-tier .code [data-copy]")
    browser.click("#create-tier .try summary")
    assert pasted(browser) == command


def test_a_call_is_copied_as_the_form_shows_it_but_for_the_token(browser: Browser, store: Serving) -> None:
    browser.write("#token", store.token)
    go_to(browser, "create-tier")
    browser.click("#create-tier .try summary")
    browser.write("#create-tier [name=Idempotency-Key]", "it's mine")
    browser.write("#create-tier textarea", "{}")
    copy(browser, "#create-tier [data-copy-curl]")
    assert pasted(browser).replace(" \\\n ", "") == (
        f"curl '{store.url}{TIERS}' -X POST "
        "-H \"Authorization: Bearer $LOOTKEEP_TOKEN\" -H 'Accept: application/json' "
        "-H 'Idempotency-Key: it'\\''s mine' -H 'Content-Type: application/json' -d '{}'"
    )


def test_who_goes_on_after_copying_is_not_called_back(browser: Browser) -> None:
    copy(browser, "#introduction [data-copy]")
    browser.click("#filter")
    browser.until("document.querySelector('#introduction [data-copy]').textContent === 'Copy'")
    assert browser.run(f"{FOCUSED}.id") == "filter"


# Finding


def type_keys(browser: Browser, text: str) -> None:
    for key in text:
        browser.press(key)


def test_an_operation_is_found_and_tried_by_keyboard_alone(browser: Browser, store: Serving) -> None:
    browser.press("/")
    type_keys(browser, "list reward tiers")
    browser.press("Enter")
    browser.until("location.hash === '#list-tiers'")
    let_jump(browser)
    while not browser.run(f"{FOCUSED}.matches('#list-tiers .try summary')"):
        browser.press("Tab")
        assert browser.run(f"{FOCUSED}.closest('#list-tiers') !== null")
    browser.press("Enter")
    browser.press("Tab")
    type_keys(browser, store.token)
    browser.press("Tab")
    browser.press("Enter")
    assert browser.text("#list-tiers .reply .status") == "200"
    # Sending leaves the reader where they are.
    assert browser.run(f"{FOCUSED}.matches('#list-tiers [type=submit]')")


def test_the_arrows_walk_through_what_is_shown(browser: Browser) -> None:
    browser.run("document.querySelector('#side details[open] li:last-child a').focus()")
    browser.press("ArrowDown")
    # What follows is folded away.
    after_the_last = browser.run(f"{FOCUSED}.id")
    browser.write("#filter", "whitelist an")
    browser.until("!document.querySelector('#results').hidden")
    walked = []
    for key in ("ArrowDown", "ArrowDown", "ArrowUp", "ArrowUp"):
        browser.press(key)
        walked.append(browser.run(f"{FOCUSED}.hash ?? {FOCUSED}.id"))
    assert after_the_last == "filter"
    assert walked == ["#whitelist-ip", "#unwhitelist-ip", "#whitelist-ip", "filter"]


def test_the_navigation_can_be_skipped(browser: Browser) -> None:
    browser.press("Tab")
    skip = browser.run(f"[{FOCUSED}.textContent, {FOCUSED}.getBoundingClientRect().top >= 0]")
    browser.press("Enter")
    assert (skip, browser.run(f"{FOCUSED}.id")) == (["Skip to the reference", True], "main")


def test_on_a_small_screen_the_navigation_is_behind_a_button(browser: Browser) -> None:
    browser.resize(390, 844)
    is_shown = "[document.querySelector('#side').checkVisibility(), document.querySelector('.menu').ariaExpanded]"
    states = [browser.run(is_shown)]
    browser.click(".menu")
    states.append(browser.run(is_shown))
    go_to(browser, "create-tier")
    states.append(browser.run(is_shown))
    browser.press("/")
    states.append(browser.run(is_shown))
    browser.press("Escape")
    states.append(browser.run(is_shown))
    closed, opened = [False, "false"], [True, "true"]
    assert states == [closed, opened, closed, opened, closed]
