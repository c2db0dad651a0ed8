"""Downloads public lists: each is read and verified before it replaces the previous one."""

from __future__ import annotations

import asyncio
import hashlib
import os
import secrets
from collections.abc import Sequence
from contextlib import suppress
from datetime import UTC
from email.utils import parsedate_to_datetime
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urljoin, urlsplit

from lootkeep import __version__
from lootkeep.engines.http1 import Client, ConnectionClosed, NotHttp, Response, open_socket, target
from lootkeep.engines.intelligence import recognition
from lootkeep.engines.intelligence.opening import opened
from lootkeep.engines.intelligence.sources import Rejected, Source, SourceKind
from lootkeep.engines.proxies import proxy_from_environment
from lootkeep.engines.resolver import Resolver
from lootkeep.kernel.clock import Clock, Instant, instant, iso


class PublicList(NamedTuple):
    """A public list, and the file name under which it is stored."""

    file: str
    need: SourceKind
    url: str
    maker: str
    licence: str


_GITHUB = "https://raw.githubusercontent.com"


def _x4bnet(need: SourceKind, family: str) -> PublicList:
    url = f"{_GITHUB}/X4BNet/lists_vpn/main/output/{need}/{family}.txt"
    return PublicList(f"{need}-x4bnet-{family}.txt", need, url, "X4BNet", "MIT")


PUBLIC_LISTS = (
    PublicList(
        "tor-exits.txt",
        "tor",
        "https://check.torproject.org/torbulkexitlist",
        "the Tor Project",
        "published for anyone to use",
    ),
    _x4bnet("vpn", "ipv4"),
    _x4bnet("vpn", "ipv6"),
    _x4bnet("datacenter", "ipv4"),
    _x4bnet("datacenter", "ipv6"),
    PublicList(
        "proxy-firehol.netset",
        "proxy",
        "https://iplists.firehol.org/files/firehol_proxies.netset",
        "FireHOL",
        "each provider's own; the header of the file names them",
    ),
    PublicList(
        "disposable-domains.txt",
        "disposable",
        f"{_GITHUB}/disposable-email-domains/disposable-email-domains/main/disposable_email_blocklist.conf",
        "disposable-email-domains",
        "CC0",
    ),
)

_FIXED_HEADERS = f"User-Agent: Lootkeep/{__version__}\r\nAccept: */*\r\nAccept-Encoding: identity\r\n"
_REDIRECTS = (301, 302, 303, 307, 308)
_MAX_REDIRECTS = 3

# A list that shrinks to less than this fraction of its entries is rejected.
SHRINKS_AT_MOST = 10


class FetchLimits(NamedTuple):
    seconds: float = 60
    size: int = 64 << 20


LIMITS = FetchLimits()


class FetchResult(NamedTuple):
    file: str
    is_good: bool
    sentence: str


async def refresh(
    folder: Path, clock: Clock, lists: Sequence[PublicList] = PUBLIC_LISTS, limits: FetchLimits = LIMITS
) -> list[FetchResult]:
    """One outcome for each list; if a download or check fails, nothing changes."""
    # One byte more than allowed, to detect a list that is too large.
    client = Client(Resolver(), open_socket, limits.size + 1, proxy_for=proxy_from_environment)
    try:
        return list(await asyncio.gather(*(_refresh(client, folder, clock, item, limits) for item in lists)))
    finally:
        await client.close()


async def _refresh(client: Client, folder: Path, clock: Clock, item: PublicList, limits: FetchLimits) -> FetchResult:
    try:
        answer = await _fetch(client, item.url, limits)
        return await asyncio.to_thread(_save, folder, item, answer, clock.now())
    except Rejected as reason:
        fallback = "The previous one stays in use." if (folder / item.file).exists() else "Nothing was written."
        return FetchResult(item.file, False, f"The list of {item.maker} {reason}. {fallback}")


async def _fetch(client: Client, url: str, limits: FetchLimits) -> Response:
    try:
        async with asyncio.timeout(limits.seconds):
            answer = await _get(client, url)
    except TimeoutError:
        raise Rejected(f"cannot be downloaded: the server took more than {limits.seconds:g} seconds") from None
    except ConnectionClosed:
        raise Rejected("cannot be downloaded: the response was truncated") from None
    except OSError:
        raise Rejected(f"cannot be downloaded: {urlsplit(url).hostname} cannot be reached") from None
    except (NotHttp, ValueError) as error:
        raise Rejected(f"cannot be downloaded: the response is invalid ({type(error).__name__})") from None
    if answer.code != 200:
        raise Rejected(f"cannot be downloaded: the server responded with {answer.code}")
    if answer.headers.get(b"content-encoding", b"identity") != b"identity":
        raise Rejected("cannot be downloaded: the response is compressed, although this was not requested")
    if len(answer.beginning) > limits.size:
        raise Rejected(f"has more than {limits.size} bytes")
    return answer


async def _get(client: Client, url: str) -> Response:
    """The target of the last redirect; if there are too many, the response is itself a redirect."""
    answer = await client.request(target(url, _FIXED_HEADERS, "GET"))
    for _ in range(_MAX_REDIRECTS):
        if answer.code not in _REDIRECTS or b"location" not in answer.headers:
            break
        url = urljoin(url, answer.headers[b"location"].decode("ascii"))
        answer = await client.request(target(url, _FIXED_HEADERS, "GET"))
    return answer


def _save(folder: Path, item: PublicList, answer: Response, now: Instant) -> FetchResult:
    """Written under a temporary name, read back like any list, and only then renamed."""
    target = folder / item.file
    draft = folder / f".{item.file}.{secrets.token_hex(4)}"
    dated = min(_last_modified(answer) or now, now)
    digest = hashlib.sha256(answer.beginning).hexdigest()
    seal = f"# lootkeep list sha256={digest} date={iso(dated)} from {item.url}\n"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        _write(draft, seal.encode() + answer.beginning)
        try:
            new = _read(draft, item)
            sentence = _compared(item, target, draft, new)
            os.replace(draft, target)
        finally:
            draft.unlink(missing_ok=True)
    except OSError as error:
        raise Rejected(f"cannot be written into {folder} ({error.strerror or error})") from None
    return FetchResult(item.file, True, sentence)


def _compared(item: PublicList, target: Path, draft: Path, new: Source) -> str:
    """What changed, as text; rejects a list that has lost nearly all its entries."""
    count = new.entries[item.need] or 0
    try:
        before = _read(target, item).entries[item.need] or 0
    except Rejected:
        return f"{count:,} entries, the first time."
    if count * SHRINKS_AT_MOST < before:
        raise Rejected(f"has {count:,} entries instead of {before:,}: delete {target} if that is right")
    old_lines, new_lines = _lines(target), _lines(draft)
    added_lines, gone = len(new_lines - old_lines), len(old_lines - new_lines)
    return (
        f"{count:,} entries: {added_lines:,} new, {gone:,} removed."
        if added_lines or gone
        else f"{count:,} entries, as before."
    )


def _read(path: Path, item: PublicList) -> Source:
    with opened(path, item.file) as file:
        source = recognition.read(file)
    if item.need not in source.entries:
        raise Rejected("is another kind of list")
    return source


def _lines(path: Path) -> set[bytes]:
    return {line.strip() for line in path.read_bytes().splitlines() if line.strip() and not line.startswith(b"#")}


def _write(path: Path, content: bytes) -> None:
    with path.open("xb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())


def _last_modified(answer: Response) -> Instant | None:
    with suppress(ValueError, KeyError, TypeError):
        return instant(parsedate_to_datetime(answer.headers[b"last-modified"].decode()).astimezone(UTC))
    return None
