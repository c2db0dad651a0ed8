"""Protects data that must not be readable in a copy of the database: sealed, or as a keyed fingerprint."""

from __future__ import annotations

import base64
import hashlib
import hmac
import os
from functools import lru_cache

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

_NONCE_BYTES = 12
_KEY_BYTES = 32
# As hard to guess as a key; short enough for a link.
_SIGNATURE_BYTES = 16


class SealError(Exception):
    """Stored data cannot be opened with this key."""


class Vault:
    """AES-GCM and HMAC under keys derived from the application key.

    `purpose` is bound into each seal: what was sealed for one place cannot be opened in another.
    """

    def __init__(self, secret_key: str) -> None:
        self._cipher = AESGCM(_derived(secret_key, b"lootkeep vault"))
        self._fingerprint_key = _derived(secret_key, b"lootkeep fingerprints")
        self._signing_key = _derived(secret_key, b"lootkeep links")
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
            raise SealError(
                "A stored secret cannot be decrypted: LOOTKEEP_SECRET_KEY is not the key it was encrypted with."
            ) from None

    def fingerprint(self, content: bytes, purpose: str) -> str:
        """Always the same for the same content: a secret can be found by it, but not guessed from it."""
        return hmac.new(self._fingerprint_key, purpose.encode() + b"\0" + content, hashlib.sha256).hexdigest()

    def sign(self, text: str, purpose: str) -> str:
        """The text with a signature, for links without sign-in: everyone can read it, nobody can forge it."""
        return f"{text}.{self._signature(text, purpose)}"

    def signed(self, token: str, purpose: str) -> str | None:
        """The text of a token that was signed for this purpose; None for any other."""
        text, _, signature = token.rpartition(".")
        is_ours = hmac.compare_digest(signature.encode(), self._signature(text, purpose).encode())
        return text if is_ours else None

    def _signature(self, text: str, purpose: str) -> str:
        digest = hmac.digest(self._signing_key, f"{purpose}\0{text}".encode(), "sha256")
        return base64.urlsafe_b64encode(digest[:_SIGNATURE_BYTES]).decode().rstrip("=")


def _derived(secret_key: str, use: bytes) -> bytes:
    return HKDF(algorithm=SHA256(), length=_KEY_BYTES, salt=None, info=use).derive(secret_key.encode())
