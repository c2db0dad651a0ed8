"""Ids that a test can expect."""

from __future__ import annotations

import base64
import uuid

from lootkeep.kernel.ids import CODE_LENGTH, READABLE


class CountingIds:
    """1, 2, 3."""

    def __init__(self) -> None:
        self._count = 0

    def secret(self) -> str:
        self._count += 1
        return f"secret-{self._count:036d}"

    def request_id(self) -> str:
        self._count += 1
        return f"request-{self._count}"

    def delivery_id(self) -> str:
        self._count += 1
        return f"wh_{uuid.UUID(int=self._count)}"

    def webhook_secret(self) -> str:
        self._count += 1
        return "whsec_" + base64.b64encode(self._count.to_bytes(32)).decode()

    def code(self) -> str:
        self._count += 1
        digits, rest = "", self._count
        while len(digits) < CODE_LENGTH:
            rest, digit = divmod(rest, len(READABLE))
            digits = READABLE[digit] + digits
        return digits
