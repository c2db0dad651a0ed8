"""A folder of facts: one file for each month, and a manifest that says which of them are final."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType
from typing import Literal

import msgspec

from lootkeep.kernel import files
from lootkeep.kernel.clock import Instant
from lootkeep.kernel.errors import StartupError

Personal = Literal["none", "hashed"]

MANIFEST = "manifest.json"


class Month(msgspec.Struct, frozen=True):
    orders: int
    sha256: str
    # The outcome of every order is known as well as it will be: it is not written again.
    is_sealed: bool


# An export of the store has a manifest too, with other fields.
class Manifest(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    format: Literal[1] = 1
    personal: Personal = "none"
    # Identifies the key of the hashes: two keys give two hashes of one person.
    hash_key: str | None = None
    # The outcomes of orders are those of this time.
    as_of: Instant = Instant(0)
    # By name, such as 2026-01.
    months: dict[str, Month] = {}


def duckdb() -> ModuleType:
    try:
        import duckdb
    except ModuleNotFoundError:
        raise StartupError(
            "Facts are written and read with DuckDB, which is not installed here: run "
            "`pip install duckdb` (the extra lootkeep[facts])."
        ) from None
    return duckdb


def file_of(folder: Path, month: str) -> Path:
    return folder / f"orders-{month}.parquet"


def read_manifest(folder: Path) -> Manifest:
    try:
        return msgspec.json.decode((folder / MANIFEST).read_bytes(), type=Manifest)
    except FileNotFoundError:
        raise StartupError(
            f"{folder} has no {MANIFEST}: it is not a folder that `lootkeep export facts` has written."
        ) from None
    except OSError as error:
        raise StartupError(f"{folder} cannot be read: {error.strerror}.") from None
    except msgspec.MsgspecError:
        raise StartupError(
            f"The {MANIFEST} of {folder} cannot be read: it is damaged, of another version, or not of facts."
        ) from None


def write_manifest(folder: Path, manifest: Manifest) -> None:
    with files.written(folder / MANIFEST, replace=True) as draft:
        draft.write_bytes(msgspec.json.format(msgspec.json.encode(manifest), indent=2) + b"\n")


def is_sealed(folder: Path, manifest: Manifest, month: str) -> bool:
    """A sealed month whose file was removed is written again."""
    return month in manifest.months and manifest.months[month].is_sealed and file_of(folder, month).exists()


def altered(folder: Path, manifest: Manifest) -> list[str]:
    """The sealed months whose file is no longer the one that was sealed."""
    return [
        month
        for month, entry in manifest.months.items()
        if is_sealed(folder, manifest, month) and files.checksum(file_of(folder, month)) != entry.sha256
    ]
