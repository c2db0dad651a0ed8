"""The folder of an export: a file of lines per table, and the manifest that proves them complete."""

from __future__ import annotations

import shutil
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from pathlib import Path

import msgspec
from msgspec.structs import replace

from lootkeep.engines.vault import Vault
from lootkeep.kernel import files
from lootkeep.kernel.errors import StartupError
from lootkeep.kernel.wording import plural
from lootkeep.storage import migrations
from lootkeep.storage.transfer.tables import BATCH, FIELDS, NUMBERED, Row
from lootkeep.toolbox.moving import moment as moments
from lootkeep.toolbox.moving.counting import Advance
from lootkeep.toolbox.moving.manifest import FORMAT, Manifest, TableFile
from lootkeep.toolbox.moving.moment import Moment
from lootkeep.toolbox.moving.records import Decoder, Encoder

_MANIFEST = "manifest.json"


@contextmanager
def drafted(folder: Path) -> Iterator[Path]:
    """A folder next to it, which gets its name when it is complete, and which an interrupted export goes on with."""
    if folder.exists():
        raise StartupError(f"{folder} exists. Give another name.")
    draft = folder.with_name(f"{folder.name}.part")
    with files.alone_in(draft):
        _check_own(draft)
        try:
            yield draft
        except BaseException:
            if not moments.is_complete(draft):
                shutil.rmtree(draft, ignore_errors=True)
            raise
        files.complete(draft, folder)


def write(folder: Path, moment: Moment, vault: Vault | None, advance: Advance) -> Manifest:
    """From the rows of a moment, which are removed."""
    tables = {table: _write_table(folder, table, rows, vault, advance) for table, rows in moment.rows.items()}
    manifest = replace(moment.manifest, tables=tables)
    # Last: with it the folder is complete.
    with files.written(folder / _MANIFEST, replace=True) as draft:
        draft.write_bytes(msgspec.json.format(msgspec.json.encode(manifest), indent=2) + b"\n")
    moments.remove(folder)
    return manifest


def _write_table(folder: Path, table: str, rows: int, vault: Vault | None, advance: Advance) -> TableFile:
    path = _path(folder, table)
    if path.exists():
        # Written before the interruption.
        advance(table, rows)
    else:
        encoder = Encoder(table, vault)
        with files.written(path) as draft, draft.open("wb") as file:
            for batch in moments.batches(folder, table):
                file.write(encoder.lines(batch))
                advance(table, len(batch))
    moments.remove(folder, table)
    return TableFile(rows, path.stat().st_size, files.checksum(path))


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
    if not (manifest.tables.keys() <= FIELDS.keys() and manifest.last_ids.keys() <= set(NUMBERED)):
        raise StartupError(f"{folder / _MANIFEST} names tables that a store does not have: it was changed.")
    for table in FIELDS:
        _check_file(_path(folder, table), manifest.tables.get(table))
    return manifest


async def rows(folder: Path, table: str, count: int) -> AsyncIterator[list[Row]]:
    """Raises if there are more or fewer."""
    decoder, number = Decoder(table), 0
    batch: list[Row] = []
    with _path(folder, table).open("rb") as file:
        for number, line in enumerate(file, 1):
            try:
                batch.append(decoder.row(line))
            except (ValueError, msgspec.DecodeError) as error:
                raise StartupError(f"Line {number} of {file.name} cannot be read: {error}") from None
            if len(batch) == BATCH:
                yield batch
                batch = []
    if number != count:
        raise StartupError(
            f"{file.name} has {plural(number, 'row')}, but the manifest says {count:,}. Nothing was written."
        )
    yield batch


def _check_own(draft: Path) -> None:
    """Raises if there is anything in the way that no export wrote: what is there is replaced."""
    own = {draft / _MANIFEST, draft / moments.NAME}
    own |= {file for table in FIELDS for file in (_path(draft, table), moments.rows_file(draft, table))}
    if not own.issuperset(draft.iterdir()):
        raise StartupError(f"{draft} exists and is not of an export. Move it away.")


def _check_file(file: Path, entry: TableFile | None) -> None:
    try:
        digest = files.checksum(file)
    except OSError:
        raise StartupError(f"{file} is missing: the export is not complete.") from None
    if entry is None or digest != entry.sha256:
        raise StartupError(f"{file} is not as it was exported: its checksum differs. Nothing was written.")


def _path(folder: Path, table: str) -> Path:
    return folder / f"{table}.ndjson"
