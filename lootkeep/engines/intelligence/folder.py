"""The operator's folder: what was read, what was rejected, and what has changed since."""

from __future__ import annotations

import os
from pathlib import Path

import msgspec

from lootkeep.engines.intelligence import recognition
from lootkeep.engines.intelligence.opening import MAX_TEXT, opened
from lootkeep.engines.intelligence.sources import FileChanging, Rejected, Source


class Rejection(msgspec.Struct, frozen=True):
    """A file that is not used, and why; an earlier version of it may still be."""

    file: str
    sentence: str


# Identifies a changed file; the inode's time changes with its permissions too.
Stamp = tuple[int, int, int, int]


def stamp_of(status: os.stat_result) -> Stamp:
    return status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_ino


class _Entry(msgspec.Struct, frozen=True):
    # None: read it again at the next check.
    stamp: Stamp | None
    source: Source | None
    rejection: Rejection | None


class Folder:
    """Not thread-safe: the caller of `look` must ensure one thread at a time."""

    def __init__(self, path: Path | None, max_text: int = MAX_TEXT) -> None:
        self._path = path
        self._max_text = max_text
        self._entries: dict[str, _Entry] = {}
        self._problem: Rejection | None = None

    @property
    def sources(self) -> list[Source]:
        return [entry.source for entry in self._entries.values() if entry.source]

    @property
    def rejections(self) -> list[Rejection]:
        problems = [self._problem] if self._problem else []
        return problems + [entry.rejection for entry in self._entries.values() if entry.rejection]

    def look(self) -> bool:
        """Reads new and changed files; True if there were any."""
        if self._path is None:
            return False
        try:
            names = sorted(os.listdir(self._path))
        except OSError as error:
            return self._lose(error)
        self._problem = None
        current = {name: self._entry(self._path / name) for name in names if not recognition.is_ignored(name)}
        entries = {name: entry for name, entry in current.items() if entry}
        changed = list(entries.items()) != list(self._entries.items())
        self._entries = entries
        return changed

    def _lose(self, error: OSError) -> bool:
        """A folder that never existed has no lists; a folder that disappeared may come back."""
        if not self._entries or self._problem:
            return False
        reason = error.strerror or str(error)
        self._problem = Rejection(str(self._path), f"cannot be read ({reason}); the previous data stays in use.")
        return True

    def _entry(self, path: Path) -> _Entry | None:
        """None for folders, and for files that are gone."""
        before = self._entries.get(path.name)
        stamp = None
        try:
            stamp = stamp_of(path.stat())
            if path.is_dir():
                return None
            if before and before.stamp == stamp:
                return before
            with opened(path, path.name, self._max_text) as file:
                source = recognition.read(file)
            return _Entry(stamp_of(file.status), source, None)
        except FileNotFoundError:
            return None
        except OSError as error:
            reason = f"cannot be read ({error.strerror})"
        except Rejected as rejected:
            stamp = None if isinstance(rejected, FileChanging) else stamp
            reason = str(rejected)
        except Exception as error:
            # An unexpected error of a reader is an error of the file: the first order must not fail.
            reason = f"cannot be read ({type(error).__name__})"
        old = before.source if before else None
        stays = "; the previous data stays in use" if old else ""
        return _Entry(stamp, old, Rejection(path.name, f"{reason}{stays}."))
