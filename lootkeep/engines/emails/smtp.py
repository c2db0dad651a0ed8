"""E-mail over SMTP: a connection that stays open between e-mails, and a reason as text for each rejection."""

from __future__ import annotations

import asyncio
import ipaddress
import re
import ssl
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Literal
from urllib.parse import parse_qs, quote, unquote, urlsplit

import aiosmtplib
from aiosmtplib import SMTPResponseException

from lootkeep.domain.emails import DEADLINE_SECONDS, Email, SendResult
from lootkeep.engines.emails.message import Sender, envelope_address, to_bytes
from lootkeep.kernel.clock import Clock

StartTls = Literal["auto", "required", "never"]

_ENHANCED = re.compile(r"([245])\.(\d{1,3})\.(\d{1,3})\b")
# Without an enhanced code: no such mailbox, moved, and name not allowed.
_BOUNCES = (550, 551, 553)
_SHOWN_CHARACTERS = 200
_QUIT_SECONDS = 2.0
_PORTS = {"smtp": 25, "smtps": 465}


@dataclass(frozen=True, slots=True)
class SmtpServer:
    """The mail server and how to connect to it."""

    host: str
    port: int
    user: str | None = None
    password: str | None = field(default=None, repr=False)
    is_tls: bool = False
    starttls: StartTls = "auto"


def parse_server(url: str) -> SmtpServer:
    """`smtp://USER:PASSWORD@HOST:PORT?starttls=auto`; anything else is a ValueError that ends a sentence."""
    parts = urlsplit(url)
    options = parse_qs(parts.query, keep_blank_values=True)
    starttls = options.pop("starttls", ["auto"])[-1]
    try:
        port = parts.port
    except ValueError:
        port = 0
    if parts.scheme not in _PORTS or not parts.hostname or port == 0 or parts.path not in ("", "/") or options:
        raise ValueError("must be smtp://USER:PASSWORD@HOST:PORT, or smtps:// with TLS from the start")
    if starttls not in ("auto", "required", "never"):
        raise ValueError("must have a starttls of auto, required or never")
    user = unquote(parts.username) if parts.username else None
    password = unquote(parts.password) if parts.password else None
    is_tls = parts.scheme == "smtps"
    if is_tls:
        starttls = "never"
    elif user and starttls == "auto" and not _is_loopback(parts.hostname):
        # A password never crosses a network unencrypted unless the operator says so.
        starttls = "required"
    return SmtpServer(parts.hostname, port or _PORTS[parts.scheme], user, password, is_tls, starttls)  # type: ignore[arg-type]


def server_url(server: SmtpServer) -> str:
    """What `parse_server` reads."""
    login = f"{quote(server.user, safe='')}:{quote(server.password or '', safe='')}@" if server.user else ""
    host = f"[{server.host}]" if ":" in server.host else server.host
    options = "" if server.is_tls else f"?starttls={server.starttls}"
    return f"{'smtps' if server.is_tls else 'smtp'}://{login}{host}:{server.port}{options}"


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


