"""Pictures of the console for the documentation: the demo store in Chromium, both themes, a desk and a phone.

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
DESK, PHONE = (1400, 960), (390, 844)
# Of each picture: its name, the page, the size and the theme.
PICTURES = (
    ("overview", "/console", DESK, "light"),
    ("overview-dark", "/console", DESK, "dark"),
    ("overview-phone", "/console", PHONE, "light"),
    ("orders", "/console/orders", DESK, "light"),
    ("orders-phone", "/console/orders", PHONE, "dark"),
    ("order", "/console/orders/{order}", DESK, "light"),
    ("order-phone", "/console/orders/{order}", PHONE, "light"),
    ("customer", "/console/customers/2", DESK, "light"),
    ("product", "/console/products/1", DESK, "light"),
    ("gift-cards", "/console/gift-cards", DESK, "light"),
    ("coupon", "/console/coupons/1", DESK, "light"),
    ("creator", "/console/creators/1", DESK, "light"),
    ("subscriptions", "/console/subscriptions", DESK, "light"),
    ("payments", "/console/payments", DESK, "light"),
    ("servers", "/console/servers", DESK, "light"),
    ("tax", "/console/analytics/tax", DESK, "light"),
    ("referrals", "/console/referrals", DESK, "light"),
    ("ticket", "/console/tickets/1", DESK, "light"),
    ("ticket-phone", "/console/tickets/1", PHONE, "dark"),
    ("fraud", "/console/fraud", DESK, "light"),
    ("fraud-phone", "/console/fraud", PHONE, "light"),
    ("fraud-signals", "/console/fraud/signals", DESK, "dark"),
    ("campaign", "/console/campaigns/1", DESK, "light"),
    ("webhook", "/console/webhooks/2", DESK, "light"),
    ("webhook-phone", "/console/webhooks/2", PHONE, "dark"),
    ("events", "/console/events", DESK, "dark"),
    ("analytics", "/console/analytics", DESK, "light"),
    ("search", "/console/search?q=an", DESK, "dark"),
    ("account", "/console/account", DESK, "light"),
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
    for name, path, (width, height), theme in PICTURES:
        browser.resize(width, height)
        browser.prefer(theme)
        browser.open(url + path.format(order=order))
        browser.until("document.readyState === 'complete'")
        (folder / f"console-{name}.png").write_bytes(browser.screenshot())


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else IMAGES)
