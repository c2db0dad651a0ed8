"""What an export says about itself: of which store and moment it is, and what its files contain."""

from __future__ import annotations

from typing import Annotated, Any

import msgspec

FORMAT = 1

# Databases have 64 bits for it.
_Id = Annotated[int, msgspec.Meta(ge=0, le=2**63 - 1)]


class TableFile(msgspec.Struct, frozen=True):
    rows: int
    bytes: int
    sha256: str


class Manifest(msgspec.Struct, frozen=True):
    format: int
    lootkeep: str
    # The stamp of the tables.
    tables_version: str
    exported_at: str
    engine: str
    # Which key opens the sealed values; either of two during a rotation.
    key_marks: list[str]
    has_secrets: bool
    # What was selected; empty for a whole store.
    selection: dict[str, Any]
    # The last id that each table gave out, maybe that of a row that is gone.
    last_ids: dict[str, _Id] = {}
    tables: dict[str, TableFile] = {}
