"""What lasts a moment in a page, or must not take longer: seen and done however slow the machine is."""

from __future__ import annotations

import json
import time

from tests.browser import Browser

# More than a jump is made again for.
_FRAMES = "let left = 30; const next = () => (left-- ? requestAnimationFrame(next) : done()); next();"


def copy(browser: Browser, selector: str) -> None:
    """By a button that says so for a second or two."""
    button = f"document.querySelector({json.dumps(selector)})"
    watch = "new MutationObserver(() => said.push(button.textContent)).observe(button, {childList: true})"
    browser.run(f"(() => {{ const button = {button}; const said = (window.said = []); {watch}; }})()")
    browser.click(selector)
    browser.until("said.includes('Copied')")


def let_jump(browser: Browser) -> None:
    """Waits for a jump to a place in a reference: it is made again for some frames, until it holds."""
    browser.wait_for(_FRAMES)


def double_click(browser: Browser, selector: str) -> None:
    """A tenth of a second apart for the page, at one place, whatever is there the second time."""
    box = f"document.querySelector({json.dumps(selector)}).getBoundingClientRect()"
    place = {"x": browser.run(f"{box}.left + {box}.width / 2"), "y": browser.run(f"{box}.top + {box}.height / 2")}
    now = time.time()
    for number in (1, 2):
        for kind in ("mousePressed", "mouseReleased"):
            mouse = {"type": kind, "button": "left", "clickCount": number, "timestamp": now + number / 10}
            browser.command("Input.dispatchMouseEvent", **place, **mouse)
