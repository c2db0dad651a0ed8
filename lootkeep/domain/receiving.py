"""Verifies a delivery as its receiver does: both signature formats, and a sentence that says what is wrong."""

from __future__ import annotations

import base64
import hmac
import re
from collections.abc import Callable, Mapping
from enum import StrEnum

import msgspec

from lootkeep.domain import signing
from lootkeep.kernel.clock import MINUTE, SECOND, Instant, iso

# As in the Standard Webhooks packages: longer than clocks differ, too short for replaying a recorded request.
TOLERANCE = 5 * MINUTE

_PLAIN = "x-webhook-signature"
_TRIO = _ID, _TIMESTAMP, _STANDARD = "webhook-id", "webhook-timestamp", "webhook-signature"
# A Unix time with more digits is not a date.
_SECONDS = re.compile(r"[1-9][0-9]{0,10}")


class VerificationError(StrEnum):
    """Why a delivery must not be trusted."""

    header_missing = "header missing"
    bad_timestamp = "bad timestamp"
    old_timestamp = "old timestamp"
    future_timestamp = "timestamp in the future"
    wrong_secret = "wrong secret"  # noqa: S105  a reason
    body_reserialised = "the body was re-serialised"
    headers_changed = "headers changed"


class SignatureCheck(msgspec.Struct, frozen=True):
    """What a receiver knows about a delivery after checking its signatures."""

    fault: VerificationError | None
    explanation: str = ""

    @property
    def is_valid(self) -> bool:
        return self.fault is None

    @property
    def words(self) -> str:
        name = self.fault or "signature ok"
        return f"{name}: {self.explanation}" if self.explanation else name


def verify(body: bytes, headers: Mapping[str, str], secret: str, now: Instant) -> SignatureCheck:
    """Verifies the raw body.

    The Standard Webhooks headers decide, because they also cover id and time. Without them nothing is trusted: a
    replayed request could simply omit them.
    """
    # Text that is not UTF-8 arrives as lone surrogates, which cannot be encoded.
    lower_headers = {name.lower(): value.encode("utf-8", "replace").decode() for name, value in headers.items()}
    if any(name in lower_headers for name in _TRIO):
        return _verify_standard(body, lower_headers, secret, now)
    if _PLAIN not in lower_headers:
        return SignatureCheck(
            VerificationError.header_missing, "neither webhook-signature nor X-Webhook-Signature was sent"
        )
    if _is_plain(body, lower_headers, secret):
        return SignatureCheck(
            VerificationError.header_missing,
            "webhook-id, webhook-timestamp and webhook-signature, which sign the time, were not sent: it may be a "
            "replayed request",
        )
    return _mismatch(body, lambda again: _is_plain(again, lower_headers, secret))


def check_secret(secret: str) -> str | None:
    """What is wrong with a secret, as a sentence."""
    try:
        key = base64.b64decode(secret.removeprefix(signing.SECRET_PREFIX), validate=True)
    except ValueError:
        key = b""
    if key and secret.startswith(signing.SECRET_PREFIX):
        return None
    return f"The secret must be given as it was shown, from {signing.SECRET_PREFIX} to the last character."


def _verify_standard(body: bytes, lower_headers: Mapping[str, str], secret: str, now: Instant) -> SignatureCheck:
    missing = [name for name in _TRIO if not lower_headers.get(name)]
    if missing:
        return SignatureCheck(VerificationError.header_missing, f"{' and '.join(missing)} was not sent")
    timestamp = lower_headers[_TIMESTAMP]
    if not _SECONDS.fullmatch(timestamp):
        return SignatureCheck(VerificationError.bad_timestamp, "webhook-timestamp is not a Unix time in seconds")
    if _is_standard(body, lower_headers, secret):
        return _check_age(Instant(int(timestamp) * SECOND), now) or _right(body, lower_headers, secret)
    if _is_plain(body, lower_headers, secret):
        return SignatureCheck(
            VerificationError.headers_changed,
            f"the body is genuine, but one of {', '.join(_TRIO)} is not as it was sent",
        )
    return _mismatch(body, lambda again: _is_standard(again, lower_headers, secret))


def _check_age(sent_at: Instant, now: Instant) -> SignatureCheck | None:
    if sent_at < now - TOLERANCE:
        return SignatureCheck(
            VerificationError.old_timestamp, f"signed at {iso(sent_at)}, so this may be a replayed request"
        )
    if sent_at > now + TOLERANCE:
        return SignatureCheck(VerificationError.future_timestamp, f"signed at {iso(sent_at)}, so the clocks differ")
    return None


def _right(body: bytes, lower_headers: Mapping[str, str], secret: str) -> SignatureCheck:
    if _PLAIN in lower_headers and not _is_plain(body, lower_headers, secret):
        return SignatureCheck(None, "with the secret from before its rotation, which stops signing soon")
    return SignatureCheck(None)


def _mismatch(body: bytes, fits: Callable[[bytes], bool]) -> SignatureCheck:
    again = _reserialised(body)
    if again is not None and fits(again):
        return SignatureCheck(
            VerificationError.body_reserialised,
            "it was parsed and serialised again; verify the raw bytes",
        )
    return SignatureCheck(
        VerificationError.wrong_secret, "it was signed with another one, or the body was changed on the way"
    )


def _reserialised(body: bytes) -> bytes | None:
    """The body as the service writes it; None if it is not JSON."""
    try:
        return msgspec.json.encode(msgspec.json.decode(body))
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None


def _is_plain(body: bytes, lower_headers: Mapping[str, str], secret: str) -> bool:
    return _same(signing.signature(body, secret), lower_headers.get(_PLAIN, ""))


def _is_standard(body: bytes, lower_headers: Mapping[str, str], secret: str) -> bool:
    """The header may have several signatures: after a rotation both secrets sign."""
    expected = signing.headers(body, "", lower_headers[_ID], [secret], int(lower_headers[_TIMESTAMP]))[_STANDARD]
    return any(_same(expected, signature) for signature in lower_headers[_STANDARD].split(" "))


def _same(expected: str, signature: str) -> bool:
    """In constant time; as bytes, because non-ASCII text cannot be compared this way."""
    return hmac.compare_digest(expected.encode(), signature.encode())
