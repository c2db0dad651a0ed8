"""The folder of an export: a file of lines per table, and the manifest that proves them complete."""

from __future__ import annotations

import fcntl
import hashlib
import os
import shutil
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import msgspec

from lootkeep import __version__
from lootkeep.engines.vault import Vault
from lootkeep.kernel import files
from lootkeep.kernel.errors import StartupError
from lootkeep.storage import migrations
from lootkeep.storage.transfer.tables import BATCH, FIELDS, Row, Selection, Source, queries
from lootkeep.toolbox.moving.records import Decoder, Encoder

FORMAT = 1
_MANIFEST = "manifest.json"

Advance = Callable[[str, int], None]


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
    last_ids: dict[str, int]
    tables: dict[str, TableFile]


@contextmanager
def drafted(folder: Path) -> Iterator[Path]:
    """A folder next to it, which gets its name when it is complete. One that was interrupted is written again:
    what was read at another moment does not fit."""
    if folder.exists():
        raise StartupError(f"{folder} exists. Give another name.")
    draft = folder.with_name(f"{folder.name}.part")
    try:
        draft.mkdir(mode=0o700, exist_ok=True)
        descriptor = os.open(draft, os.O_RDONLY)
    except OSError as error:
        raise StartupError(f"{folder} cannot be written ({error.strerror}).") from None
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        _empty(draft)
        yield draft
        files.synced(draft)
        os.replace(draft, folder)
    except BlockingIOError:
        raise StartupError(f"Another export writes {folder}.") from None
    except BaseException:
        shutil.rmtree(draft, ignore_errors=True)
        raise
    finally:
        os.close(descriptor)
    files.synced(folder.parent)


async def write(
    folder: Path,
    source: Source,
    selection: Selection,
    vault: Vault | None,
    key_marks: list[str],
    now: str,
    advance: Advance,
) -> Manifest:
    tables = {
        table: await _write_table(folder, table, source.batches(query), vault, advance)
        for table, query in queries(selection).items()
    }
    selected = {name: value for name, value in selection._asdict().items() if value}
    manifest = Manifest(
        FORMAT,
        __version__,
        await source.stamp() or "",
        now,
        source.engine,
        key_marks,
        vault is not None,
        msgspec.to_builtins(selected),
        await source.last_ids(),
        tables,
    )
    # Last: with it the folder is complete.
    with _new_file(folder / _MANIFEST) as file:
        file.write(msgspec.json.format(msgspec.json.encode(manifest), indent=2) + b"\n")
        file.flush()
        os.fsync(file.fileno())
    return manifest


async def _write_table(
    folder: Path, table: str, batches: AsyncIterator[list[Row]], vault: Vault | None, advance: Advance
) -> TableFile:
    encoder, digest, rows, size = Encoder(table, vault), hashlib.sha256(), 0, 0
    with _new_file(_path(folder, table)) as file:
        async for batch in batches:
            lines = encoder.lines(batch)
            file.write(lines)
            digest.update(lines)
            rows, size = rows + len(batch), size + len(lines)
            advance(table, len(batch))
        file.flush()
        os.fsync(file.fileno())
    return TableFile(rows, size, digest.hexdigest())


def checked(folder: Path) -> Manifest:
    """The manifest of a whole store whose files are all as they were written."""
    try:
        content = (folder / _MANIFEST).read_bytes()
        opened = msgspec.json.decode(content)
        is_newer = isinstance(opened, dict) and isinstance(opened.get("format"), int) and opened["format"] > FORMAT
        manifest = None if is_newer else msgspec.convert(opened, Manifest)
    except FileNotFoundError:
        raise StartupError(f"{folder} is not a complete export: it has no {_MANIFEST}.") from None
    except (OSError, msgspec.DecodeError, msgspec.ValidationError):
        raise StartupError(f"{folder / _MANIFEST} cannot be read: it is damaged, or of another program.") from None
    if manifest is None:
        raise StartupError(f"{folder} was exported by a newer Lootkeep. Upgrade Lootkeep first.")
    if manifest.selection:
        words = ", ".join(f"--{name}" for name in manifest.selection)
        raise StartupError(f"{folder} is only a part of a store ({words}): export it without these options.")
    if manifest.tables_version != migrations.HEAD:
        raise StartupError(
            f"{folder} was exported by Lootkeep {manifest.lootkeep}, with other tables (schema "
            f"{manifest.tables_version}, here {migrations.HEAD}). Import it with that version, and upgrade then."
        )
    for table in FIELDS:
        _check_file(_path(folder, table), manifest.tables.get(table))
    return manifest


async def rows(folder: Path, table: str, advance: Advance) -> AsyncIterator[list[Row]]:
    decoder = Decoder(table)
    batch: list[Row] = []
    with _path(folder, table).open("rb") as file:
        for number, line in enumerate(file, 1):
            try:
                batch.append(decoder.row(line))
            except (ValueError, msgspec.DecodeError) as error:
                raise StartupError(f"Line {number} of {file.name} cannot be read: {error}") from None
            if len(batch) == BATCH:
                advance(table, len(batch))
                yield batch
                batch = []
    advance(table, len(batch))
    yield batch


def _check_file(file: Path, entry: TableFile | None) -> None:
    try:
        with file.open("rb") as opened:
            digest = hashlib.file_digest(opened, "sha256").hexdigest()
    except OSError:
        raise StartupError(f"{file} is missing: the export is not complete.") from None
    if entry is None or digest != entry.sha256:
        raise StartupError(f"{file} is not as it was exported: its checksum differs. Nothing was written.")


def _path(folder: Path, table: str) -> Path:
    return folder / f"{table}.ndjson"


def _new_file(path: Path) -> Any:
    return os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb")


def _empty(folder: Path) -> None:
    for name in (_MANIFEST, *(f"{table}.ndjson" for table in FIELDS)):
        (folder / name).unlink(missing_ok=True)
