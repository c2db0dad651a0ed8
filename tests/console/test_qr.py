"""QR codes: every module is where another implementation (the package qrcode 8.2, mask 0) has it."""

from __future__ import annotations

import hashlib
from math import isqrt

import pytest

from lootkeep.console import qr


@pytest.mark.parametrize(
    ("text", "size", "digest"),
    [
        ("otpauth://totp/Lootkeep", 25, "0811691b2171c9df4f8baa2472bb0443"),
        ("x" * 150, 49, "92d8ae06b19d3e04423fc765461677e3"),
        ("y" * 600, 93, "65fb0e0a6fb99806ea311c94ca21e5c2"),
    ],
)
def test_a_code_is_drawn_as_others_draw_it(text: str, size: int, digest: str) -> None:
    modules = qr.draw(text)
    assert isqrt(len(modules)) == size
    rows = "".join("01"[modules[x, y]] for y in range(size) for x in range(size))
    assert hashlib.sha256(rows.encode()).hexdigest()[:32] == digest


def test_a_text_that_no_phone_could_scan_has_no_code() -> None:
    assert (qr.svg("x" * 667), "<path" in qr.svg("x" * 666)) == ("", True)
