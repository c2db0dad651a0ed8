"""The API reference page: an OpenAPI 3.1 document in, one HTML page and its assets out."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from lootkeep.api.http.reference.operations import read
from lootkeep.api.http.reference.text import inline, prose

HERE = Path(__file__).parent

# Everything the page loads; the Content-Security-Policy allows nothing from elsewhere.
ASSETS: Mapping[str, tuple[str, bytes]] = {
    "reference.css": ("text/css; charset=utf-8", (HERE / "reference.css").read_bytes()),
    "reference.js": ("text/javascript; charset=utf-8", (HERE / "reference.js").read_bytes()),
    "languages.js": ("text/javascript; charset=utf-8", (HERE / "languages.js").read_bytes()),
}


# Pages of the documentation that API clients need, next to the reference.
GUIDES = {
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


def render(
    document: Mapping[str, Any],
    *,
    assets_at: str = "docs",
    document_at: str = "openapi.json",
    guides_at: str | None = None,
) -> bytes:
    """The page for `document`. The first two URLs are relative to the page, so a proxy may add a prefix."""
    template = _environment().get_template("page.html")
    urls = {name: f"{assets_at}/{name}?v={_version(body)}" for name, (_, body) in ASSETS.items()}
    page = template.render(api=read(document), assets=urls, document_at=document_at, guides=GUIDES, guides_at=guides_at)
    return page.encode()


def _environment() -> Environment:
    environment = Environment(
        loader=FileSystemLoader(HERE),
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
