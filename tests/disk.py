"""A disk that is full, for files that would have to grow."""

from __future__ import annotations

import resource
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def full_disk(database: Path) -> Iterator[None]:
    """Inside the block no file of this process and its children grows beyond what the database's log has now.

    The system's own limit on the size of files: the write fails in the kernel, as on a disk without room.
    """
    log = database.with_name(f"{database.name}-wal")
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (log.stat().st_size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
