"""QR codes of the second factor."""

from __future__ import annotations

import re

from lootkeep.console import qr


def test_a_code_is_a_drawing_without_styles_or_scripts() -> None:
    drawing = qr.svg("otpauth://totp/Lootkeep")
    assert re.match("<svg ", drawing)
    assert set(re.findall(r"<(\w+)", drawing)) == {"svg", "g", "path"}
    assert not re.search(r"style|class|script|http", drawing)


def test_a_text_that_no_phone_could_scan_has_no_code() -> None:
    assert ["<path" in qr.svg("x" * length) for length in (666, 667, 4000)] == [True, False, False]
