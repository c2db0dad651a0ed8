"""The e-mail of a campaign as the console shows it: with who reads it, as an inbox has it, in one of two themes."""

from __future__ import annotations

import re
from collections.abc import Sequence

from lootkeep.domain.campaign_emails import after_start
from lootkeep.domain.campaigns import EmailPreview
from lootkeep.views.emails import template_of

_DARK = re.compile(r"@media\s*\(\s*prefers-color-scheme:\s*dark\s*\)", re.IGNORECASE)
_SCHEME = re.compile(r"color-scheme:\s*light dark")
# What a theme makes of the rules for dark.
_THEMES = {"light": "@media not all", "dark": "@media all"}


def framed(preview: EmailPreview, store_name: str, theme: str) -> str:
    bar = template_of("preview.html").render(preview=preview, store_name=store_name, sentences=())
    return _in(theme, after_start(preview.html, bar))


def problems(sentences: Sequence[str], theme: str) -> str:
    """Instead of an e-mail that cannot be made."""
    return _in(theme, template_of("preview.html").render(preview=None, sentences=sentences))


def _in(theme: str, html: str) -> str:
    if theme not in _THEMES:
        return html
    return _SCHEME.sub(f"color-scheme: {theme}", _DARK.sub(_THEMES[theme], html))
