"""Protects data that must not be readable in a copy of the database: sealed, or as a keyed fingerprint."""

from __future__ import annotations

import base64
import hmac
import os
from functools import lru_cache

import msgspec
from msgspec.structs import replace

_NONCE_BYTES = 12
_KEY_BYTES = 32
# As hard to guess as a key; short enough for a link.
_SIGNATURE_BYTES = 16
_RING_PURPOSE = "key ring"


class SealError(Exception):
    """Stored data cannot be opened with this key."""


class Generation(msgspec.Struct, frozen=True):
    """The keys that one rotation of the secret key brought; links of a generation may have been ended."""

    seals: bytes
    links: bytes | None
    pages: bytes | None


class KeyRing(msgspec.Struct, frozen=True):
    """Every key that opens or verifies something; those of the current generation seal and sign.

    The key of fingerprints never changes: most of what they were made of is not stored, so none could be made again.
    """

    current: int
    fingerprints: bytes
    generations: dict[int, Generation]

    def with_next(self) -> KeyRing:
        """A further generation, which opens and verifies, but does not seal yet."""
        new = Generation(*(os.urandom(_KEY_BYTES) for _ in Generation.__struct_fields__))
        return replace(self, generations=self.generations | {max(self.generations) + 1: new})

    def with_newest_current(self, *, ends_links: bool) -> KeyRing:
        newest = max(self.generations)
        generations = {
            number: replace(keys, links=None, pages=None) if ends_links and number != newest else keys
            for number, keys in self.generations.items()
        }
        return replace(self, current=newest, generations=generations)


class Vault:
    """AES-GCM and HMAC under the keys of a ring; a store whose key was never rotated derives them from its secret key.

    `purpose` is bound into each seal: what was sealed for one place cannot be opened in another.
    """

    def __init__(self, secret_key: str) -> None:
        own = Generation(*(_derived(secret_key, use) for use in (b"vault", b"links", b"fingerprints")))
        self._own_key = own.seals
        assert own.pages is not None
        self.use(KeyRing(0, own.pages, {0: own}))
        # Says which secret key this is, without the key.
        self.key_mark = self.fingerprint(b"", "secret key")
        # A worker opens the same few secrets for every delivery.
        self.open = lru_cache(maxsize=256)(self._open)

    def use(self, ring: KeyRing) -> None:
        self.ring = ring

    def sealed_ring(self, ring: KeyRing) -> str:
        """For processes that start with this secret key."""
        return _encrypted(self._own_key, msgspec.json.encode(ring), _RING_PURPOSE)

    def use_sealed_ring(self, sealed: str) -> None:
        self.use(msgspec.json.decode(_decrypted(self._own_key, sealed, _RING_PURPOSE), type=KeyRing))

    def announced_ring(self) -> str:
        """For processes that run: they have the keys before the newest ones."""
        number = max(self.ring.generations) - 1
        key = self.ring.generations[number].seals
        return _prefix(number) + _encrypted(key, msgspec.json.encode(self.ring), _RING_PURPOSE)

    def use_announced_ring(self, sealed: str) -> None:
        ring = msgspec.json.decode(self.open(sealed, _RING_PURPOSE), type=KeyRing)
        if ring != self.ring:
            self.use(ring)

    def seal(self, text: str, purpose: str) -> str:
        # Read once: another thread may replace the ring.
        ring = self.ring
        return _prefix(ring.current) + _encrypted(ring.generations[ring.current].seals, text.encode(), purpose)

    @property
    def prefix(self) -> str:
        """Of everything that the current keys seal."""
        return _prefix(self.ring.current)

    @property
    def newest_prefix(self) -> str:
        """The same, of the keys that a rotation has brought."""
        return _prefix(max(self.ring.generations))

    def _open(self, sealed: str, purpose: str) -> str:
        number, _, content = sealed.rpartition(".")
        generation = self.ring.generations.get(int(number or 0))
        if generation is None:
            raise SealError(
                "A stored secret is encrypted with a newer key than this process has: restart it with the current "
                "LOOTKEEP_SECRET_KEY."
            )
        return _decrypted(generation.seals, content, purpose).decode()

    def fingerprint(self, content: bytes, purpose: str) -> str:
        """Always the same for the same content: a secret can be found by it, but not guessed from it."""
        return _hmac(self.ring.fingerprints, content, purpose).hex()

    def page_codes(self, content: bytes, purpose: str) -> list[bytes]:
        """Codes for a link to the content, the first for new links; links with any of them are valid."""
        return [_hmac(keys.pages, content, purpose) for keys in self._newest_first() if keys.pages]

    def sign(self, text: str, purpose: str) -> str:
        """The text with a signature, for links without sign-in: everyone can read it, nobody can forge it."""
        return f"{text}.{self._signatures(text, purpose)[0]}"

    def signed(self, token: str, purpose: str) -> str | None:
        """The text of a token that was signed for this purpose; None for any other."""
        text, _, signature = token.rpartition(".")
        signatures = self._signatures(text, purpose)
        is_ours = any(hmac.compare_digest(signature.encode(), ours.encode()) for ours in signatures)
        return text if is_ours else None

    def _signatures(self, text: str, purpose: str) -> list[str]:
        digests = [_hmac(keys.links, text.encode(), purpose) for keys in self._newest_first() if keys.links]
        return [base64.urlsafe_b64encode(digest[:_SIGNATURE_BYTES]).decode().rstrip("=") for digest in digests]

    def _newest_first(self) -> list[Generation]:
        """The current generation, then all others."""
        numbers = sorted(self.ring.generations, key=lambda number: number != self.ring.current)
        return [self.ring.generations[number] for number in numbers]


def _prefix(number: int) -> str:
    """What was sealed before the first rotation has none."""
    return f"{number}." if number else ""


def _encrypted(key: bytes, content: bytes, purpose: str) -> str:
    # Loaded with the first secret: it takes 7 MB, and most commands need none.
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM

    nonce = os.urandom(_NONCE_BYTES)
    return base64.b64encode(nonce + AESGCM(key).encrypt(nonce, content, purpose.encode())).decode()


def _decrypted(key: bytes, sealed: str, purpose: str) -> bytes:
    # Like `_encrypted`.
    from cryptography.exceptions import InvalidTag
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM

    raw = base64.b64decode(sealed)
    try:
        return AESGCM(key).decrypt(raw[:_NONCE_BYTES], raw[_NONCE_BYTES:], purpose.encode())
    except InvalidTag:
        raise SealError(
            "A stored secret cannot be decrypted: LOOTKEEP_SECRET_KEY is not the key it was encrypted with."
        ) from None


def _hmac(key: bytes, content: bytes, purpose: str) -> bytes:
    return hmac.digest(key, purpose.encode() + b"\0" + content, "sha256")


def _derived(secret_key: str, use: bytes) -> bytes:
    """HKDF with SHA-256, without a salt; a key is one block of it (RFC 5869)."""
    extracted = hmac.digest(bytes(_KEY_BYTES), secret_key.encode(), "sha256")
    return hmac.digest(extracted, b"lootkeep " + use + b"\x01", "sha256")
