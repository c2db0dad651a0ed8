"""E-mail addresses in everything that the console sends to someone whose role masks them: `a***@example.com`."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from typing import Any
from urllib.parse import unquote

from starlette.responses import Response, StreamingResponse

from lootkeep.console.page import Visit

# What an address has before its `@`: anything that does not end a word, and what HTML writes otherwise.
_PART = r"""[^\s"<>()\[\]\\,;:@]"""
_ESCAPED = r"&amp;|&#39;"
_PLAIN = rf"(?<!{_PART})(?<!&amp;)(?<!&#39;)(?P<first>{_ESCAPED}|{_PART})(?:{_ESCAPED}|{_PART})*+(?<!/)@"
# In a query, where other characters separate, and a percent sign begins one that is written as a number.
_LETTER = r"[\w.!#$'*+^`{|}~-]"
_QUOTED = rf"(?<![\w.!#$'*+^`{{|}}~%-])(?P<letter>{_LETTER}?)(?:{_LETTER}|%(?!40)[0-9A-Fa-f]{{2}})*+%40"
# It begins where a word does, so that no text is slow.
_ADDRESS = re.compile(rf"(?:{_PLAIN}|{_QUOTED})(?P<host>[\w-]+(?:\.[\w-]+)*)")
_MASKED = re.compile(r"\S\*\*\*@\S+")
_TEXTS = ("text/", "application/json", "application/x-ndjson", "image/svg")


def stays(visit: Visit, text: str) -> bool:
    """Whether the form of a stored record holds an address as it was shown: it stays as it is stored."""
    return _masks(visit) and "version" in visit.form and _MASKED.fullmatch(text) is not None


def check_typed(visit: Visit, text: str) -> None:
    if _masks(visit) and _MASKED.search(text):
        raise ValueError("Your role masks an e-mail address in this text, so only someone who sees it can change it.")


def mask(text: str, own: frozenset[str] = frozenset()) -> str:
    """The text without the addresses that are not their own."""

    def masked(match: re.Match[str]) -> str:
        if unquote(match[0]).lower() in own:
            return match[0]
        start = f"{match['letter']}***%40" if match["first"] is None else f"{match['first']}***@"
        return start + match["host"]

    return _ADDRESS.sub(masked, text)


def mask_text(visit: Visit, text: str) -> str:
    return mask(text, _own(visit)) if _masks(visit) else text


def mask_response(visit: Visit, response: Response) -> Response:
    if not _masks(visit):
        return response
    own = _own(visit)
    if isinstance(response, StreamingResponse):
        response.body_iterator = _masked_lines(response.body_iterator, own)
    elif (response.media_type or "").startswith(_TEXTS):
        response.body = mask(bytes(response.body).decode(), own).encode()
        response.headers["content-length"] = str(len(response.body))
    return response


def _masks(visit: Visit) -> bool:
    return visit.person is not None and visit.person.permissions.masks_emails


def _own(visit: Visit) -> frozenset[str]:
    """What someone typed themselves is no secret to them; nor is their own address."""
    typed = " ".join((visit.user.email, *visit.form.values(), *visit.query.values()))
    return frozenset(match[0].lower() for match in _ADDRESS.finditer(typed))


async def _masked_lines(lines: Any, own: frozenset[str]) -> AsyncIterator[str]:
    """Each part of a file is whole lines."""
    async for part in lines:
        yield mask(part, own)
