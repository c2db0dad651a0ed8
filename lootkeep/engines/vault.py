"""Sealing what must be stored but not be readable in a copy of the database: AES-GCM under the application key."""

from __future__ import annotations

import base64
import os
from functools import lru_cache

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from lootkeep.kernel.errors import StartupError

_NONCE_BYTES = 12
_KEY_BYTES = 32


class Vault:
    """`purpose` is bound into each seal: what was sealed for one place cannot be opened in another."""

    def __init__(self, secret_key: str) -> None:
        derived = HKDF(algorithm=SHA256(), length=_KEY_BYTES, salt=None, info=b"lootkeep vault")
        self._cipher = AESGCM(derived.derive(secret_key.encode()))
        # A worker opens the same few secrets for every delivery.
        self.open = lru_cache(maxsize=256)(self._open)

    def seal(self, text: str, purpose: str) -> str:
        nonce = os.urandom(_NONCE_BYTES)
        sealed = self._cipher.encrypt(nonce, text.encode(), purpose.encode())
        return base64.b64encode(nonce + sealed).decode()

    def _open(self, sealed: str, purpose: str) -> str:
        raw = base64.b64decode(sealed)
        try:
            return self._cipher.decrypt(raw[:_NONCE_BYTES], raw[_NONCE_BYTES:], purpose.encode()).decode()
        except InvalidTag:
            raise StartupError(
                "A stored secret cannot be opened: LOOTKEEP_SECRET_KEY is not the one it was sealed with."
            ) from None
