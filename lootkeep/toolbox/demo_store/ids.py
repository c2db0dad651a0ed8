"""Ids from the demo's seed: the same seed gives the same codes."""

from __future__ import annotations

import base64
import uuid
from random import Random

from lootkeep.kernel.ids import CODE_LENGTH, READABLE


class SeededIds:
    """As unique as the operating system's, but reproducible: for sample data only."""

    def __init__(self, rng: Random) -> None:
        self._rng = rng

    def secret(self) -> str:
        return base64.urlsafe_b64encode(self._rng.randbytes(32)).decode().rstrip("=")

    def request_id(self) -> str:
        return self._rng.randbytes(12).hex()

    def delivery_id(self) -> str:
        return f"wh_{uuid.UUID(bytes=self._rng.randbytes(16), version=4)}"

    def webhook_secret(self) -> str:
        return "whsec_" + base64.b64encode(self._rng.randbytes(32)).decode()

    def code(self) -> str:
        return "".join(self._rng.choices(READABLE, k=CODE_LENGTH))
