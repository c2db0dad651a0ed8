"""What a connector is about to run and what came of it, written to a file before anything else happens."""

from __future__ import annotations

import fcntl
import hashlib
import os
from collections.abc import Iterable
from pathlib import Path
from typing import NoReturn

import msgspec
from msgspec.structs import replace

from lootkeep.kernel.errors import StartupError

# Ids of commands that were reported. The store forgets none, but hands out again only what a lease or a backup has
# brought back, and that is younger than this many commands.
_KEPT = 10_000
_LOST = "The connector ended while this command ran. "
UNKNOWN = "Nobody can know whether it was run: look in the game, then send it again or leave it."


class Outcome(msgspec.Struct, frozen=True, omit_defaults=True):
    """What became of a command. Without `retry` a failure is final."""

    ok: bool
    output: str = ""
    retry: bool = True


class _Entry(msgspec.Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """What is known of a command, and a line of the file: the last line of an id counts."""

    id: int
    # Shows whether it is the same command: another store has the same ids.
    text: str
    # None while it runs.
    outcome: Outcome | None = None
    is_reported: bool = False

    @property
    def may_run_again(self) -> bool:
        """The store knows of the failure, and hands the command out for another try."""
        return self.is_reported and self.outcome is not None and not self.outcome.ok and self.outcome.retry


class Journal:
    """Used by one process at a time. The file only grows while it works, so a crash cannot corrupt it."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._entries: dict[int, _Entry] = {}
        try:
            self._lock = _locked(path)
            for line in _read(path):
                self._entries[line.id] = line
            for entry in list(self._entries.values()):
                if entry.outcome is None:
                    self._entries[entry.id] = replace(entry, outcome=Outcome(False, _LOST + UNKNOWN, retry=False))
            self._compact()
        except OSError as error:
            self._give_up(error)

    def must_not_run(self, command_id: int, text: str) -> bool:
        """Whether it was run before, or perhaps was: then only its outcome is reported again."""
        entry = self._entries.get(command_id)
        return entry is not None and entry.text == _digest(text) and not entry.may_run_again

    def begin(self, command_id: int, text: str) -> None:
        # The newest is the last to be forgotten.
        self._entries.pop(command_id, None)
        self._write([_Entry(command_id, _digest(text))])

    def end(self, command_id: int, outcome: Outcome) -> None:
        self._write([replace(self._entries[command_id], outcome=outcome)])

    def mark_reported(self, command_ids: Iterable[int], *, is_reported: bool = True) -> None:
        self._write([replace(self._entries[command_id], is_reported=is_reported) for command_id in command_ids])

    def unreported(self) -> list[tuple[int, Outcome]]:
        return [
            (entry.id, entry.outcome)
            for entry in self._entries.values()
            if entry.outcome is not None and not entry.is_reported
        ]

    def close(self) -> None:
        os.close(self._file)
        os.close(self._lock)

    def _write(self, entries: list[_Entry]) -> None:
        """Returns when the disk has it."""
        try:
            _write_all(self._file, entries)
            self._entries |= {entry.id: entry for entry in entries}
            self._lines += len(entries)
            if self._lines > 4 * _KEPT:
                os.close(self._file)
                self._compact()
        except OSError as error:
            self._give_up(error)

    def _compact(self) -> None:
        """Forgets the oldest of what was reported, and begins a new file."""
        settled = [entry.id for entry in self._entries.values() if entry.is_reported]
        for command_id in settled[:-_KEPT]:
            del self._entries[command_id]
        new = self._path.with_name(self._path.name + ".new")
        self._file = os.open(new, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_APPEND, 0o600)
        _write_all(self._file, self._entries.values())
        new.replace(self._path)
        _sync_folder(self._path)
        self._lines = len(self._entries)

    def _give_up(self, error: OSError) -> NoReturn:
        """Nothing is run that could not be written down first."""
        raise StartupError(f"The journal {self._path} cannot be used: {error.strerror}.") from None


def _locked(path: Path) -> int:
    lock = os.open(path.with_name(path.name + ".lock"), os.O_WRONLY | os.O_CREAT, 0o600)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(lock)
        raise StartupError(f"Another connector uses the journal {path}: give each its own with --journal.") from None
    return lock


def _read(path: Path) -> list[_Entry]:
    content = path.read_bytes() if path.exists() else b""
    # The text after the last line feed was being written when the process ended.
    complete = content.splitlines()[: content.count(b"\n")]
    try:
        return [msgspec.json.decode(line, type=_Entry) for line in complete]
    except ValueError:
        raise StartupError(f"{path} was not written by `lootkeep connect`: use another file.") from None


def _write_all(file: int, entries: Iterable[_Entry]) -> None:
    data = b"".join(msgspec.json.encode(entry) + b"\n" for entry in entries)
    while data:
        data = data[os.write(file, data) :]
    os.fsync(file)


def _sync_folder(path: Path) -> None:
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:16]
