"""Deliveries as the service signs them, and what a receiver must say to each: the same for every client."""

from __future__ import annotations

import base64
import json
from typing import Any

from lootkeep.domain import signing as signing_rules

SECRET = "whsec_" + "QUJDREVGR0hJSktMTU5PUFFSU1RVVldYWVphYmNkZWY="
OLD_SECRET = "whsec_" + "b2xkb2xkb2xkb2xkb2xkb2xkb2xkb2xkb2xkb2xkb2w="
NOW = 1_790_000_000
BODY = json.dumps({"id": "wh_1", "event": "order.paid", "data": {"name": "Ünï", "total": "9.99"}}, ensure_ascii=False)
BYTES = json.dumps(json.loads(BODY), separators=(",", ":"), ensure_ascii=False).encode()
HEADERS = signing_rules.headers(BYTES, "order.paid", "wh_1", [SECRET], NOW)
TRIO = ("webhook-id", "webhook-timestamp", "webhook-signature")


def without(*names: str) -> dict[str, str]:
    return {name: value for name, value in HEADERS.items() if name.lower() not in names}


PRETTY = json.dumps(json.loads(BODY), indent=2).encode()
CASES: dict[str, tuple[dict[str, Any], str]] = {
    "another secret": ({"secret": OLD_SECRET}, "wrong_secret"),
    "a changed body": ({"body": BYTES.replace(b"9.99", b"0.01")}, "wrong_secret"),
    "a body that is no JSON": ({"body": b"\xff{"}, "wrong_secret"),
    "a body written again": ({"body": PRETTY}, "body_reserialised"),
    "a body written again, plain": ({"body": PRETTY, "headers": without(*TRIO)}, "body_reserialised"),
    "a changed body, plain": ({"body": BYTES + b" ", "headers": without(*TRIO), "secret": OLD_SECRET}, "wrong_secret"),
    "no signature": ({"headers": {}}, "header_missing"),
    "a recorded request without its time": ({"headers": without(*TRIO), "now": NOW + 10**6}, "header_missing"),
    "no timestamp": ({"headers": without("webhook-timestamp")}, "header_missing"),
    "an odd timestamp": ({"headers": HEADERS | {"webhook-timestamp": "now"}}, "bad_timestamp"),
    "another id": ({"headers": HEADERS | {"webhook-id": "wh_2"}}, "headers_changed"),
    "a signature beyond ASCII": (
        {"headers": HEADERS | {"webhook-signature": "v1,ü", "X-Webhook-Signature": "ü"}},
        "wrong_secret",
    ),
    "an old request": ({"now": NOW + 301}, "old_timestamp"),
    "a request of the future": ({"now": NOW - 301}, "future_timestamp"),
}

_ROTATED = signing_rules.headers(BYTES, "order.paid", "wh_1", [SECRET, OLD_SECRET], NOW)
_MORE: dict[str, tuple[dict[str, Any], str | None]] = {
    "a delivery of the service": ({}, None),
    "names in upper case": ({"headers": {name.upper(): value for name, value in HEADERS.items()}}, None),
    "both signatures, the new secret": ({"headers": _ROTATED}, None),
    "both signatures, the old secret": ({"headers": _ROTATED, "secret": OLD_SECRET}, None),
    "five minutes ago": ({"now": NOW + 300}, None),
    "five minutes ahead": ({"now": NOW - 300}, None),
    "the plain signature on request": (
        {"headers": without(*TRIO), "now": NOW + 10**6, "require_timestamp": False},
        None,
    ),
    "an old request where the plain signature is enough": (
        {"now": NOW + 301, "require_timestamp": False},
        "old_timestamp",
    ),
    "a truncated secret": ({"secret": "whsec_abc"}, "bad_secret"),
    "an empty secret": ({"secret": ""}, "bad_secret"),
    "an empty secret, plain": ({"headers": without(*TRIO), "secret": "", "require_timestamp": False}, "bad_secret"),
}
_DEFAULTS: dict[str, Any] = {
    "body": BYTES,
    "headers": HEADERS,
    "secret": SECRET,
    "now": NOW,
    "require_timestamp": True,
}


def vectors() -> list[dict[str, Any]]:
    """All of them as JSON: `body` in base64, `reason` null for what is genuine."""
    return [
        {"title": title, **call, "body": base64.b64encode(call["body"]).decode(), "reason": reason}
        for title, (arguments, reason) in (CASES | _MORE).items()
        for call in [_DEFAULTS | arguments]
    ]
