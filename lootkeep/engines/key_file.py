"""The file next to an embedded database with the secret key, for operators who do not set one."""

from __future__ import annotations

import os
import secrets
import shutil
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from lootkeep.kernel.errors import StartupError
from lootkeep.kernel.files import create, secret_in, synced

# Shorter keys can be guessed; 32 characters of randomness cannot.
MIN_KEY_LENGTH = 32
# 32 random characters, even hexadecimal ones, practically always have as many different ones; `aaaa…` has not.
_MIN_DIFFERENT = 8


def is_guessable(key: str) -> bool:
    """Long enough, but not random."""
    return len(set(key)) < _MIN_DIFFERENT


def of(database: Path) -> Path:
    return database.with_name(database.name + ".key")


def next_of(file: Path) -> Path:
    """The file with the new key while a rotation is under way."""
    return file.with_name(file.name + ".new")


def copy(database: Path, other: Path) -> None:
    """The key next to a database or its backup, unless the other one has a key already."""
    if of(database).exists() and not of(other).exists():
        create(of(other))
        shutil.copyfile(of(database), of(other))


def check_copy(database: Path, other: Path) -> None:
    """Raises if the other one has a key of its own."""
    ours, theirs = read(of(database)), read(of(other))
    if ours and theirs and ours != theirs:
        raise StartupError(f"{of(other)} is the key of another store. Move it away.")


def promote(new: Path, file: Path) -> None:
    """The new key gets the name of the current one, whether a run before this one did it or not."""
    with suppress(FileNotFoundError):
        os.replace(new, file)
    synced(file.parent)


def read(file: Path) -> str | None:
    """None if there is no such file."""
    try:
        key = secret_in(file)
    except ValueError as error:
        raise StartupError(f"{file}: {error}.") from None
    if key is not None and len(key) < MIN_KEY_LENGTH:
        raise StartupError(f"{file} contains no key. Restore it from a backup: stored secrets are encrypted with it.")
    return key


def make(file: Path, sync: Callable[[int], None] = os.fsync) -> None:
    """Writes the whole key before it gets its name: of two concurrent first starts, one creates it and both read it.

    The file and its name are on disk before anything is sealed with the key.
    """
    draft = file.with_name(f"{file.name}.{secrets.token_hex(4)}")
    descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "w") as opened_file:
        opened_file.write(secrets.token_hex(32) + "\n")
        opened_file.flush()
        sync(descriptor)
    try:
        os.link(draft, file)
    except FileExistsError:
        pass
    finally:
        draft.unlink()
    synced(file.parent, sync)
