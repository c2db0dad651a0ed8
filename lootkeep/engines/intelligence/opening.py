"""Opening a file that someone may be writing or replacing: hashed while it is read, refused when too large."""

from __future__ import annotations

import gzip
import hashlib
import io
import os
import re
import stat
import zlib
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import IO, NamedTuple

from lootkeep.engines.intelligence.sources import Rejected, Unsettled
from lootkeep.kernel.clock import Instant, instant

# The largest text that is read, unpacked: a table of all networks has about 60 MB. Databases are not unpacked.
LARGEST_TEXT = 256 << 20
LARGEST_DATABASE = 2 << 30

_HEAD_BYTES = 4096
# The first line of a list that `lootkeep fraud lists refresh` wrote.
_SEAL = re.compile(rb"# lootkeep list sha256=([0-9a-f]{64}) date=(\S{1,40}) ")


class Stamp(NamedTuple):
    """By which a changed file is known; the time of its inode tells of new permissions too."""

    size: int
    modified: int
    changed: int
    inode: int

    @classmethod
    def of(cls, status: os.stat_result) -> Stamp:
        return cls(status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_ino)


class Opened:
    """A file under its name, readable as bytes or as lines."""

    def __init__(self, name: str, raw: IO[bytes], largest_text: int) -> None:
        self.name = name
        self.status = os.fstat(raw.fileno())
        self._raw = raw
        self._hashing = _Hashing(raw)
        self._bytes = io.BufferedReader(self._hashing, 1 << 16)
        self._largest_text = largest_text
        self._sealed_date: Instant | None = None

    @property
    def checksum(self) -> str:
        return self._hashing.digest.hexdigest()

    @property
    def dated(self) -> Instant:
        """When it was fetched if it says so, else when it was written."""
        return self._sealed_date or Instant(self.status.st_mtime_ns // 1000)

    def head(self) -> bytes:
        """The beginning, unpacked, without reading on."""
        start = self._bytes.peek(_HEAD_BYTES)
        if not self._is_packed:
            return start[:_HEAD_BYTES]
        with suppress(zlib.error):
            return zlib.decompressobj(wbits=31).decompress(start, _HEAD_BYTES)
        return b""

    def tail(self, length: int) -> bytes:
        """The end, without moving on to it."""
        return os.pread(self._raw.fileno(), length, max(0, self.status.st_size - length))

    def blocks(self) -> Iterator[bytes]:
        while block := self._bytes.read(1 << 20):
            yield block

    def lines(self) -> Iterator[str]:
        """Every line; a sealed list that is not what was fetched is refused at its end."""
        lines = self._raw_lines()
        first = next(lines, b"")
        seal = _SEAL.match(first)
        if seal is None:
            yield first.decode("utf-8-sig", "replace")
            yield from (line.decode("utf-8", "replace") for line in lines)
            return
        self._sealed_date = _moment(seal[2])
        digest = hashlib.sha256()
        for line in lines:
            digest.update(line)
            yield line.decode("utf-8", "replace")
        if digest.hexdigest().encode() != seal[1]:
            raise Rejected(
                "does not match the checksum in its first line: it was cut short or edited. "
                "Fetch it again, or remove that line to use the file as it is"
            )

    @property
    def _is_packed(self) -> bool:
        return self.name.lower().endswith(".gz")

    def _raw_lines(self) -> Iterator[bytes]:
        source = gzip.GzipFile(fileobj=self._bytes) if self._is_packed else self._bytes
        left = self._largest_text
        try:
            while line := source.readline(left + 1):
                left -= len(line)
                if left < 0:
                    raise Rejected(f"has more than {self._largest_text >> 20} MiB of text")
                yield line
        except (EOFError, zlib.error, gzip.BadGzipFile):
            raise Rejected("cannot be unpacked: it is cut short or damaged") from None


@contextmanager
def opened(path: Path, name: str, largest_text: int = LARGEST_TEXT) -> Iterator[Opened]:
    """Raises when the file cannot be read, and at the end when it changed meanwhile."""
    try:
        # A pipe would make us wait for who writes it.
        with open(os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC), "rb", buffering=0) as raw:
            before = os.fstat(raw.fileno())
            if not stat.S_ISREG(before.st_mode):
                raise Rejected("is not a file")
            yield Opened(name, raw, largest_text)
            after = os.fstat(raw.fileno())
    except OSError as error:
        raise Rejected(f"cannot be read ({error.strerror or error})") from None
    if (before.st_size, before.st_mtime_ns) != (after.st_size, after.st_mtime_ns):
        raise Unsettled("was written to while it was read; it is read again in a moment")


class _Hashing(io.RawIOBase):
    def __init__(self, raw: IO[bytes]) -> None:
        self._raw = raw
        self.digest = hashlib.sha256()

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        block = self._raw.read(len(buffer))
        self.digest.update(block)
        buffer[: len(block)] = block
        return len(block)


def _moment(text: bytes) -> Instant | None:
    with suppress(ValueError):
        return instant(datetime.fromisoformat(text.decode("ascii", "replace")).astimezone(UTC))
    return None
