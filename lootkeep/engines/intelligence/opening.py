"""Opens a file that another program may be writing or replacing, and reads it within a limit."""

from __future__ import annotations

import gzip
import hashlib
import os
import re
import stat
import zlib
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from io import BufferedReader
from pathlib import Path

from lootkeep.engines.intelligence.sources import FileChanging, Rejected
from lootkeep.kernel.clock import Instant, instant

# The maximum size of a text, unpacked: a table of all networks has about 60 MB. Databases are not unpacked.
MAX_TEXT = 256 << 20

_HEAD_BYTES = 4096
# The first line of a list that `lootkeep fraud lists refresh` wrote.
_SEAL = re.compile(rb"# lootkeep list sha256=([0-9a-f]{64}) date=(\S{1,40}) ")


class Opened:
    """A file under its name, readable as bytes or as lines."""

    def __init__(self, name: str, raw: BufferedReader, max_text: int) -> None:
        self.name = name
        self.raw = raw
        self.status = os.fstat(raw.fileno())
        # Its date from the content, or else its modification time.
        self.dated = Instant(self.status.st_mtime_ns // 1000)
        self.line_number = 0
        self._is_packed = name.lower().endswith(".gz")
        self._max_text = max_text

    def checksum(self) -> str:
        """Call it after reading everything."""
        self.raw.seek(0)
        return hashlib.file_digest(self.raw, "sha256").hexdigest()

    def head(self) -> bytes:
        """The beginning, unpacked, without moving the position."""
        start = os.pread(self.raw.fileno(), _HEAD_BYTES, 0)
        if not self._is_packed:
            return start
        with suppress(zlib.error):
            return zlib.decompressobj(wbits=31).decompress(start, _HEAD_BYTES)
        return b""

    def tail(self, length: int) -> bytes:
        """The end, without moving the position."""
        return os.pread(self.raw.fileno(), length, max(0, self.status.st_size - length))

    def lines(self) -> Iterator[str]:
        """Every line; a downloaded list that was edited is rejected at its end."""
        lines = self._raw_lines()
        first = next(lines, b"")
        digest, seal = hashlib.sha256(), _SEAL.match(first)
        if seal is None:
            yield first.decode("utf-8-sig", "replace")
        else:
            self.line_number = 0
            with suppress(ValueError):
                self.dated = instant(datetime.fromisoformat(seal[2].decode("ascii", "replace")).astimezone(UTC))
        for line in lines:
            if seal:
                digest.update(line)
            yield line.decode("utf-8", "replace")
        if seal and digest.hexdigest().encode() != seal[1]:
            raise Rejected(
                "does not match the checksum in its first line: it was truncated or edited. Download it again, or "
                "remove that line to use the file as it is"
            )

    def _raw_lines(self) -> Iterator[bytes]:
        source = gzip.GzipFile(fileobj=self.raw) if self._is_packed else self.raw
        left = self._max_text
        try:
            while line := source.readline(left + 1):
                left -= len(line)
                self.line_number += 1
                if left < 0:
                    raise Rejected(f"has more than {self._max_text >> 20} MiB of text")
                yield line
        except (EOFError, zlib.error, gzip.BadGzipFile):
            raise Rejected("cannot be decompressed: it is truncated or damaged") from None


@contextmanager
def opened(path: Path, name: str, max_text: int = MAX_TEXT) -> Iterator[Opened]:
    """Raises if the file cannot be read, or at the end if it changed meanwhile."""
    try:
        # Otherwise opening a pipe would wait for a writer.
        with open(os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC), "rb") as raw:
            before = os.fstat(raw.fileno())
            if not stat.S_ISREG(before.st_mode):
                raise Rejected("is not a file")
            yield Opened(name, raw, max_text)
            after = os.fstat(raw.fileno())
    except OSError as error:
        raise Rejected(f"cannot be read ({error.strerror or error})") from None
    if (before.st_size, before.st_mtime_ns) != (after.st_size, after.st_mtime_ns):
        raise FileChanging("was written to while it was read; it is read again in a moment")
