"""The Markdown of a campaign as HTML for mail programs: styles inline, blocks for products, coupons and buttons."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from lootkeep.domain import coupons as coupons_rules
from lootkeep.domain.campaign_emails import tightened
from lootkeep.domain.coupons import Coupon
from lootkeep.domain.emails import StoreIdentity
from lootkeep.domain.html import is_web_address
from lootkeep.domain.products import Product
from lootkeep.kernel.clock import Instant
from lootkeep.kernel.errors import InvalidFields
from lootkeep.views.emails import last_day, template_of
from lootkeep.views.money import in_words, percent

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

# A link to one of these, on a line of its own, is a block.
_BLOCK = re.compile(r"(product|coupon):(.*)")
# A link with this title, on a line of its own, is a button.
_BUTTON = "button"
# Anything else, such as `javascript:`, stays text. A relative link leads nowhere from a mailbox.
_LINK = re.compile(r"https?://[^/]|mailto:.|\{\{(referral_url|unsubscribe_url)\}\}$|(product|coupon):", re.IGNORECASE)
_CODE_FONT = "ui-monospace,monospace"
_STYLES = {
    "h1": "margin:24px 0 12px;font-size:26px",
    "h2": "margin:24px 0 8px;font-size:20px",
    "h3": "margin:20px 0 8px;font-size:17px",
    "p": "margin:0 0 16px",
    "ul": "margin:0 0 16px;padding-left:24px",
    "ol": "margin:0 0 16px;padding-left:24px",
    "blockquote": "margin:0 0 16px;padding:0 0 0 16px;border-left:3px solid #d4d4d8",
    "pre": f"margin:0 0 16px;white-space:pre-wrap;font:14px/1.5 {_CODE_FONT}",
    "code": f"font-family:{_CODE_FONT}",
    "img": "display:block;max-width:100%;height:auto;border-radius:8px",
    "hr": "margin:24px 0;border:0;border-top:1px solid #a1a1aa",
}
_CLASSES = {"blockquote": "quote"}
_MISSING = {
    "product": "Line {} shows a product that does not exist or is not for sale.",
    "coupon": "Line {} shows a coupon that does not exist or belongs to one customer.",
}
_NOT_VALID = "Line {} shows a coupon that is {} when the e-mail is sent."
_NOT_ALONE = "Line {} has a product or a coupon within text. Give it a line of its own."


class Block(NamedTuple):
    """A product, a coupon or a button, on its line of the Markdown."""

    kind: str
    # The number of a product, the code of a coupon, the target of a button.
    value: str
    text: str
    line: int


class Document(NamedTuple):
    """Markdown that was parsed; blocks are still to be looked up."""

    parts: list[Token | list[Block]]
    errors: list[str]

    def values(self, kind: str) -> list[str]:
        blocks = [block for part in self.parts if isinstance(part, list) for block in part]
        return [block.value for block in blocks if block.kind == kind]


class Goods(NamedTuple):
    """What the blocks show, as it is now."""

    store: StoreIdentity
    products: Mapping[str, Product]
    coupons: Mapping[str, Coupon]
    # When the e-mail is sent.
    at: Instant
    # Of the store.
    timezone: str


def parse(markdown: str) -> Document:
    """In linear time; raw HTML is text."""
    document = Document([], [])
    tokens = iter(_parser().parse(tightened(markdown)))
    for token in tokens:
        if token.type == "paragraph_open":
            content = next(tokens)
            if blocks := _blocks(content):
                document.parts.append(blocks)
                next(tokens)
                continue
            document.parts.append(_styled(token))
            token = content
        for child in token.children or ():
            if _BLOCK.match(str(child.attrGet("href") or child.attrGet("src") or "")):
                document.errors.append(_NOT_ALONE.format(_line(token)))
            _styled(child)
        document.parts.append(_styled(token))
    return document


def render(document: Document, goods: Goods) -> str:
    """The HTML inside the layout of a campaign, or every line that cannot be sent."""
    pieces: list[str] = []
    errors = [*document.errors]
    waiting: list[Token] = []
    for part in document.parts:
        if not isinstance(part, list):
            waiting.append(part)
            continue
        pieces.append(_html(waiting))
        waiting = []
        for block in part:
            if error := _error(block, goods):
                errors.append(error)
            else:
                pieces.append(_block_html(block, goods))
    if errors:
        raise InvalidFields({"body_markdown": errors})
    return "".join([*pieces, _html(waiting)])


@cache
def _parser() -> MarkdownIt:
    # Loaded for the first campaign.
    from markdown_it import MarkdownIt
    from markdown_it.common.normalize_url import normalizeLink

    parser = MarkdownIt("commonmark", {"html": False}).enable("strikethrough")
    parser.validateLink = lambda url: bool(_LINK.match(url))  # type: ignore[method-assign]
    # A placeholder in a link is filled in later, so it stays as it is written.
    parser.normalizeLink = lambda url: url if "{{" in url else normalizeLink(url)  # type: ignore[method-assign]
    return parser


def _html(tokens: list[Token]) -> str:
    return str(_parser().renderer.render(tokens, _parser().options, {}))


def _styled(token: Token) -> Token:
    if token.nesting >= 0 and token.tag in _STYLES and token.type != "fence":
        token.attrSet("style", _STYLES[token.tag])
    if token.nesting > 0 and token.tag in _CLASSES:
        token.attrSet("class", _CLASSES[token.tag])
    return token


def _line(token: Token) -> int:
    return token.map[0] + 1 if token.map else 1


def _blocks(content: Token) -> list[Block]:
    """The blocks of a paragraph that consists of nothing else, one on each line."""
    blocks = [_block(line, _line(content) + number) for number, line in enumerate(_lines(content))]
    return [block for block in blocks if block] if all(blocks) else []


def _lines(content: Token) -> Iterator[list[Token]]:
    line: list[Token] = []
    for child in content.children or ():
        if child.type in ("softbreak", "hardbreak"):
            yield line
            line = []
        elif child.content or child.type != "text":
            line.append(child)
    yield line


def _block(line: list[Token], number: int) -> Block | None:
    """Of a line that is one link."""
    is_link = len(line) >= 2 and line[0].type == "link_open" and line[-1].type == "link_close"
    if not is_link or any(child.type == "link_close" for child in line[:-1]):
        return None
    target, text = str(line[0].attrGet("href")), "".join(child.content for child in line)
    if match := _BLOCK.match(target):
        return Block(match[1], match[2].upper() if match[1] == "coupon" else match[2], text, number)
    return Block(_BUTTON, target, text, number) if line[0].attrGet("title") == _BUTTON else None


def _error(block: Block, goods: Goods) -> str | None:
    if block.kind == _BUTTON:
        return None
    if block.kind == "product":
        product = goods.products.get(block.value)
        return None if product and product.status == "active" else _MISSING["product"].format(block.line)
    coupon = goods.coupons.get(block.value)
    if coupon is None or coupon.customer_id is not None:
        return _MISSING["coupon"].format(block.line)
    state = coupons_rules.state(coupon, goods.at)
    words = {"scheduled": "not valid yet", "used_up": "used up", "inactive": "switched off"}
    return None if state == "active" else _NOT_VALID.format(block.line, words.get(state, state))


def _block_html(block: Block, goods: Goods) -> str:
    values: dict[str, Any] = {"button": block}
    if block.kind == "product":
        product = goods.products[block.value]
        was = product.compare_at_price
        values = {
            "product": product,
            "price": in_words(product.price, product.currency),
            "was": in_words(was, product.currency) if was is not None and was > product.price else None,
            "url": _product_url(product) or goods.store.url,
        }
    elif block.kind == "coupon":
        coupon = goods.coupons[block.value]
        ends = None if coupon.ends_at is None else last_day(coupon.ends_at, goods.timezone)
        values = {"coupon": coupon, "gives": gives(coupon), "ends": ends}
    html = template_of("blocks.html").render({"kind": block.kind, **values})
    # Names are data: a placeholder in one is not filled in. A button is written by the store.
    return html if block.kind == _BUTTON else html.replace("{{", "{&#8203;{")


def gives(coupon: Coupon) -> str:
    """`40% off`, `$5.00 off orders of $20.00 or more`."""
    is_fixed = coupon.discount_type == "fixed" and coupon.currency is not None
    value = in_words(coupon.value, coupon.currency or "") if is_fixed else f"{percent(coupon.value)}%"
    return f"{value} off{' your first order' if coupon.first_order_only else ''}"


def _product_url(product: Product) -> str | None:
    """The page of the product in the shop, if its metadata has a `url`."""
    metadata = msgspec.json.decode(product.metadata)
    url = metadata.get("url") if isinstance(metadata, dict) else None
    return url if isinstance(url, str) and is_web_address(url) else None
