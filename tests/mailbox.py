"""A real mail server for tests: it records what it accepts, and fails for some addresses as servers do."""

from __future__ import annotations

import asyncio
import email
import ssl
import warnings
from dataclasses import dataclass, field
from email.header import decode_header, make_header
from email.message import EmailMessage
from email.policy import SMTP as POLICY, SMTPUTF8
from email.utils import getaddresses
from typing import Any

from aiosmtpd.smtp import SMTP, AuthResult, Envelope, LoginPassword

# The answers to RCPT by the start of the address.
REJECTIONS = {
    "gone": "550 5.1.1 no such user",
    "plain": "550 unknown",
    "policy": "550 5.7.1 not today",
    "full": "452 4.2.2 mailbox full",
    "greylist": "451 try again later",
    "bye": "421 closing",
}
# And the answers to DATA.
CONTENT_REJECTIONS = {"spam": "554 5.7.1 looks like spam", "busy": "451 4.3.0 busy"}


@dataclass
class ReceivedEmail:
    """An e-mail that arrived: its envelope and the parsed message."""

    sender: str
    recipients: list[str]
    raw: bytes

    @property
    def message(self) -> EmailMessage:
        return email.message_from_bytes(self.raw, policy=SMTPUTF8 if self._is_utf8 else POLICY)

    @property
    def _is_utf8(self) -> bool:
        return any(not recipient.isascii() for recipient in self.recipients)

    def names(self, header: str) -> list[tuple[str, str]]:
        """Names and mailboxes of a header, decoded as its standard says."""
        raw = email.message_from_bytes(self.raw)[header]
        return [(str(make_header(decode_header(name))), mailbox) for name, mailbox in getaddresses([raw])]

    def part(self, kind: str) -> str:
        part = self.message.get_body((kind,))
        assert part is not None
        return str(part.get_content()).replace("\r\n", "\n")


@dataclass
class MailServer:
    """Listens on loopback while it is entered."""

    tls: ssl.SSLContext | None = None
    is_tls_from_the_start: bool = False
    password: str | None = None
    sender_rejection: str | None = None
    takes_utf8: bool = True
    arrived: list[ReceivedEmail] = field(default_factory=list)
    connections: int = 0
    # Set while an e-mail hangs: the server never answers.
    hanging: asyncio.Event = field(default_factory=asyncio.Event)
    released: asyncio.Event = field(default_factory=asyncio.Event)
    _server: asyncio.Server | None = None

    async def __aenter__(self) -> MailServer:
        self._server = await asyncio.get_running_loop().create_server(
            self._session, "127.0.0.1", 0, ssl=self.tls if self.is_tls_from_the_start else None
        )
        return self

    async def __aexit__(self, *_: object) -> None:
        assert self._server
        self.released.set()
        self._server.close()
        for session in self._sessions:
            _abort(session)

    def __post_init__(self) -> None:
        self._sessions: list[Any] = []

    @property
    def port(self) -> int:
        assert self._server
        return int(self._server.sockets[0].getsockname()[1])

    @property
    def url(self) -> str:
        return f"smtp://127.0.0.1:{self.port}"

    def drop_connections(self) -> None:
        for session in self._sessions:
            if session.transport:
                session.transport.close()

    def to(self, recipient: str) -> list[ReceivedEmail]:
        return [email for email in self.arrived if recipient in email.recipients]

    def _session(self) -> SMTP:
        self.connections += 1
        with warnings.catch_warnings():
            # It knows no TLS but its own, and warns of passwords without.
            warnings.simplefilter("ignore")
            session = SMTP(
                self,
                hostname="mail.test",
                tls_context=None if self.is_tls_from_the_start else self.tls,
                enable_SMTPUTF8=self.takes_utf8,
                auth_required=self.password is not None,
                auth_require_tls=False,
                authenticator=self._authenticate if self.password is not None else None,
                loop=asyncio.get_running_loop(),
            )
        self._sessions.append(session)
        return session

    def _authenticate(self, _: Any, __: Any, ___: Any, ____: str, data: Any) -> AuthResult:
        is_right = isinstance(data, LoginPassword) and data.password == (self.password or "").encode()
        return AuthResult(success=is_right, handled=False)

    async def handle_MAIL(  # noqa: N802  aiosmtpd's name
        self, server: SMTP, _: Any, envelope: Envelope, email: str, options: list[str]
    ) -> str:
        if self.sender_rejection:
            return self.sender_rejection
        envelope.mail_from = email
        envelope.mail_options.extend(options)
        return "250 OK"

    async def handle_RCPT(  # noqa: N802
        self, server: SMTP, _: Any, envelope: Envelope, email: str, options: list[str]
    ) -> str:
        word = email.partition("@")[0]
        if word == "vanish":
            _abort(server)
        if word in REJECTIONS:
            return REJECTIONS[word]
        envelope.rcpt_tos.append(email)
        return "250 OK"

    async def handle_DATA(self, server: SMTP, _: Any, envelope: Envelope) -> str:  # noqa: N802
        word = envelope.rcpt_tos[0].partition("@")[0]
        if word in CONTENT_REJECTIONS:
            return CONTENT_REJECTIONS[word]
        content = envelope.content
        assert isinstance(content, bytes)
        self.arrived.append(ReceivedEmail(envelope.mail_from or "", list(envelope.rcpt_tos), content))
        if word == "hang":
            self.hanging.set()
            await self.released.wait()
        if word == "drop":
            _abort(server)
        return "250 OK"


def _abort(session: SMTP) -> None:
    if isinstance(session.transport, asyncio.Transport):
        session.transport.abort()
