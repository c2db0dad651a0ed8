"""The samples of the reference page in a real browser: a language is picked once, by any means."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.browser import Browser, browsing
from tests.cli.terminal import environment, served, start
from tests.moments import let_jump

CALL = 'with Client("%s") as client:'


# On SQLite alone: the page knows nothing of the engine behind the service.
@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    folder: Path = tmp_path_factory.mktemp("store")
    with served(start(folder, environment({}), "serve", "--port", "0")) as server:
        yield server.url


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    with browsing() as browser:
        yield browser


@pytest.fixture
def browser(chromium: Browser, url: str) -> Iterator[Browser]:
    """At an operation, as for someone who has just come."""
    chromium.use_new_tab()
    chromium.open(f"{url}/docs#create-tier")
    let_jump(chromium)
    yield chromium
    chromium.run("localStorage.clear()")


def sample(browser: Browser, operation: str) -> str:
    """The only one that is visible."""
    codes = f"[...document.querySelectorAll('#{operation} .samples code')]"
    (code,) = browser.run(f"{codes}.filter((code) => code.checkVisibility()).map((code) => code.textContent)")
    return str(code)


def test_a_language_that_is_picked_by_keyboard_is_shown_everywhere_also_the_next_time(
    browser: Browser, url: str
) -> None:
    assert sample(browser, "create-tier").startswith(f"curl '{url}/api/external/v1/referrals/tiers'")
    browser.run("document.querySelector('#create-tier .samples input').focus()")
    browser.press("ArrowDown")
    assert CALL % url in sample(browser, "create-tier")
    browser.open(f"{url}/docs?again#get-order")
    assert "client.orders.get(3)" in sample(browser, "get-order")


def test_without_scripts_a_language_is_picked_too(browser: Browser, url: str) -> None:
    browser.scripts(are_on=False)
    browser.open(f"{url}/docs?still#create-tier")
    browser.click("#create-tier .samples label:has([value=python])")
    call = browser.text("#create-tier .samples [data-language=python]")
    browser.scripts(are_on=True)
    assert CALL % "https://your-store.example" in call


def test_picking_a_language_keeps_the_place_of_the_reader(browser: Browser) -> None:
    tab = "document.querySelector('#place-order .samples [value=typescript]')"
    browser.run(f"{tab}.scrollIntoView()")
    top = browser.run(f"{tab}.getBoundingClientRect().top")
    browser.run(f"{tab}.click()")
    assert abs(browser.run(f"{tab}.getBoundingClientRect().top") - top) < 2
