"""An e-mail as the bytes that a mail server accepts."""

from __future__ import annotations

import binascii
import re
import secrets
from dataclasses import dataclass
from email.header import Header
from email.utils import format_datetime

from lootkeep.domain.emails import Email, refuse_line_breaks
from lootkeep.kernel.clock import Instant, utc

_PLAIN_ADDRESS = re.compile(r"[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]+@[A-Za-z0-9.-]+")
_MAX_WORD = 60


@dataclass(frozen=True, slots=True)
class Sender:
    """The sender of e-mails."""

    name: str
    email: str

    @property
    def domain(self) -> str:
        return self.email.rpartition("@")[2]


def parse_sender(text: str, otherwise: str = "") -> Sender:
    """`Shop <shop@example.com>`, or `shop@example.com` with the other name; anything else is a ValueError."""
    name, bracket, rest = text.strip().rpartition("<")
    email = rest.removesuffix(">").strip() if bracket else text.strip()
    local, at, domain = email.rpartition("@")
    if not (local and at and domain) or not _PLAIN_ADDRESS.fullmatch(email) or bool(bracket) != text.endswith(">"):
        raise ValueError("must be an address such as Shop <shop@example.com>")
    refuse_line_breaks("the sender", text)
    return Sender(name.strip().strip('"') or otherwise, email)


def envelope_address(email: str) -> str:
    """The e-mail address as servers know it: host names in ASCII."""
    local, _, domain = email.rpartition("@")
    return f"{local}@{domain if domain.isascii() else domain.encode('idna').decode()}"


def to_bytes(email: Email, sender: Sender, now: Instant) -> bytes:
    """The whole e-mail. Everything that is not plain text is encoded, so no name or subject can inject a header."""
    boundary = secrets.token_hex(16)
    headers = [
        ("From", _address(email.from_name or sender.name, sender.email)),
        ("To", _address(email.to_name, envelope_address(email.to_email))),
        ("Subject", _words(email.subject)),
        ("Date", format_datetime(utc(now))),
        ("Message-ID", f"<{email.message_id}@{sender.domain}>"),
        *([("Reply-To", _address("", envelope_address(email.reply_to)))] if email.reply_to else []),
        *email.headers,
        ("MIME-Version", "1.0"),
        ("Content-Type", f'multipart/alternative; boundary="{boundary}"'),
    ]
    parts = (_part("plain", email.text), _part("html", email.html))
    body = b"".join(b"--" + boundary.encode() + b"\r\n" + part + b"\r\n" for part in parts)
    return "".join(map(_line, headers)).encode() + b"\r\n" + body + b"--" + boundary.encode() + b"--\r\n"


def _line(header: tuple[str, str]) -> str:
    name, value = header
    # Folded by us if it is long: a break is always followed by a space.
    refuse_line_breaks(name, value.replace("\r\n ", ""))
    return f"{name}: {value}\r\n"


def _address(name: str, email: str) -> str:
    refuse_line_breaks("an address", email)
    if not name:
        return email
    if _is_plain(name):
        escaped = name.replace("\\", "\\\\").replace('"', '\\"')
        return f'"{escaped}" <{email}>'
    return f"{_words(name)}\r\n <{email}>"


def _words(text: str) -> str:
    refuse_line_breaks("a header", text)
    return text if _is_plain(text) else Header(text, "utf-8").encode(linesep="\r\n")


def _is_plain(text: str) -> bool:
    """Whether it is ASCII, short, and not something a reader would decode."""
    return text.isascii() and text.isprintable() and len(text) <= _MAX_WORD and "=?" not in text


def _part(kind: str, text: str) -> bytes:
    lines = text.replace("\r\n", "\n").replace("\r", "\n").replace("\n", "\r\n")
    head = f"Content-Type: text/{kind}; charset=utf-8\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\n"
    return head.encode() + binascii.b2a_qp(lines.encode(), istext=True)
