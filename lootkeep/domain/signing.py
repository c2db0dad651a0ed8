"""Signatures of deliveries: the plain one of the specification, and the Standard Webhooks trio."""

from __future__ import annotations

import base64
import hmac
from collections.abc import Sequence

# The header of responses and deliveries of the sandbox.
MODE_HEADER = "Lootkeep-Mode"
TEST_MODE = "test"
SECRET_PREFIX = "whsec_"  # noqa: S105  what a secret starts with


def headers(
    body: bytes,
    event_type: str,
    delivery_id: str,
    secrets: Sequence[str],
    unix_seconds: int,
    *,
    is_test: bool = False,
) -> dict[str, str]:
    """All signature headers; `secrets` are the current one and, after a rotation, the previous one."""
    signed = f"{delivery_id}.{unix_seconds}.".encode() + body
    return {
        "X-Webhook-Signature": signature(body, secrets[0]),
        **plain_headers(event_type, delivery_id, is_test=is_test),
        "webhook-timestamp": str(unix_seconds),
        "webhook-signature": " ".join(_standard(signed, secret) for secret in secrets),
    }


def plain_headers(event_type: str, delivery_id: str, *, is_test: bool = False) -> dict[str, str]:
    """The headers without signature and time: the same for every attempt."""
    mode = {MODE_HEADER: TEST_MODE} if is_test else {}
    return {"X-Webhook-Event": event_type, "X-Webhook-ID": delivery_id, "webhook-id": delivery_id, **mode}


def signature(body: bytes, secret: str) -> str:
    """HMAC SHA-256 in hex; the key is the whole secret as it was shown."""
    return hmac.digest(secret.encode(), body, "sha256").hex()


def _standard(signed: bytes, secret: str) -> str:
    """The Standard Webhooks format; its key is the decoded secret."""
    key = base64.b64decode(secret.removeprefix(SECRET_PREFIX))
    return "v1," + base64.b64encode(hmac.digest(key, signed, "sha256")).decode()
