"""A browser for tests: headless Chromium, controlled over the WebDriver protocol."""

from __future__ import annotations

import base64
import json
import os
import re
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http import HTTPStatus
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.servers import PORT_ATTEMPTS, follow_parent

# Generous, because a loaded machine may take seconds; it only matters when something is wrong.
SECONDS = 300
# The driver gives up first, and says what it waited for.
LONGER_SECONDS = SECONDS + 15

SWITCHES = (
    "--headless",
    # It ends when the driver does, however that came about.
    "--remote-debugging-pipe",
    "--disable-gpu",
    # A container has little shared memory.
    "--disable-dev-shm-usage",
    # Nothing of the browser's own goes out, and no address but this machine's leads anywhere.
    "--no-first-run",
    "--no-proxy-server",
    "--disable-quic",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1 , EXCLUDE localhost",
    "--window-size=1280,900",
)

# As the protocol names an element, and the keys that have no character.
ELEMENT = "element-6066-11e4-a52e-4f735466cecf"
KEYS = {
    "Tab": "\ue004",
    "Enter": "\ue007",
    "Control": "\ue009",
    "Escape": "\ue00c",
    "ArrowUp": "\ue013",
    "ArrowDown": "\ue015",
}

# As long as a frame: a look costs little, and nobody waits for the next one.
BETWEEN_LOOKS_SECONDS = 0.02


class Browser:
    """One window. An element is named by its CSS selector, and waited for when it is not there yet."""

    def __init__(self, http: httpx.Client) -> None:
        self._http = http

    def use_new_tab(self) -> None:
        """Closes the current tab, so nothing of it is left in the new one."""
        tab = self._post("window/new", type="tab")["handle"]
        _value(self._http.delete("window"))
        self._post("window", handle=tab)

    def open(self, url: str) -> None:
        self._post("url", url=url)

    def url(self) -> str:
        return str(_value(self._http.get("url")))

    def text(self, selector: str) -> str:
        return str(_value(self._http.get(f"element/{self._find(selector)}/text")))

    def click(self, selector: str) -> None:
        self._post(f"element/{self._find(selector)}/click")

    def write(self, selector: str, text: str) -> None:
        """Replaces what is there."""
        element = self._find(selector)
        self._post(f"element/{element}/clear")
        self._post(f"element/{element}/value", text=text)

    def type(self, text: str) -> None:
        """One key after the other, wherever the focus is."""
        actions = [{"type": kind, "value": key} for key in text for kind in ("keyDown", "keyUp")]
        self._post("actions", actions=[{"type": "key", "id": "keyboard", "actions": actions}])

    def focused(self) -> str:
        """The accessible name of what has the focus, as a screen reader says it."""
        while True:
            element = _value(self._http.get("element/active"))[ELEMENT]
            answer = self._http.get(f"element/{element}/computedlabel")
            # The page may be replaced between the two questions.
            if answer.status_code != HTTPStatus.NOT_FOUND:
                return str(_value(answer)).strip()

    def wait_for_text(self, text: str, element: str = "main") -> None:
        """In the content of the page; works without JavaScript and across page loads."""
        assert '"' not in text
        xpath = f'//{element}[contains(normalize-space(.), "{text}")]'
        answer = self._http.post("element", json={"using": "xpath", "value": xpath})
        assert answer.is_success, f"{text!r} never came. {self._shown()}"

    def says(self, text: str) -> bool:
        """Whether the content of the page has it now."""
        said = "document.querySelector('main').textContent.replace(/\\s+/g, ' ')"
        return bool(self.run(f"{said}.includes({json.dumps(text)})"))

    def wait_for_url(self, text: str) -> None:
        """In the address of the page; works without JavaScript and across page loads."""
        end = time.monotonic() + SECONDS
        while text not in self.url():
            assert time.monotonic() < end, f"{text!r} never was in the address. {self._shown()}"

    def press(self, *keys: str) -> None:
        """Keys that are held down together, wherever the focus is."""
        values = [KEYS.get(key, key) for key in keys]
        actions = [{"type": "keyDown", "value": value} for value in values]
        actions += [{"type": "keyUp", "value": value} for value in reversed(values)]
        self._post("actions", actions=[{"type": "key", "id": "keyboard", "actions": actions}])

    def run(self, expression: str) -> Any:
        """What a JavaScript expression is in the page."""
        return self._post("execute/sync", script=f"return ({expression})", args=[])

    def wait_for(self, program: str) -> Any:
        """What a program in the page passes to `done` when it has finished."""
        return self._post("execute/async", script=f"const done = arguments[0];{program}", args=[])

    def until(self, condition: str) -> None:
        """Waits for a JavaScript expression to be true in the page.

        Each look is a script of its own: one that waits in the page would be lost with a page that is left,
        and what is not there yet is an error for one look only.
        """
        end = time.monotonic() + SECONDS
        while True:
            answer = self._http.post("execute/sync", json={"script": f"return !!({condition})", "args": []})
            value = answer.json()["value"]
            if value is True:
                return
            assert time.monotonic() < end, f"{condition} is {value}. {self._shown()}"
            time.sleep(BETWEEN_LOOKS_SECONDS)

    def resize(self, width: int, height: int) -> None:
        """The size of the page itself; a window has a least width."""
        metrics = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
        self.command("Emulation.setDeviceMetricsOverride", **metrics)

    def prefer(self, scheme: str) -> None:
        """The colour scheme that the reader likes: light or dark. It is there at once, without a transition."""
        media = [("prefers-color-scheme", scheme), ("prefers-reduced-motion", "reduce")]
        self.command("Emulation.setEmulatedMedia", features=[{"name": name, "value": value} for name, value in media])

    def console(self) -> list[str]:
        """The errors and warnings in the console since it was last asked."""
        return [entry["message"] for entry in self._post("se/log", type="browser")]

    def screenshot(self) -> bytes:
        """The page as it is seen, as PNG."""
        return base64.b64decode(_value(self._http.get("screenshot")))

    def preload(self, script: str) -> None:
        """Runs it in every page that is opened from now on, before the page's own."""
        self.command("Page.addScriptToEvaluateOnNewDocument", source=script)

    def scripts(self, *, are_on: bool) -> None:
        """Whether pages that are opened from now on may run JavaScript."""
        self.command("Emulation.setScriptExecutionDisabled", value=not are_on)

    def network(self, *, is_on: bool) -> None:
        """Whether the page that is open reaches anything."""
        unlimited = {"latency": 0, "downloadThroughput": -1, "uploadThroughput": -1}
        self.command("Network.enable")
        self.command("Network.emulateNetworkConditions", offline=not is_on, **unlimited)

    def add_authenticator(self) -> None:
        """A device with passkeys, whose owner is there and puts a finger on it."""
        self.command("WebAuthn.enable")
        kind = {"protocol": "ctap2", "transport": "internal", "automaticPresenceSimulation": True}
        kind |= {"hasResidentKey": True, "hasUserVerification": True, "isUserVerified": True}
        self.command("WebAuthn.addVirtualAuthenticator", options=kind)

    def command(self, name: str, **parameters: Any) -> Any:
        """Of the protocol of its developer tools."""
        return self._post("goog/cdp/execute", cmd=name, params=parameters)

    def _shown(self) -> str:
        """What there is instead of what was waited for."""
        text = self._http.get(f"element/{self._find('body')}/text").json()["value"]
        return f"The page {self.url()} says:\n{text}"

    def _find(self, selector: str) -> str:
        return str(self._post("element", using="css selector", value=selector)[ELEMENT])

    def _post(self, path: str, **parameters: Any) -> Any:
        return _value(self._http.post(path, json=parameters))


