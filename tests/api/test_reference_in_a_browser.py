"""The reference page in a real browser, used as a newcomer would: read, find, enter a token, try calls."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from tests.browser import Browser, browsing
from tests.cli.terminal import Serving, environment, served, start

TIERS = "/api/external/v1/referrals/tiers"

# A jump to an operation is made again for some frames, until it holds; whoever clicks waits for that.
IS_STILL = """
(window.still = scrollY === window.seen ? (window.still ?? 0) + 1 : 0, window.seen = scrollY, window.still > 25)
"""
FOCUSED = "document.activeElement"
# All that an operation can show, and the sections off the screen too: those are laid out only when they are seen.
UNFOLD = """(() => {
  for (const folded of document.querySelectorAll("main details")) folded.open = true;
  for (const section of document.querySelectorAll("section")) section.style.contentVisibility = "visible";
})()"""
# Where it is wider than the page, without what lies in a box that scrolls by itself.
TOO_WIDE = """
[...document.querySelectorAll("body *")]
  .filter((one) => one.checkVisibility() && one.getBoundingClientRect().right > document.documentElement.clientWidth)
  .filter((one) => !one.closest("pre"))
  .map((one) => `${one.closest("section")?.id} ${one.tagName}.${one.className}`)
"""


# On SQLite alone: the page talks to the API like any other client, and knows nothing of the engine behind it.
@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Serving]:
    unlimited = {"rate_limit_per_minute": "0", "auth_failures_per_minute": "0"}
    folder = tmp_path_factory.mktemp("store")
    with served(start(folder, environment(unlimited), "serve", "--port", "0")) as server:
        yield server


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    with browsing() as browser:
        yield browser


@pytest.fixture
def browser(chromium: Browser, store: Serving) -> Browser:
    """On the page, as for somebody who has just come."""
    chromium.begin_anew()
    chromium.resize(1280, 900)
    chromium.prefer("light")
    chromium.open(f"{store.address}/docs")
    return chromium


def go_to(browser: Browser, anchor: str) -> None:
    browser.click(f'#side a[href="#{anchor}"]')
    browser.until(IS_STILL)


def try_it(browser: Browser, anchor: str, body: str | None = None) -> tuple[str, Any]:
    """Opens the form of an operation, sends it, and gives the status and the JSON that it shows."""
    go_to(browser, anchor)
    browser.click(f"#{anchor} .try summary")
    if body is not None:
        browser.write(f"#{anchor} textarea", body)
    browser.click(f"#{anchor} [type=submit]")
    return browser.text(f"#{anchor} .reply .status"), json.loads(browser.text(f"#{anchor} .reply code"))


def ask(store: Serving) -> Any:
    return httpx.get(store.address + TIERS, headers={"Authorization": f"Bearer {store.token}"}).json()


def shown(browser: Browser) -> list[str]:
    """The operations in the navigation, without those that are folded away."""
    return list(browser.run("[...document.querySelectorAll('#side details a')].filter((one) => one.checkVisibility()).map((one) => one.hash)"))


# Reading


def test_the_page_loads_without_a_complaint_and_asks_nobody_else(browser: Browser, store: Serving) -> None:
    browser.until("document.querySelector('#side [aria-current]')")
    asked = browser.run("performance.getEntriesByType('resource').map((one) => one.name)")
    assert browser.console() == []
    assert [url.partition("?")[0].removeprefix(store.address) for url in asked] == [
        "/docs/reference.css",
        "/docs/reference.js",
    ]


def test_every_command_names_the_address_of_this_store(browser: Browser, store: Serving) -> None:
    commands = browser.run("[...document.querySelectorAll('[data-language=shell]')].map((one) => one.textContent)")
    assert len(commands) > 50
    assert [one for one in commands if not one.startswith(f"curl '{store.address}/")] == []


def test_the_page_is_dark_for_those_who_like_it_dark(browser: Browser) -> None:
    colours = {}
    for scheme in ("light", "dark"):
        browser.prefer(scheme)
        colours[scheme] = browser.run(
            "['color', 'backgroundColor'].map((name) => getComputedStyle(document.body)[name])"
        )
    assert colours["light"] == ["rgb(27, 29, 41)", "rgb(255, 255, 255)"]
    assert colours["dark"] == ["rgb(230, 232, 242)", "rgb(15, 17, 26)"]


@pytest.mark.parametrize("width", [320, 390, 768, 1280])
def test_nothing_is_wider_than_the_page(browser: Browser, width: int) -> None:
    browser.resize(width, 844)
    browser.run(UNFOLD)
    assert browser.run(TOO_WIDE) == []
    assert browser.run("document.documentElement.scrollWidth <= document.documentElement.clientWidth")


# Trying


def test_with_a_token_a_list_is_answered_with_200_and_shown(browser: Browser, store: Serving) -> None:
    browser.write("#token", store.token)
    assert try_it(browser, "list-tiers") == ("200", ask(store))
    assert browser.console() == []


def test_the_example_of_a_creation_creates(browser: Browser, store: Serving) -> None:
    browser.write("#token", store.token)
    status, answer = try_it(browser, "create-tier")
    assert (status, answer["message"]) == ("201", "Referral tier created successfully")
    assert answer["data"] in ask(store)["data"]
    assert browser.console() == []


def test_without_a_token_the_refusal_is_shown_as_the_api_gives_it(browser: Browser, store: Serving) -> None:
    assert try_it(browser, "list-tiers") == ("401", httpx.get(store.address + TIERS).json())


def test_a_bad_body_is_answered_with_every_failing_field(browser: Browser, store: Serving) -> None:
    browser.write("#token", store.token)
    status, answer = try_it(browser, "create-tier", '{"name": "", "reward_value": 10}')
    assert (status, set(answer["errors"])) == ("422", {"name", "referrals_required", "reward_type"})


def test_what_is_no_json_is_sent_as_it_is(browser: Browser, store: Serving) -> None:
    browser.write("#token", store.token)
    status, answer = try_it(browser, "create-tier", "{")
    assert (status, answer["success"]) == ("422", False)


def test_an_answer_is_shown_where_it_is_seen(browser: Browser, store: Serving) -> None:
    browser.write("#token", store.token)
    try_it(browser, "create-tier")
    top, bottom = browser.until("""(() => {
      const { top, bottom } = document.querySelector("#create-tier .reply .outcome").getBoundingClientRect();
      return [top, bottom, innerHeight];
    })()""")[:2]
    assert 0 <= top < bottom <= 900


def test_a_token_is_in_every_form_stays_for_the_tab_and_can_be_forgotten(browser: Browser, store: Serving) -> None:
    tokens = "[...new Set([...document.querySelectorAll('input.token')].map((one) => one.value))]"
    browser.write("#token", f" {store.token} ")
    go_to(browser, "list-tiers")
    browser.open(f"{store.address}/docs?again")
    kept = browser.run(tokens)
    browser.click("[data-forget]")
    assert (kept, browser.run(tokens)) == ([store.token], [""])
    assert browser.run("[sessionStorage.length, localStorage.length, document.cookie]") == [0, 0, ""]


# Copying


def pasted(browser: Browser) -> str:
    """What is in the clipboard, put where text goes over several lines."""
    browser.write("#create-tier textarea", "")
    browser.press("Control", "v")
    return str(browser.run("document.querySelector('#create-tier textarea').value"))


def test_a_command_is_copied_by_its_button(browser: Browser) -> None:
    go_to(browser, "create-tier")
    command = browser.run("document.querySelector('#create-tier [data-language=shell]').textContent")
    browser.click("#create-tier .code [data-copy]")
    browser.until("document.querySelector('#create-tier .code [data-copy]').textContent === 'Copied'")
    browser.click("#create-tier .try summary")
    assert pasted(browser) == command


def test_a_call_is_copied_as_it_stands_in_the_form_and_without_the_token(browser: Browser, store: Serving) -> None:
    browser.write("#token", store.token)
    go_to(browser, "create-tier")
    browser.click("#create-tier .try summary")
    browser.write("#create-tier [name=Idempotency-Key]", "it's mine")
    browser.write("#create-tier textarea", "{}")
    browser.click("#create-tier [data-copy-curl]")
    browser.until("document.querySelector('#create-tier [data-copy-curl]').textContent === 'Copied'")
    assert pasted(browser).replace(" \\\n ", "") == (
        f"curl '{store.address}{TIERS}' -X POST "
        '-H "Authorization: Bearer $LOOTKEEP_TOKEN" -H \'Accept: application/json\' '
        "-H 'Idempotency-Key: it'\\''s mine' -H 'Content-Type: application/json' -d '{}'"
    )


def test_who_goes_on_after_copying_is_not_called_back(browser: Browser) -> None:
    browser.click("#introduction [data-copy]")
    browser.until("document.querySelector('#introduction [data-copy]').textContent === 'Copied'")
    browser.click("#filter")
    browser.until("document.querySelector('#introduction [data-copy]').textContent === 'Copy'")
    assert browser.run(f"{FOCUSED}.id") == "filter"


# Finding


def test_the_filter_narrows_the_operations_by_name_and_path(browser: Browser) -> None:
    before = shown(browser)
    browser.write("#filter", "reward tier")
    by_name = shown(browser)
    browser.write("#filter", "fraud/whitelist")
    by_path = shown(browser)
    browser.write("#filter", "no such operation")
    nothing = (shown(browser), browser.text("#found").partition(" ")[0])
    browser.press("Escape")
    assert by_name == ["#list-tiers", "#create-tier", "#update-tier", "#delete-tier", "#toggle-tier", "#claim-tier"]
    assert by_path == ["#whitelist-ip", "#unwhitelist-ip", "#whitelist-email", "#unwhitelist-email"]
    assert (nothing, shown(browser)) == (([], "0"), before)


def test_an_operation_is_found_and_tried_by_keyboard_alone(browser: Browser, store: Serving) -> None:
    browser.press("/")
    for key in "list reward tiers":
        browser.press(key)
    browser.press("Enter")
    browser.until(IS_STILL)
    while not browser.run(f"{FOCUSED}.matches('#list-tiers .try summary')"):
        browser.press("Tab")
        assert browser.run(f"{FOCUSED}.closest('#list-tiers') !== null"), browser.run(f"{FOCUSED}.outerHTML")
    browser.press("Enter")
    browser.press("Tab")
    for key in store.token:
        browser.press(key)
    browser.press("Enter")
    assert browser.text("#list-tiers .reply .status") == "200"


def test_the_arrows_walk_through_what_was_found(browser: Browser) -> None:
    browser.write("#filter", "whitelist")
    walked = []
    for key in ("ArrowDown", "ArrowDown", "ArrowUp", "ArrowUp"):
        browser.press(key)
        walked.append(browser.run(f"{FOCUSED}.hash ?? {FOCUSED}.id"))
    assert walked == ["#whitelist-ip", "#unwhitelist-ip", "#whitelist-ip", "filter"]


def test_the_arrows_leave_out_what_is_folded_away(browser: Browser) -> None:
    browser.run("document.querySelector('#side details[open] li:last-child a').focus()")
    browser.press("ArrowDown")
    assert browser.run(f"{FOCUSED}.id") == "filter"


def test_sending_leaves_the_focus_where_it_was(browser: Browser) -> None:
    go_to(browser, "list-tiers")
    browser.click("#list-tiers .try summary")
    browser.run("document.querySelector('#list-tiers [type=submit]').focus()")
    browser.press("Enter")
    browser.text("#list-tiers .reply .status")
    assert browser.run(f"{FOCUSED}.matches('#list-tiers [type=submit]')")


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