class SmtpMailer:
    """One e-mail at a time. The connection is opened on first use, and again if the server has closed it."""

    def __init__(
        self,
        server: SmtpServer,
        sender: Sender,
        clock: Clock,
        *,
        tls: ssl.SSLContext | None = None,
        deadline: float = DEADLINE_SECONDS,
    ) -> None:
        self._server = server
        self._sender = sender
        self._clock = clock
        self._tls = tls
        self._deadline = deadline
        self._client: aiosmtplib.SMTP | None = None

    async def send(self, email: Email) -> SendResult:
        transfer = _Transfer()
        try:
            raw = to_bytes(email, self._sender, self._clock.now())
        except (ValueError, LookupError):
            return SendResult("refused", "the e-mail cannot be built: an e-mail address or a header is not valid")
        try:
            async with asyncio.timeout(self._deadline):
                return await self._hand_over(email, raw, transfer)
        except SMTPResponseException as error:
            return await self._rejection(error, transfer)
        except (aiosmtplib.SMTPException, OSError, TimeoutError, ValueError) as error:
            self._drop()
            reason = _failure_text(error, self._deadline)
            if transfer.has_begun:
                return SendResult("deferred", f"{reason} before the server confirmed the e-mail", perhaps_sent=True)
            return SendResult("unreachable", reason)
        except asyncio.CancelledError:
            self._drop()
            raise

    async def check(self) -> str | None:
        """Connects and signs in."""
        try:
            async with asyncio.timeout(self._deadline):
                await (await self._connected()).noop()
        except SMTPResponseException as error:
            return _words(error)
        except (aiosmtplib.SMTPException, OSError, TimeoutError, ValueError) as error:
            return _failure_text(error, self._deadline)
        return None

    async def close(self) -> None:
        client, self._client = self._client, None
        if client and client.is_connected:
            with suppress(aiosmtplib.SMTPException, OSError, TimeoutError):
                await client.quit(timeout=_QUIT_SECONDS)
            client.close()

    async def _hand_over(self, email: Email, raw: bytes, transfer: _Transfer) -> SendResult:
        client = await self._begin(email)
        if client is None:
            return SendResult("refused", "the mail server does not accept e-mail addresses with non-ASCII characters")
        transfer.stage = "recipient"
        await client.rcpt(envelope_address(email.to_email), encoding="utf-8")
        transfer.stage = "content"
        transfer.has_begun = True
        answer = await client.data(raw)
        return SendResult("sent", answer=f"{answer.code} {_clean(answer.message)}, {_security(client)}")

    async def _begin(self, email: Email) -> aiosmtplib.SMTP | None:
        """A connection that has accepted the sender. An idle one may be dead: then a new one is opened, once."""
        was_idle = self._client is not None and self._client.is_connected
        client = await self._connected()
        options = [] if envelope_address(email.to_email).isascii() else ["SMTPUTF8"]
        if options and not client.supports_extension("smtputf8"):
            return None
        try:
            await client.mail(self._sender.email, options=options)
        except (aiosmtplib.SMTPServerDisconnected, SMTPResponseException) as error:
            if not was_idle or (isinstance(error, SMTPResponseException) and error.code != 421):
                raise
            self._drop()
            client = await self._connected()
            await client.mail(self._sender.email, options=options)
        return client

    async def _connected(self) -> aiosmtplib.SMTP:
        if self._client and self._client.is_connected:
            return self._client
        server = self._server
        client = aiosmtplib.SMTP(
            hostname=server.host,
            port=server.port,
            username=server.user,
            password=server.password,
            local_hostname=self._sender.domain,
            timeout=self._deadline,
            use_tls=server.is_tls,
            start_tls=None if server.starttls == "auto" else server.starttls == "required",
            tls_context=self._tls,
        )
        await client.connect()
        self._client = client
        return client

    async def _rejection(self, error: SMTPResponseException, transfer: _Transfer) -> SendResult:
        """The server responded: the connection can be used for the next e-mail, unless the server ends it."""
        await self._reset(error)
        # Errors about the sender concern every e-mail.
        if error.code == 421 or transfer.stage == "sender":
            return SendResult("unreachable", _words(error))
        if error.code >= 500:
            return SendResult("refused", _words(error), is_bounce=transfer.stage == "recipient" and _is_bounce(error))
        return SendResult("deferred", _words(error))

    async def _reset(self, error: SMTPResponseException) -> None:
        client = self._client
        if client is None or error.code == 421:
            self._drop()
            return
        try:
            await client.rset(timeout=_QUIT_SECONDS)
        except (aiosmtplib.SMTPException, OSError, TimeoutError):
            self._drop()

    def _drop(self) -> None:
        client, self._client = self._client, None
        if client:
            client.close()


@dataclass(slots=True)
class _Transfer:
    """How far an e-mail has got: up to `content` the server cannot have accepted it."""

    stage: Literal["sender", "recipient", "content"] = "sender"
    has_begun: bool = False


def _is_bounce(error: SMTPResponseException) -> bool:
    """The mailbox does not exist; a rejection for other reasons says nothing about the e-mail address."""
    match = _ENHANCED.search(error.message)
    if match is None:
        return error.code in _BOUNCES
    subject, detail = int(match[2]), int(match[3])
    return subject == 1 or (subject == 2 and detail == 1)


def _clean(message: str) -> str:
    text = " ".join(str(message).split())[:_SHOWN_CHARACTERS]
    return "".join(character if character.isprintable() else "\ufffd" for character in text)


def _security(client: aiosmtplib.SMTP) -> str:
    """`over TLSv1.3`."""
    tls = client.get_transport_info("ssl_object")
    return f"over {tls.version()}" if tls else "not encrypted"


def _words(error: SMTPResponseException) -> str:
    clean = _clean(error.message)
    return f"the mail server answered {error.code}: {clean}" if clean else f"the mail server answered {error.code}"


def _failure_text(error: BaseException, deadline: float) -> str:
    """Why there was no response, as a sentence."""
    cause = error.__cause__ or error
    if isinstance(cause, ssl.SSLCertVerificationError):
        return "the mail server's certificate is not trusted"
    if isinstance(cause, ssl.SSLError) or "TLS" in str(error):
        return "a TLS connection to the mail server could not be established"
    if isinstance(error, TimeoutError):
        return f"the mail server did not answer within {deadline:g} s"
    if isinstance(error, aiosmtplib.SMTPConnectError) or isinstance(cause, ConnectionRefusedError):
        return "the mail server cannot be reached"
    if isinstance(error, aiosmtplib.SMTPServerDisconnected | ConnectionError):
        return "the mail server closed the connection"
    return "the mail server could not be used"