@contextmanager
def browsing() -> Iterator[Browser]:
    """A browser that remembers nothing, closed at the end."""
    with (
        tempfile.TemporaryDirectory(prefix="lootkeep-browser-", ignore_cleanup_errors=True) as folder,
        _driver(Path(folder)) as url,
        httpx.Client(trust_env=False, timeout=LONGER_SECONDS) as http,
    ):
        capabilities = {"capabilities": {"alwaysMatch": _capabilities(Path(folder))}}
        created = _value(http.post(f"{url}/session", json=capabilities))
        session = f"{url}/session/{created['sessionId']}"
        http.base_url = session
        try:
            yield Browser(http)
        finally:
            _value(http.delete(session))


def _capabilities(folder: Path) -> dict[str, Any]:
    switches = [*SWITCHES, f"--user-data-dir={folder / 'profile'}"]
    if os.geteuid() == 0:
        # Its sandbox refuses to be root.
        switches.append("--no-sandbox")
    milliseconds = SECONDS * 1000
    return {
        "browserName": "chrome",
        "goog:chromeOptions": {"args": switches},
        "goog:loggingPrefs": {"browser": "WARNING"},
        "timeouts": {"implicit": milliseconds, "pageLoad": milliseconds, "script": milliseconds},
    }


@contextmanager
def _driver(folder: Path) -> Iterator[str]:
    """The driver on a port that it chooses itself: free for IPv4, perhaps not for IPv6."""
    for _ in range(PORT_ATTEMPTS):
        with _start(folder) as process:
            if port := _port(process):
                try:
                    yield f"http://127.0.0.1:{port}"
                finally:
                    # With the browser, should it not have gone by itself.
                    os.killpg(process.pid, signal.SIGKILL)
                return
    pytest.fail(f"chromedriver did not start:\n{(folder / 'log').read_text()}", pytrace=False)


def _start(folder: Path) -> subprocess.Popen[str]:
    with (folder / "log").open("wb") as log:
        return subprocess.Popen(
            [_program(), "--port=0"],
            # What the browser stores next to its profile goes with the folder too.
            env=os.environ | {"HOME": str(folder), "TMPDIR": str(folder)},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=log,
            text=True,
            start_new_session=True,
            preexec_fn=follow_parent(signal.SIGTERM),
        )


def _program() -> str:
    if program := shutil.which("chromedriver"):
        return program
    pytest.fail(
        "chromedriver is not installed. Run the tests with `make test` as root on Debian, which installs it, "
        "or `apt-get install chromium-driver`.",
        pytrace=False,
    )


def _port(process: subprocess.Popen[str]) -> str | None:
    """What it prints on its output; None if it ends."""
    assert process.stdout
    for line in process.stdout:
        if started := re.search(r"started successfully on port (\d+)", line):
            return started[1]
    return None


def _value(answer: httpx.Response) -> Any:
    value = answer.json()["value"]
    assert answer.is_success, f"{value['error']}: {value['message']}"
    return value
