"""E-mails and countries in the one form in which they are stored; ValueError for what is none."""

from __future__ import annotations

import re

import iso3166
from email_validator import SPECIAL_USE_DOMAIN_NAMES, EmailNotValidError, validate_email

_COUNTRIES = frozenset(country.alpha2 for country in iso3166.countries)
# Most e-mail addresses look like this, and then have nothing that is worth a closer look, which takes 50 times as long.
_PLAIN_EMAIL = re.compile(r"[a-z0-9_]+([.+-][a-z0-9_]+)*@([a-z0-9]+(-[a-z0-9]+)*\.)+[a-z]{2,}")
_MAX_PLAIN_EMAIL = 63
_RESERVED_DOMAINS = tuple(f".{domain}" for domain in SPECIAL_USE_DOMAIN_NAMES)


def email(text: str) -> str:
    if len(text) <= _MAX_PLAIN_EMAIL and text.isascii():
        lowered = text.lower()
        if _PLAIN_EMAIL.fullmatch(lowered) and not lowered.endswith(_RESERVED_DOMAINS):
            return lowered
    try:
        checked = validate_email(text, check_deliverability=False, allow_quoted_local=False)
    except EmailNotValidError:
        raise ValueError("not an e-mail address") from None
    return checked.normalized.lower()


def country(text: str) -> str:
    code = text.upper()
    if code not in _COUNTRIES:
        raise ValueError("not a country code")
    return code
