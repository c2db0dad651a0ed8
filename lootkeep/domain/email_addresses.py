"""E-mail addresses: which are valid, and the one form in which they are stored."""

from __future__ import annotations

import re

from email_validator import SPECIAL_USE_DOMAIN_NAMES, EmailNotValidError, validate_email

# Most e-mail addresses look like this, and then have nothing that is worth a closer look, which takes 50 times as long.
_PLAIN = re.compile(r"[a-z0-9_]+([.+-][a-z0-9_]+)*@([a-z0-9]+(-[a-z0-9]+)*\.)+[a-z]{2,}")
_MAX_PLAIN_LENGTH = 63
_SPECIAL_DOMAINS = tuple(f".{domain}" for domain in SPECIAL_USE_DOMAIN_NAMES)


def normalized(value: str) -> str | None:
    """In lower case; None when it is not an address."""
    if len(value) <= _MAX_PLAIN_LENGTH and value.isascii():
        lowered = value.lower()
        if _PLAIN.fullmatch(lowered) and not lowered.endswith(_SPECIAL_DOMAINS):
            return lowered
    try:
        checked = validate_email(value, check_deliverability=False, allow_quoted_local=False)
    except EmailNotValidError:
        return None
    return checked.normalized.lower()
