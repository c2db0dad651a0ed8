"""Files that only their owner can read, and that are on disk before anyone relies on them."""

from __future__ import annotations

import os
from pathlib import Path

from lootkeep.kernel.errors import StartupError


def create(file: Path) -> None:
    """An empty file that only its owner can read; an existing file is never overwritten."""
    try:
        os.close(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
    except FileExistsError:
        raise StartupError(f"{file} exists. Give another name.") from None
    except OSError as error:
        raise StartupError(f"{file} cannot be written ({error.strerror}).") from None


def synced(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
