"""The API reference page, its assets, and the frame that the guides share with it."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from lootkeep.api.http.reference.shown import ApiDoc
from lootkeep.api.http.reference.text import inline, prose

HERE = Path(__file__).parent
_GUIDES = HERE.parent / "guides"
_JAVASCRIPT = "text/javascript; charset=utf-8"

# Everything the pages load; the Content-Security-Policy allows nothing from elsewhere.
ASSETS: Mapping[str, tuple[str, bytes]] = {
    "reference.css": ("text/css; charset=utf-8", (HERE / "reference.css").read_bytes()),
    "reference.js": (_JAVASCRIPT, (HERE / "reference.js").read_bytes()),
    "languages.js": (_JAVASCRIPT, (HERE / "languages.js").read_bytes()),
    "page.js": (_JAVASCRIPT, (HERE / "page.js").read_bytes()),
}

# The guides that API clients need, next to the reference.
GUIDES = {
    "index": "All guides",
    "quickstart": "Quickstart",
    "api/conventions": "Conventions",
    "webhooks": "Receiving webhooks",
    "test-mode": "Test mode",
    "fraud": "Fraud detection",
    "client": "Python client",
    "typescript": "TypeScript client",
    "php": "PHP client",
    "operate/commands": "The command line",
}


def render(api: ApiDoc) -> bytes:
    """The page at /docs. Its URLs are relative, so a proxy may add a prefix."""
    urls = asset_urls("")
    values = {"root": "", "area": "reference", "assets": urls, "script": urls["reference.js"], "version": api.version}
    return environment().get_template("page.html").render(values, api=api, guides=GUIDES).encode()


def asset_urls(root: str) -> dict[str, str]:
    """`root` leads from the page to the root of the service."""
    return {name: f"{root}docs/{name}?v={_version(body)}" for name, (_, body) in ASSETS.items()}


@cache
def environment() -> Environment:
    environment = Environment(
        loader=FileSystemLoader([HERE, _GUIDES]),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["prose"] = prose
    environment.filters["inline"] = inline
    return environment


def _version(body: bytes) -> str:
    # Part of the URL, so a browser can cache an asset forever and still gets the next release.
    return hashlib.sha256(body).hexdigest()[:12]
