"""Files that only their owner can read, and that are on disk before anyone relies on them."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import mkstemp

from lootkeep.kernel.errors import StartupError


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
        descriptor, name = mkstemp(prefix=f".{file.name}.", suffix=".part", dir=file.parent)
    except OSError as error:
        raise StartupError(f"{file} cannot be written ({error.strerror}).") from None
    os.close(descriptor)
    draft = Path(name)
    try:
        yield draft
        synced(draft)
        os.replace(draft, file)
    except BaseException:
        draft.unlink(missing_ok=True)
        raise
    synced(file.parent)


def synced(path: Path, sync: Callable[[int], None] = os.fsync) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        sync(descriptor)
    finally:
        os.close(descriptor)
