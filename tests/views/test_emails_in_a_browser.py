"""Every e-mail fits a mail program and a phone, and can be read in light and in dark."""

from __future__ import annotations

import base64
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from lootkeep.domain.campaign_emails import TrackingLinks, filled, template
from lootkeep.domain.emails import StoreIdentity
from lootkeep.views import emails as emails_views
from lootkeep.views.emails.markdown import parse, render
from tests.browser import Browser, browsing
from tests.views.campaign_goods import GOODS, MARKDOWN

STORE = StoreIdentity(
    "Dragon Shop",
    "https://lootkeep.example",
    "https://dragon.example",
    None,
    "Dragon Shop Ltd, 12 Harbour Road, Galway, Ireland",
)
LONG = "https://shop.example/" + "averylongaddress" * 12
TEXTS: dict[str, dict[str, Any]] = {
    "alert": {
        "name": "Staff",
        "title": "3 alerts",
        "lines": [
            ("Order ORD-000123 over 129.90 USD is held for review", "https://lootkeep.example/console/orders/123")
        ],
        "more": "and 2 more",
        "console": "https://lootkeep.example/console/alerts",
    },
    "gift_card": {
        "amount": "$20.00",
        "code": "7KQ2-M9XW-4TRB-7K2P",
        "name": "Jun",
        "sender_name": "Mira Okafor",
        "message": f"Happy birthday!\n{LONG}",
        "expires_on": "15 November 2027, 12:00 UTC",
    },
    "mail_test": {},
    "order": {
        "number": "ORD-000123",
        "name": "Jun",
        "page_url": "https://lootkeep.example/o/" + "x" * 43,
        "lines": [{"quantity": 2, "product_name": "averylongname" * 15}],
    },
    "ticket_reply": {
        "subject": "Where is my sword?",
        "ticket_number": "TKT-000123",
        "name": "Jun",
        "author_name": "Ann",
        "message": f"Hello Jun,\n\nit is here: {LONG}",
    },
}
CAMPAIGN = (
    '<h1>20% off until Sunday</h1><p>Hello {{ name }}, have a look at <a href="https://shop.example/">the sale</a>.</p>'
    f"<p>{LONG}</p><table width=900><tr><td>A wide table</td></tr></table>"
)
WIDTHS = (600, 390)
# The least contrast of text that people can read, as the guidelines for the web say.
MIN_CONTRAST = 4.5
# The contrast of each element that has text of its own, by the formula of those guidelines.
CONTRASTS = """
(() => {
  const channels = (color) => color.match(/[\\d.]+/g).map(Number);
  const light = ([r, g, b]) => [r, g, b].map((c) => c / 255)
    .map((c) => c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4)
    .reduce((sum, c, i) => sum + c * [0.2126, 0.7152, 0.0722][i], 0);
  const behind = (node) => {
    for (; node; node = node.parentElement) {
      const color = channels(getComputedStyle(node).backgroundColor);
      if (color.length < 4 || color[3] > 0) return color;
    }
    return [255, 255, 255];
  };
  return [...document.body.querySelectorAll("*")]
    .filter((node) => [...node.childNodes].some((child) => child.nodeType === 3 && child.data.trim()))
    .map((node) => {
      const [a, b] = [light(channels(getComputedStyle(node).color)), light(behind(node))];
      return [node.tagName, (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05)];
    });
})()
"""


@pytest.fixture(scope="module")
def window() -> Iterator[Browser]:
    with browsing() as window:
        yield window


def html_of(kind: str) -> str:
    if kind in ("campaign", "markdown"):
        body = CAMPAIGN if kind == "campaign" else render(parse(MARKDOWN), GOODS)
        compiled = template("S", "Only now", body, None, emails_views.campaign_layout(STORE), is_tracked=False)
        values = {"name": "Jun", "email": "jun@example.com", "referral_code": "JUNPARK1"}
        return filled(compiled, values, TrackingLinks("https://lootkeep.example/u/x", "https://dragon.example"))[2]
    return emails_views.render(kind, STORE, "jun@example.com", "Jun", **TEXTS[kind]).html


def kinds() -> list[str]:
    """Every template that is an e-mail by itself."""
    files = Path(emails_views.__file__).parent.glob("*.html")
    return sorted({file.stem for file in files} - {"layout", "footer", "blocks", "preview"} | {"markdown"})


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("kind", kinds())
def test_an_email_fits_and_can_be_read(window: Browser, kind: str, scheme: str) -> None:
    html = html_of(kind)
    assert "@media (prefers-color-scheme: dark)" in html
    window.prefer(scheme)
    for width in WIDTHS:
        window.resize(width, 800)
        window.open("data:text/html;base64," + base64.b64encode(html.encode()).decode())
        assert window.run("document.documentElement.scrollWidth") <= width
        contrasts = window.run(CONTRASTS)
        assert contrasts
        assert [row for row in contrasts if row[1] < MIN_CONTRAST] == []
    assert (
        window.run("getComputedStyle(document.body).backgroundColor")
        == {
            "light": "rgb(244, 244, 245)",
            "dark": "rgb(24, 24, 27)",
        }[scheme]
    )
