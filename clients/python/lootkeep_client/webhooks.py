"""Verifies a delivery as its receiver: both signatures, in constant time, with an explanation of what is wrong."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import re
import time
from collections.abc import Callable, Mapping

from lootkeep_client.errors import WebhookNotVerified
from lootkeep_client.types import WebhookDelivery

# Longer than clocks differ, shorter than a recorded request is of use.
TOLERANCE_SECONDS = 300

_PLAIN = "x-webhook-signature"
_TRIO = _ID, _TIMESTAMP, _STANDARD = "webhook-id", "webhook-timestamp", "webhook-signature"
_SECONDS = re.compile(r"[1-9][0-9]{0,10}")
_PREFIX = "whsec_"


def verify_webhook(
    body: bytes,
    headers: Mapping[str, str],
    secret: str,
    *,
    require_timestamp: bool = True,
    now: Callable[[], float] = time.time,
) -> WebhookDelivery:
    """The delivery, once its signature is right; else `WebhookNotVerified`. `body` must be the raw bytes.

    The service signs the time with every delivery. `require_timestamp=False` also believes `X-Webhook-Signature`
    alone, which covers no time: anyone who has recorded a request can then send it again.
    """
    lower_headers = {name.lower(): value for name, value in headers.items()}
    if not secret.removeprefix(_PREFIX):
        raise _bad_secret()
    if any(name in lower_headers for name in _TRIO):
        _verify_standard(body, lower_headers, secret, now())
    elif _PLAIN not in lower_headers:
        raise WebhookNotVerified("header_missing", "Neither webhook-signature nor X-Webhook-Signature was sent.")
    elif not _is_plain(body, lower_headers, secret):
        raise _mismatch(body, lambda again: _is_plain(again, lower_headers, secret))
    elif require_timestamp:
        raise WebhookNotVerified(
            "header_missing",
            "The webhook-* headers, which sign the time, were not sent: it may be a replayed request.",
        )
    delivery: WebhookDelivery = json.loads(body)
    return delivery


def _verify_standard(body: bytes, lower_headers: Mapping[str, str], secret: str, now: float) -> None:
    missing = [name for name in _TRIO if not lower_headers.get(name)]
    if missing:
        raise WebhookNotVerified("header_missing", f"{' and '.join(missing)} was not sent.")
    if not _SECONDS.fullmatch(lower_headers[_TIMESTAMP]):
        raise WebhookNotVerified("bad_timestamp", "webhook-timestamp is not a Unix time in seconds.")
    if not _is_standard(body, lower_headers, secret):
        if _is_plain(body, lower_headers, secret):
            raise WebhookNotVerified(
                "headers_changed", f"The body is genuine, but one of {', '.join(_TRIO)} is not as it was sent."
            )
        raise _mismatch(body, lambda again: _is_standard(again, lower_headers, secret))
    age = now - int(lower_headers[_TIMESTAMP])
    if age > TOLERANCE_SECONDS:
        raise WebhookNotVerified(
            "old_timestamp", "It was signed too long ago: it may be a recorded request sent again."
        )
    if age < -TOLERANCE_SECONDS:
        raise WebhookNotVerified("future_timestamp", "It was signed in the future: the clocks differ.")


def _mismatch(body: bytes, fits: Callable[[bytes], bool]) -> WebhookNotVerified:
    again = _reserialised(body)
    if again is not None and fits(again):
        return WebhookNotVerified(
            "body_reserialised", "The body was parsed and written again: verify the bytes as they were sent."
        )
    return WebhookNotVerified("wrong_secret", "It was signed with another secret, or the body was changed on the way.")


def _reserialised(body: bytes) -> bytes | None:
    """The body as the service writes it; None when it is no JSON."""
    try:
        return json.dumps(json.loads(body), separators=(",", ":"), ensure_ascii=False).encode()
    except (ValueError, RecursionError):
        return None


def _is_plain(body: bytes, lower_headers: Mapping[str, str], secret: str) -> bool:
    return _same(hmac.new(secret.encode(), body, hashlib.sha256).hexdigest(), lower_headers.get(_PLAIN, ""))


def _is_standard(body: bytes, lower_headers: Mapping[str, str], secret: str) -> bool:
    """The header may hold several signatures: after a rotation both secrets sign."""
    try:
        key = base64.b64decode(secret.removeprefix(_PREFIX), validate=True)
    except ValueError:
        raise _bad_secret() from None
    signed = f"{lower_headers[_ID]}.{lower_headers[_TIMESTAMP]}.".encode("utf-8", "replace") + body
    expected = "v1," + base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()).decode()
    return any(_same(expected, signature) for signature in lower_headers[_STANDARD].split(" "))


def _bad_secret() -> WebhookNotVerified:
    """Also of an empty one, with which anyone can sign."""
    return WebhookNotVerified(
        "bad_secret", f"The secret must be given as it was shown, from {_PREFIX} to the last character."
    )


def _same(expected: str, signature: str) -> bool:
    """In constant time; as bytes, since texts beyond ASCII cannot be compared so."""
    return hmac.compare_digest(expected.encode(), signature.encode("utf-8", "replace"))
