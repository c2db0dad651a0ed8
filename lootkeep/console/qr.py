"""QR codes as SVG."""

from __future__ import annotations

import segno

# Of a larger one, a phone cannot make out the modules on a screen.
_MAX_VERSION = 20


def svg(text: str) -> str:
    """Without styles, which the Content-Security-Policy forbids; nothing for a text that is too long to scan."""
    try:
        code = segno.make_qr(text, error="m", boost_error=False, mode="byte")
    except segno.DataOverflowError:
        return ""
    if int(code.version) > _MAX_VERSION:
        return ""
    # On white in a dark theme, too.
    return code.svg_inline(scale=4, dark="#000", light="#fff", svgclass=None, lineclass=None)
