"""Files that only their owner can read, and that are on disk before anyone relies on them."""

from __future__ import annotations

import fcntl
import hashlib
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import mkstemp

from lootkeep.kernel.errors import StartupError

# Of what is not complete yet.
DRAFT = ".part"


def create(file: Path) -> None:
    """An empty file that only its owner can read; an existing file is never overwritten."""
    try:
        os.close(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
    except FileExistsError:
        raise StartupError(f"{file} exists. Give another name.") from None
    except OSError as error:
        raise StartupError(f"{file} cannot be written ({error.strerror}).") from None


@contextmanager
def written(file: Path, *, replace: bool = False) -> Iterator[Path]:
    """A temporary name next to a new file, which gets its own name when it is complete and on disk."""
    if file.exists() and not replace:
        raise StartupError(f"{file} exists. Give another name.")
    try:
        descriptor, name = mkstemp(prefix=f".{file.name}.", suffix=DRAFT, dir=file.parent)
    except OSError as error:
        raise StartupError(f"{file} cannot be written ({error.strerror}).") from None
    os.close(descriptor)
    draft = Path(name)
    try:
        yield draft
        complete(draft, file)
    except BaseException:
        draft.unlink(missing_ok=True)
        raise


def complete(draft: Path, path: Path) -> None:
    """Gives a whole file or folder its name; both are on disk afterwards."""
    synced(draft)
    os.replace(draft, path)
    synced(path.parent)


@contextmanager
def alone_in(folder: Path) -> Iterator[None]:
    """Creates a folder, keeps a second process out of it, and removes the drafts that a killed one has left."""
    try:
        folder.mkdir(mode=0o700, exist_ok=True)
    except OSError as error:
        raise StartupError(f"{folder} cannot be written ({error.strerror}).") from None
    with locked(folder, "export"):
        for draft in folder.glob(f".*{DRAFT}"):
            draft.unlink()
        yield


@contextmanager
def locked(folder: Path, writer: str) -> Iterator[None]:
    """Inside the block nobody else has this lock, which ends with the process, however it ends."""
    try:
        descriptor = os.open(folder, os.O_RDONLY)
    except OSError as error:
        raise StartupError(f"{folder} cannot be written ({error.strerror}).") from None
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield
    except BlockingIOError:
        raise StartupError(f"Another {writer} is writing to {folder}.") from None
    finally:
        os.close(descriptor)


def secret_in(file: Path) -> str | None:
    """None if there is no such file; ValueError says what is wrong with another one.

    Spaces, line breaks and a byte order mark around it do not count: nobody sees them.
    """
    try:
        return file.read_text("utf-8-sig").strip()
    except FileNotFoundError:
        return None
    except UnicodeDecodeError:
        raise ValueError("the file must be text") from None
    except OSError as error:
        raise ValueError(f"the file cannot be read ({error.strerror})") from None


def checksum(file: Path) -> str:
    with file.open("rb") as opened:
        return hashlib.file_digest(opened, "sha256").hexdigest()


def synced(path: Path, sync: Callable[[int], None] = os.fsync) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        sync(descriptor)
    finally:
        os.close(descriptor)
