"""Keeping what must be stored but not be readable in a copy of the database: sealed, or as a keyed fingerprint."""

from __future__ import annotations

import base64
import hashlib
import hmac
import os

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from lootkeep.kernel.errors import StartupError

_NONCE_BYTES = 12
_KEY_BYTES = 32


class Vault:
    """AES-GCM and HMAC under keys derived from the application key.

    `purpose` is bound into each seal: what was sealed for one place cannot be opened in another.
    """

    def __init__(self, secret_key: str) -> None:
        self._cipher = AESGCM(_derived(secret_key, b"lootkeep vault"))
        self._fingerprint_key = _derived(secret_key, b"lootkeep fingerprints")

    def seal(self, text: str, purpose: str) -> str:
        nonce = os.urandom(_NONCE_BYTES)
        sealed = self._cipher.encrypt(nonce, text.encode(), purpose.encode())
        return base64.b64encode(nonce + sealed).decode()

    def open(self, sealed: str, purpose: str) -> str:
        raw = base64.b64decode(sealed)
        try:
            return self._cipher.decrypt(raw[:_NONCE_BYTES], raw[_NONCE_BYTES:], purpose.encode()).decode()
        except InvalidTag:
            raise StartupError(
                "A stored secret cannot be opened: LOOTKEEP_SECRET_KEY is not the one it was sealed with."
            ) from None

    def fingerprint(self, content: bytes, purpose: str) -> str:
        """Always the same for the same content: a secret is found by it, and cannot be guessed from it."""
        return hmac.new(self._fingerprint_key, purpose.encode() + b"\0" + content, hashlib.sha256).hexdigest()


def _derived(secret_key: str, use: bytes) -> bytes:
    return HKDF(algorithm=SHA256(), length=_KEY_BYTES, salt=None, info=use).derive(secret_key.encode())
