"""The file of the secret key is on disk, under its name, before anything is sealed with it."""

from __future__ import annotations

import os
import stat
from pathlib import Path

from lootkeep.engines import key_file


def test_the_key_and_its_name_are_synced_to_disk_when_a_key_is_created(tmp_path: Path) -> None:
    file = key_file.of(tmp_path / "lootkeep.db")
    disk = Disk(file)
    key_file.make(file, disk.sync)
    # The content first, whole and under another name; then the folder, when the key has its name.
    assert disk.synced == [("content", f"{key_file.read(file)}\n"), ("folder", [file.name])]


def test_a_process_that_created_no_key_syncs_the_file_name_given_by_another(tmp_path: Path) -> None:
    file = key_file.of(tmp_path / "lootkeep.db")
    key_file.make(file)
    first = key_file.read(file)
    disk = Disk(file)
    key_file.make(file, disk.sync)
    assert (key_file.read(file), disk.synced[-1]) == (first, ("folder", [file.name]))


class Disk:
    """Syncs for real, and records what each call found: after a power cut no more than that is certain to be there."""

    def __init__(self, file: Path) -> None:
        self._folder = file.parent
        self.synced: list[tuple[str, object]] = []

    def sync(self, descriptor: int) -> None:
        os.fsync(descriptor)
        status = os.fstat(descriptor)
        if stat.S_ISDIR(status.st_mode):
            assert os.path.samestat(status, self._folder.stat())
            self.synced.append(("folder", sorted(os.listdir(descriptor))))
        else:
            (path,) = [path for path in self._folder.iterdir() if os.path.samestat(status, path.stat())]
            self.synced.append(("content", path.read_text()))
