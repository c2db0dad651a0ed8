"""What protects forms and cookies: the cookie's name, form tokens, the same-origin check, and messages in transit."""

from __future__ import annotations

import asyncio
import base64
import hmac
import re
from urllib.parse import parse_qsl, quote, unquote

import msgspec
from starlette.requests import Request
from starlette.responses import Response

from lootkeep.console.page import PREFIX, Options, Undo, Visit
from lootkeep.domain import inputs as inputs_rules
from lootkeep.domain.accounts import ABSOLUTE_LIMIT
from lootkeep.engines.vault import Vault
from lootkeep.kernel.clock import DAY, SECOND, Instant
from lootkeep.kernel.errors import Conflict, Unprocessable

_SECURE_NAME = "__Host-lootkeep"
_PLAIN_NAME = "lootkeep"
_BROWSER_NAME = "lootkeep-browser"
# As long as browsers keep a cookie.
_BROWSER_SECONDS = 400 * DAY // SECOND
_ATTEMPT_NAME = "lootkeep-attempt"
_ATTEMPT_SECONDS = 600
_FLASH_NAME = "lootkeep-message"
_FLASH_SECONDS = 60
_TOUR_NAME = "lootkeep-tour"
_MAX_FLASH = 500
# In base64 and with its signature this is the 4 KB that a cookie may have; a longer way back is not offered.
_MAX_MESSAGE_BYTES = 2_800
# Under this name the server puts the request's place among those that are worked on into the scope.
TICKET = "lootkeep.ticket"
MAX_FORM_BYTES = 1024 * 1024
# Without a session. It is parsed in a millisecond; a larger form takes up to 150, and a thread does it.
MAX_SMALL_FORM_BYTES = 8 * 1024
MAX_FIELDS = 1000

HEADERS = {
    "content-security-policy": "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; "
    "connect-src 'self'; frame-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
    "cache-control": "no-store",
    "x-robots-tag": "noindex",
}


class Refused(Conflict):
    """The user's role does not allow it, or the form was not sent from a page of the console."""


_TOO_LARGE = ("form_too_large", "The form is too large.")
_UNREADABLE = ("bad_form", "The form cannot be read.")
_BOUNDARY = re.compile(r'multipart/form-data; ?boundary="?([A-Za-z0-9\'()+_,./:=?-]{1,70})"?')
_PART_NAME = re.compile(rb'; name="([^"]*)"')
_FOREIGN = ("foreign_form", "This form was not sent from the console, or is too old. Open it again.")


def is_https(request: Request, options: Options) -> bool:
    return options.is_https or request.scope["scheme"] == "https"


def read_secret(request: Request, options: Options) -> str:
    return request.cookies.get(_SECURE_NAME if is_https(request, options) else _PLAIN_NAME, "")


