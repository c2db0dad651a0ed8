"""Pictures of the console for the documentation: the demo store in Chromium.

The customers of the demo write their names in many scripts: on Debian the packages fonts-noto-core and fonts-noto-cjk
have letters for all of them.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from tests.browser import Browser, browsing
from tests.cli.terminal import environment, served, start
from tests.console.visits import set_up

IMAGES = Path(__file__).parents[1] / "docs/images"
WIDTH, HEIGHT = 1400, 960
# Of each picture that a page of docs/ shows: its name, and the page of the console. Wheels carry them.
PICTURES = (
    ("overview", "/console"),
    ("orders", "/console/orders"),
    ("order", "/console/orders/{order}"),
    ("customer", "/console/customers/2"),
    ("creator", "/console/creators/1"),
    ("payments", "/console/payments"),
    ("tax", "/console/analytics/tax"),
    ("referrals", "/console/referrals"),
    ("ticket", "/console/tickets/1"),
    ("fraud", "/console/fraud"),
    ("campaign", "/console/campaigns/1"),
    ("webhook", "/console/webhooks/2"),
    ("analytics", "/console/analytics"),
)
# An order that was checked, paid and announced: the newest of medium risk.
RICH = "/console/orders?risk_level=medium"


def main(folder: Path) -> None:
    with tempfile.TemporaryDirectory() as work, browsing() as browser:
        settings = {"log_level": "warning", "timezone": "Europe/Berlin", "mail_from": "Pixel Forge <shop@example.com>"}
        with served(start(Path(work), environment(settings), "serve", "--demo", "--port", "0")) as server:
            browser.open(server.console_link)
            set_up(browser)
            browser.open(f"{server.url}/console?tour=off")
            take(browser, server.url, folder)


def take(browser: Browser, url: str, folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    browser.open(url + RICH)
    order = browser.run("document.querySelector('td a').pathname.split('/').pop()")
    browser.resize(WIDTH, HEIGHT)
    browser.prefer("light")
    for name, path in PICTURES:
        browser.open(url + path.format(order=order))
        browser.until("document.readyState === 'complete'")
        (folder / f"console-{name}.png").write_bytes(browser.screenshot())


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else IMAGES)
