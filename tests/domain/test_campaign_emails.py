"""Campaign e-mails: text from HTML, marked links, and no HTML that takes long to parse."""

from __future__ import annotations

import time

import pytest

from lootkeep.domain.campaign_emails import CONTENT, EmailLayout, TrackingLinks, filled, targets, template
from lootkeep.domain.html import links, text_of

LAYOUT = EmailLayout(f"[{CONTENT}]", "<hr>{{ unsubscribe_url }}", "\n\nUnsubscribe: {{ unsubscribe_url }}\n")
VALUES = {"name": "Ann", "email": "ann@mail.example", "referral_code": "ABCD2345"}


@pytest.mark.parametrize(
    ("html", "text"),
    [
        ("<p>One</p><p>Two<br>Three</p>", "One\n\nTwo\nThree\n"),
        ("<ul><li>a</li><li>b</li></ul>", "- a\n\n- b\n"),
        ("a &amp; b &lt;c&gt; &#8364;", "a & b <c> €\n"),
        ("<a href='https://x.example/?a=1&amp;b=2'>go</a>", "go (https://x.example/?a=1&b=2)\n"),
        ("<a href='https://x.example/'>https://x.example/</a>", "https://x.example/\n"),
        ("<a href='#top'>up</a>", "up\n"),
        ("<head><title>T</title></head><style>p{}</style><script>x<y</script>words", "words\n"),
        ("<img alt='a logo' src=x> <img src=y>", "a logo\n"),
        ("1 < 2 and 3 > 2", "1 < 2 and 3 > 2\n"),
        ("a<!-- hidden <b> -->b<!-- never ended", "ab\n"),
        ("line\n  one\t two", "line one two\n"),
        ("", "\n"),
    ],
)
def test_text_is_created_from_html(html: str, text: str) -> None:
    assert text_of(html) == text


def test_links_are_absolute_urls_and_the_same_for_everyone() -> None:
    html = (
        "<a class=x data-href=\"https://no.example/\" href='https://a.example/?x=1&amp;y=2'>a</a>"
        '<A HREF=https://b.example/path>b</A><a title=\'href="https://no.example/"\' href="/relative">c</a>'
        '<a href="javascript:alert(1)">d</a><a href="mailto:x@y.example">e</a>'
        '<a href="https://{{ name }}.example/">f</a>'
        '<a href="https://a b.example/">g</a><a href="https:///none">h</a><!-- <a href="https://no.example/">i</a> -->'
        '<a>j</a><link href="https://no.example/"><a href=" https://c.example/ ">k</a>'
    )
    expected = ["https://a.example/?x=1&y=2", "https://b.example/path", "https://c.example/"]
    assert [link.target for link in links(html)] == expected
    assert html[links(html)[1].start : links(html)[1].end] == "https://b.example/path"


def test_each_target_is_counted_under_one_number() -> None:
    html = "<a href='https://a.example/'>1</a><a href='https://b.example/'>2</a><a href='https://a.example/'>3</a>"
    assert targets(html) == ("https://a.example/", "https://b.example/")
    compiled = template("S", None, html, None, LAYOUT, is_tracked=True)
    _, _, written = filled(compiled, VALUES, TrackingLinks("U", "R", "P", lambda number: f"C{number}"))
    assert written.startswith("[<a href='C0'>1</a><a href='C1'>2</a><a href='C0'>3</a>]")


def test_a_text_only_email_gets_an_equivalent_html_part() -> None:
    compiled = template("S", None, None, "Hi {{ name }}\n<b>&", LAYOUT, is_tracked=True)
    _, text, html = filled(compiled, VALUES, TrackingLinks("https://u.example/", "R"))
    assert text == "Hi Ann\n<b>&\n\nUnsubscribe: https://u.example/\n"
    assert html.startswith('[<div style="white-space:pre-wrap">Hi Ann\n&lt;b&gt;&amp;</div>]')


def test_a_whole_page_keeps_its_own_layout_and_gets_only_the_footer() -> None:
    compiled = template("S", "First", "<html><body class=x><p>Hi</p></body></html>", None, LAYOUT, is_tracked=False)
    _, _, html = filled(compiled, VALUES, TrackingLinks("U", "R"))
    assert html == '<html><body class=x><div style="display:none">First</div><p>Hi</p><hr>U</body></html>'


@pytest.mark.parametrize(
    "html",
    [
        "<" * 500_000,
        "<a " * 160_000,
        "</" * 250_000,
        "<!--" * 120_000,
        "<!" * 250_000,
        "&#" * 250_000,
        "<a x='" * 80_000,
        "<a '<a '  " * 50_000,
        "<a \"'\" '\"' " * 40_000,
        "<script>" * 60_000,
        "<a href=" + " " * 490_000,
        "<a " + "href " * 100_000 + ">",
        "<div>" * 100_000,
    ],
    ids=lambda html: html[:12],
)
def test_no_html_takes_long_to_read(html: str) -> None:
    started = time.process_time()
    text_of(html)
    links(html)
    # A second or so on a slow machine; what grows with the square of the length would take minutes.
    assert time.process_time() - started < 10