def set_secret(response: Response, request: Request, options: Options, secret: str) -> None:
    """The cookie lives as long as a session may; the database decides when that has ended."""
    name = _SECURE_NAME if is_https(request, options) else _PLAIN_NAME
    _set_cookie(response, request, options, name, secret, ABSOLUTE_LIMIT // SECOND if secret else 0, "/")


def read_browser(visit: Visit) -> str:
    return visit.request.cookies.get(_BROWSER_NAME, "")


def set_browser(response: Response, request: Request, options: Options, browser: str) -> None:
    """Only the sign-in reads it, and it lets nobody in."""
    _set_cookie(response, request, options, _BROWSER_NAME, browser, _BROWSER_SECONDS, f"{PREFIX}/sign-in")


def read_attempt(visit: Visit) -> str:
    """What this browser was given when it left for a provider; empty if it has nothing that we signed."""
    return unquote(visit.deps.vault.signed(visit.request.cookies.get(_ATTEMPT_NAME, ""), _ATTEMPT_NAME) or "")


def set_attempt(response: Response, visit: Visit, text: str) -> None:
    signed = visit.deps.vault.sign(quote(text, safe=""), _ATTEMPT_NAME)
    _set_cookie(response, visit.request, visit.options, _ATTEMPT_NAME, signed, _ATTEMPT_SECONDS, f"{PREFIX}/sign-in")


def end_attempt(response: Response, request: Request) -> None:
    """Whatever came of it: what the browser was given works once."""
    if _ATTEMPT_NAME in request.cookies:
        response.delete_cookie(_ATTEMPT_NAME, path=f"{PREFIX}/sign-in")


def form_token(vault: Vault, secret: str, nonce: str) -> str:
    """Bound to the browser's cookie, so that no other browser's token works; of a page that is shown once."""
    return f"{nonce}.{vault.fingerprint(f'{nonce} {secret}'.encode(), 'console form')[:32]}"


def new_token(visit: Visit) -> str:
    return form_token(visit.deps.vault, visit.secret, f"{visit.now}-{visit.deps.ids.request_id()}")


def issued_at(visit: Visit) -> Instant:
    """When the page of the form was shown; the token was checked before."""
    return Instant(int(visit.form["token"].partition("-")[0]))


def one_time_key(visit: Visit) -> str:
    """The same only for the same content of the same form: its token names the page that it was shown on."""
    return visit.deps.vault.fingerprint(msgspec.json.encode(sorted(visit.form.items())), "console key")


def check_origin(request: Request) -> None:
    """Browsers say where a form comes from; one that says nothing still needs the form's token."""
    site = request.headers.get("sec-fetch-site", "same-origin")
    origin = request.headers.get("origin")
    is_same = origin is None or origin.partition("://")[2] == request.headers.get("host")
    if site not in ("same-origin", "none") or not is_same:
        raise Refused(*_FOREIGN)


def check_token(visit: Visit) -> None:
    token = visit.form.get("token", "")
    expected = form_token(visit.deps.vault, visit.secret, token.partition(".")[0])
    if not visit.secret or not hmac.compare_digest(token.encode(), expected.encode()):
        raise Refused(*_FOREIGN)


async def read_form(request: Request, *, has_session: bool) -> dict[str, str]:
    """The fields of a form; of a field that is sent several times, the values one per line."""
    max_bytes = MAX_FORM_BYTES if has_session else MAX_SMALL_FORM_BYTES
    length = inputs_rules.integer(request.headers.get("content-length", "0"))
    if length is None or length > max_bytes:
        raise Unprocessable(*_TOO_LARGE)
    ticket = request.scope.get(TICKET)
    if ticket is None or ticket.is_complete:
        body = await _read_body(request, max_bytes)
    else:
        # Nothing is worked on until the browser has sent the rest: it must not hold a slot meanwhile.
        ticket.leave()
        body = await _read_body(request, max_bytes)
        await ticket.enter()
    boundary = _BOUNDARY.fullmatch(request.headers.get("content-type", ""))
    if boundary:
        return _with_files(body, boundary[1].encode())
    return _parsed(body) if len(body) <= MAX_SMALL_FORM_BYTES else await asyncio.to_thread(_parsed, body)


def _parsed(body: bytes) -> dict[str, str]:
    try:
        pairs = parse_qsl(body.decode(), keep_blank_values=True, max_num_fields=MAX_FIELDS, errors="strict")
    except ValueError:
        raise Unprocessable(*_UNREADABLE) from None
    form: dict[str, str] = {}
    for name, value in pairs:
        plain = value.replace("\r\n", "\n").replace("\0", "")
        form[name] = f"{form[name]}\n{plain}" if name in form else plain
    return form


def _with_files(body: bytes, boundary: bytes) -> dict[str, str]:
    """A form with a file: the content of the file in base64, as if it had been typed."""
    form: dict[str, str] = {}
    for part in (b"\r\n" + body).split(b"\r\n--" + boundary)[1:-1]:
        head, _, content = part.partition(b"\r\n\r\n")
        name = _PART_NAME.search(head)
        if name is None or len(form) >= MAX_FIELDS:
            raise Unprocessable(*_UNREADABLE)
        is_file = b"; filename=" in head
        text = base64.b64encode(content).decode() if is_file else content.decode(errors="replace").replace("\0", "")
        form[name[1].decode(errors="replace")] = text
    return form


async def _read_body(request: Request, max_bytes: int) -> bytes:
    body = bytearray()
    async for block in request.stream():
        body += block
        if len(body) > max_bytes:
            raise Unprocessable(*_TOO_LARGE)
    return bytes(body)


class Message(msgspec.Struct, frozen=True, array_like=True):
    """What the next page says, and the form that undoes it."""

    tone: str
    text: str
    undo: Undo | None = None


def set_message(response: Response, vault: Vault, request: Request, options: Options, message: Message) -> None:
    """What the next page shows; signed, so that only we can put words there."""
    encoded = msgspec.json.encode(message)
    if len(encoded) > _MAX_MESSAGE_BYTES:
        encoded = msgspec.json.encode(Message(message.tone, message.text[:_MAX_FLASH]))
    signed = vault.sign(base64.urlsafe_b64encode(encoded).decode(), "console message")
    _set_cookie(response, request, options, _FLASH_NAME, signed, _FLASH_SECONDS, PREFIX)


def _set_cookie(
    response: Response, request: Request, options: Options, name: str, value: str, max_age: int | None, path: str
) -> None:
    secure = is_https(request, options)
    response.set_cookie(name, value, max_age, path=path, secure=secure, httponly=True, samesite="lax")


def is_tour_closed(visit: Visit) -> bool:
    return _TOUR_NAME in visit.request.cookies


def close_tour(response: Response, visit: Visit) -> None:
    """Until the browser is closed."""
    _set_cookie(response, visit.request, visit.options, _TOUR_NAME, "closed", None, PREFIX)


def read_message(visit: Visit, vault: Vault) -> Message | None:
    """For the next page that someone opens: a page asks for news by itself, and opens again what has no menu."""
    headers = visit.request.headers
    if "x-live" in headers or (visit.person is None and headers.get("sec-fetch-dest") == "empty"):
        return None
    cookie = visit.request.cookies.get(_FLASH_NAME)
    text = vault.signed(cookie, "console message") if cookie else None
    return msgspec.json.decode(base64.urlsafe_b64decode(text), type=Message) if text else None


def clear_message(response: Response) -> None:
    response.delete_cookie(_FLASH_NAME, path=PREFIX)
