"""The Markdown of a campaign becomes HTML that is safe in a mail program, whatever is written."""

from __future__ import annotations

import re
from datetime import UTC, datetime

import pytest
from msgspec.structs import replace

from lootkeep.domain.html import text_of
from lootkeep.kernel.clock import instant
from lootkeep.kernel.errors import InvalidFields
from lootkeep.views.emails.markdown import parse, render
from tests.views.campaign_goods import COUPON, GOODS, MARKDOWN, NOW, PRODUCT

HOSTILE = (
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "[a](javascript:alert(1))",
    "[a](JaVaScRiPt:alert(1))",
    "[a](&#106;avascript:alert(1))",
    "[a](<java\tscript:alert(1)>)",
    "![a](javascript:alert(1))",
    "![a](data:text/html;base64,PHNjcmlwdD4=)",
    "[a](data:text/html,x)",
    "[a](vbscript:x)",
    "[a](file:///etc/passwd)",
    "<javascript:alert(1)>",
    '[a](https://x.example/"onmouseover="alert(1) "button")',
    '![a" onerror="alert(1)](https://x.example/i.png "t\\" onload=\\"x")',
    "[ref]\n\n[ref]: javascript:alert(1)",
    "```<script>\n</code><script>alert(1)</script>\n```",
    "</div></body><script>",
    "<!-- --><style>*{display:none}</style>",
)
_TAG = re.compile(r"<(/?)(\w+)((?:\s+[\w-]+(?:=\"[^\"<>]*\")?)*)\s*/?>")


def html(markdown: str) -> str:
    return render(parse(markdown), GOODS)


def test_markdown_and_its_blocks_become_html_with_inline_styles() -> None:
    written = html(MARKDOWN)
    for piece in (
        "Emberfall is 40 % off, {{name}}</h1>",
        "<strong>Ashen Crown</strong>",
        '<a href="{{referral_url}}">',
        'src="https://img.example/castle.png"',
        "$23.99</b> <s>$39.99</s>",
        "Emberfall &lt;Deluxe&gt;",
        'href="https://shop.example"',
        "40% off until 29 November 2026",
        ">EMBER40</p>",
        'class="button" href="https://shop.example/?a=1&amp;b=2"',
    ):
        assert piece in written, piece
    assert '<p style="margin:0 0 16px">' in written


def test_the_last_day_of_a_coupon_is_that_of_the_store() -> None:
    ends = {"EMBER40": replace(COUPON, ends_at=instant(datetime(2026, 11, 25, 23, tzinfo=UTC)))}
    for timezone, day in (("Europe/Berlin", 25), ("Asia/Seoul", 26)):
        goods = GOODS._replace(coupons=ends, timezone=timezone)
        assert f"40% off until {day} November 2026" in render(parse("[](coupon:EMBER40)"), goods)


def test_the_text_has_what_the_html_has_and_a_placeholder_in_a_name_is_not_filled_in() -> None:
    text = text_of(html(MARKDOWN))
    for piece in (
        "- new raid for 8 players",
        "$23.99 $39.99",
        "EMBER40",
        "Get the key (https://shop.example/?a=1&b=2)",
    ):
        assert piece in text, text
    assert "{{ email }}" not in html(MARKDOWN) + text


@pytest.mark.parametrize("markdown", HOSTILE)
def test_hostile_markdown_becomes_text_or_a_harmless_tag(markdown: str) -> None:
    written = html(markdown)
    # Nothing is left of the HTML but tags that Markdown has, with attributes in quotes.
    assert "<" not in _TAG.sub("", written)
    for _, tag, attributes in _TAG.findall(written):
        assert tag in ("a", "code", "h1", "img", "p", "pre")
        names = re.findall(r'([\w-]+)="([^"]*)"', attributes)
        assert {name for name, _ in names} <= {"alt", "class", "href", "src", "style", "title"}
        assert all(re.match("https?://", value) for name, value in names if name in ("href", "src"))


def test_every_line_with_a_block_that_cannot_be_sent_is_named() -> None:
    expired = replace(COUPON, code="OLD4", ends_at=NOW)
    draft = replace(PRODUCT, status="draft")
    goods = GOODS._replace(products={"12": draft}, coupons={"OLD4": expired})
    markdown = "Hi\n\n[](product:12)\n[](product:no)\n\n[](coupon:OLD4)\n\n[](coupon:GONE)\n\nsee [it](product:1)"
    with pytest.raises(InvalidFields) as refused:
        render(parse(markdown), goods)
    assert (refused.value.fields or {})["body_markdown"] == [
        "Line 10 has a product or a coupon within text. Give it a line of its own.",
        "Line 3 shows a product that does not exist or is not for sale.",
        "Line 4 shows a product that does not exist or is not for sale.",
        "Line 6 shows a coupon that is expired when the e-mail is sent.",
        "Line 8 shows a coupon that does not exist or belongs to one customer.",
    ]


@pytest.mark.parametrize("piece", ["[", "[a](", "*a", "![[", "> ", "- ", "`", "<", "\0", "&", "\\", "1. a\n", "~~a"])
def test_broken_markdown_of_any_size_is_rendered(piece: str) -> None:
    assert html(piece * (50 * 1024 // len(piece))) is not None
