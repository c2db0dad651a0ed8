"""Sealing: only the same key opens a seal, only in its own context, and the seal reveals nothing."""

from __future__ import annotations

import base64
import hashlib

import pytest
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from hypothesis import given, strategies as st

from lootkeep.engines.vault import SealError, Vault

VAULT = Vault("k" * 32)


@given(st.text(), st.text())
def test_sealed_text_can_be_opened(text: str, purpose: str) -> None:
    assert VAULT.open(VAULT.seal(text, purpose), purpose) == text


def test_another_process_with_the_same_key_opens_it() -> None:
    assert Vault("k" * 32).open(VAULT.seal("whsec_x", "webhook secret"), "webhook secret") == "whsec_x"


@pytest.mark.parametrize("secret_key", ["k", "k" * 32, "ключ" * 50])
def test_keys_are_those_that_the_library_derives_from_the_secret_key(secret_key: str) -> None:
    hkdf = HKDF(algorithm=SHA256(), length=32, salt=None, info=b"lootkeep vault")
    assert Vault(secret_key).ring.generations[0].seals == hkdf.derive(secret_key.encode())


def test_the_same_text_is_sealed_differently_each_time() -> None:
    assert len({VAULT.seal("whsec_x", "webhook secret") for _ in range(100)}) == 100


def test_the_seal_contains_neither_the_text_nor_the_key() -> None:
    raw = base64.b64decode(VAULT.seal("whsec_canary", "webhook secret"))
    assert b"canary" not in raw
    assert b"kkkk" not in raw


@pytest.mark.parametrize("key", ["K" * 32, "k" * 33, "k" * 31 + "\n"])
def test_another_key_does_not_open_it_and_the_error_has_advice(key: str) -> None:
    sealed = VAULT.seal("whsec_canary", "webhook secret")
    with pytest.raises(SealError, match="LOOTKEEP_SECRET_KEY is not the key it was encrypted with") as error:
        Vault(key).open(sealed, "webhook secret")
    assert "canary" not in str(error.value)
    assert error.value.__suppress_context__


def test_a_seal_opens_only_in_the_context_it_was_created_for() -> None:
    with pytest.raises(SealError):
        VAULT.open(VAULT.seal("whsec_x", "webhook secret"), "idempotency answer")


@pytest.mark.parametrize("position", [0, 11, 12, 20, -1])
def test_a_modified_seal_does_not_open(position: int) -> None:
    raw = bytearray(base64.b64decode(VAULT.seal("whsec_x", "webhook secret")))
    raw[position] ^= 1
    with pytest.raises(SealError):
        VAULT.open(base64.b64encode(raw).decode(), "webhook secret")


def test_a_truncated_seal_does_not_open() -> None:
    raw = base64.b64decode(VAULT.seal("whsec_x", "webhook secret"))
    with pytest.raises(SealError):
        VAULT.open(base64.b64encode(raw[:-1]).decode(), "webhook secret")


def test_a_fingerprint_is_the_same_for_the_same_content_key_and_purpose_only() -> None:
    fingerprint = Vault("k" * 32).fingerprint(b"code", "gift card code")
    assert Vault("k" * 32).fingerprint(b"code", "gift card code") == fingerprint
    other_fingerprints = {
        Vault("l" * 32).fingerprint(b"code", "gift card code"),
        Vault("k" * 32).fingerprint(b"code", "request"),
        Vault("k" * 32).fingerprint(b"Code", "gift card code"),
        hashlib.sha256(b"code").hexdigest(),
    }
    assert len(other_fingerprints | {fingerprint}) == 5
    assert len(fingerprint) == 64
