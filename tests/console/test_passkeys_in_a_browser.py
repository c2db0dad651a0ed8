"""Passkeys in a real browser, with its virtual authenticator."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.browser import Browser, browsing
from tests.cli.terminal import environment, served, start
from tests.console.visits import EMAIL, PASSWORD, set_up
from tests.generators import packages

AXE = "axe.run(document).then((it) => done(it.violations.map(({ id, nodes }) => `${id}: ${nodes[0].html}`)));"


@pytest.fixture
def port() -> Iterator[int]:
    """One that no other program is given until the server listens on it."""
    with socket.socket() as kept:
        kept.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        kept.bind(("127.0.0.1", 0))
        yield kept.getsockname()[1]


def test_a_passkey_is_added_and_signs_in_alone_and_after_the_password(tmp_path: Path, port: int) -> None:
    url = f"http://localhost:{port}"
    settings = environment({"log_level": "warning", "public_url": url})
    with served(start(tmp_path, settings, "serve", "--port", str(port))) as server, browsing() as browser:
        browser.preload((packages.node_modules() / "axe-core" / "axe.min.js").read_text())
        browser.add_authenticator()
        browser.open(server.console_link)
        set_up(browser)
        browser.click(".you a[href$='/account']")
        _add(browser, "Laptop")
        browser.wait_for_text("each of these recovery codes signs you in once")
        _sign_out(browser)
        assert _findings(browser) == []
        browser.click("form[data-passkey] button")
        browser.until("document.querySelector('.side')")
        _sign_out(browser)
        browser.write("#email", EMAIL)
        browser.write("#password", PASSWORD)
        browser.click("button.main")
        browser.wait_for_text("The password is right.")
        assert _findings(browser) == []
        browser.click("form[data-passkey] button.main")
        browser.until("document.querySelector('.side')")
        # The device knows that it has a passkey, and the page says so.
        _open_from_palette(browser)
        _add(browser, "Again")
        browser.until("document.querySelector('[data-passkey] [role=alert]').checkVisibility()")
        assert "already" in browser.text("[data-passkey] [role=alert]")
        assert _findings(browser) == []
        browser.write("#passkey_password", PASSWORD)
        browser.click("[aria-label='Remove the passkey Laptop']")
        browser.wait_for_text("The passkey Laptop is removed.")
        assert browser.run("document.querySelectorAll('[aria-label^=\"Remove the passkey\"]').length") == 0
        browser.click(".side a[href='/console/orders']")
        browser.until("document.querySelector('h1').textContent.startsWith('Orders')")
        assert browser.run("[...document.querySelectorAll('.side [aria-current]')].length") == 1
        # The question for the passkey is an answer of its own.
        assert [line for line in browser.console() if "status of 422" not in line] == []


def _findings(browser: Browser) -> list[str]:
    """At every width in both themes."""
    problems = []
    for width in (390, 820, 1400):
        browser.resize(width, 900)
        for theme in ("light", "dark"):
            browser.prefer(theme)
            problems += [f"{width} {theme} {finding}" for finding in browser.wait_for(AXE)]
    return problems


def _open_from_palette(browser: Browser) -> None:
    """In place, where the page needs a script that no other page has."""
    browser.press("/")
    browser.until("document.querySelector('#choices [aria-selected=true]')")
    browser.type("your account")
    # The results of what was typed before are replaced.
    browser.until("document.querySelector('#choices mark')?.textContent === 'Your account'")
    browser.click("#choices a[href='/console/account']")


def _add(browser: Browser, name: str) -> None:
    browser.write("#name", name)
    browser.write("#passkey_password", PASSWORD)
    # Twice, as impatient people do.
    browser.run("[1, 2].forEach(() => document.querySelector('[data-passkey] button').click())")


def _sign_out(browser: Browser) -> None:
    browser.click(".you button")
    browser.wait_for_text("Sign in with a passkey")
