"""Writes the facts of a store: every month that is not sealed, each file complete or not at all."""

from __future__ import annotations

import gzip
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from tempfile import NamedTemporaryFile
from types import ModuleType
from typing import IO

import msgspec
from msgspec.structs import replace

from lootkeep.deps import Deps
from lootkeep.domain.disputes import JUDGED_AFTER
from lootkeep.kernel import files
from lootkeep.kernel.clock import Instant, instant, utc
from lootkeep.kernel.errors import StartupError
from lootkeep.storage.engine.database import Transaction
from lootkeep.storage.orders import facts as order_facts_db
from lootkeep.toolbox.facts import folder as folders
from lootkeep.toolbox.facts.folder import Manifest, Month, Personal
from lootkeep.toolbox.facts.rows import COLUMNS, Hash, row

_PURPOSE = "facts "
# DuckDB spills to disk above it.
MEMORY = "SET memory_limit = '512MB'; SET threads = 2; SET enable_progress_bar = false"


class Written(msgspec.Struct, frozen=True):
    """What an export did."""

    folder: str
    # By name: how many orders each file has that was written now.
    months: dict[str, int]
    sealed: int
    # Sealed months whose files were changed since.
    altered: list[str]


async def export(deps: Deps, folder: Path, personal: Personal) -> Written:
    duckdb = folders.duckdb()
    with files.alone_in(folder):
        manifest = _begun(deps, folder, personal)
        altered = folders.altered(folder, manifest)
        writer = _MonthWriter(duckdb, folder, deps.clock.now(), _hash(deps) if personal == "hashed" else None)
        months: dict[str, int] = {}
        async with deps.db.read(slow=True) as tx:
            for name, start, end in _months(await order_facts_db.first_placed_at(tx), writer.now):
                if folders.is_sealed(folder, manifest, name):
                    continue
                if month := await writer.write(tx, name, start, end):
                    months[name] = month.orders
                    manifest = replace(manifest, months=manifest.months | {name: month})
                    folders.write_manifest(folder, manifest)
        folders.write_manifest(folder, replace(manifest, as_of=writer.now))
    sealed = sum(month.is_sealed for month in manifest.months.values())
    return Written(str(folder), months, sealed, altered)


class _MonthWriter:
    def __init__(self, duckdb: ModuleType, folder: Path, now: Instant, hash_: Hash | None) -> None:
        self._duckdb = duckdb
        self._folder = folder
        self.now = now
        self._hash = hash_

    async def write(self, tx: Transaction, name: str, start: Instant, end: Instant) -> Month | None:
        file = folders.file_of(self._folder, name)
        with self._temporary() as lines:
            with gzip.open(lines, "wb", compresslevel=1) as packed:
                orders, newest = await self._write_lines(tx, packed, start, end)
            lines.flush()
            if not orders:
                # Until an import of old orders fills it.
                return None
            with files.written(file, replace=True) as draft:
                self._convert(Path(lines.name), draft)
        return Month(orders, files.checksum(file), is_sealed=newest + JUDGED_AFTER <= self.now)

    def _temporary(self) -> IO[bytes]:
        try:
            return NamedTemporaryFile(dir=self._folder, prefix=".", suffix=files.DRAFT)
        except OSError as error:
            raise StartupError(f"{self._folder} cannot be written ({error.strerror}).") from None

    async def _write_lines(
        self, tx: Transaction, packed: gzip.GzipFile, start: Instant, end: Instant
    ) -> tuple[int, Instant]:
        """How many orders there are, and when the last outcome begins to ripen."""
        position, newest, orders = (start, 0), end, 0
        encoder = msgspec.json.Encoder()
        while batch := await order_facts_db.after(tx, *position, end):
            items = await order_facts_db.items_of(tx, batch)
            packed.write(encoder.encode_lines([row(o, items[o.order.id], self.now, self._hash) for o in batch]))
            newest = max([newest, *(check.created_at for placed in batch for check in placed.checks)])
            position, orders = (batch[-1].order.created_at, batch[-1].order.id), orders + len(batch)
        return orders, newest

    def _convert(self, lines: Path, draft: Path) -> None:
        """DuckDB streams from file to file, so memory does not grow with the month."""
        with self._duckdb.connect() as connection:
            connection.execute(MEMORY)
            columns = ", ".join(f"{name}: '{kind}'" for name, kind in COLUMNS.items())
            source = f"read_json(?, format='newline_delimited', compression='gzip', columns={{{columns}}})"
            options = "FORMAT parquet, COMPRESSION zstd, USE_TMP_FILE false"
            try:
                connection.execute(f"COPY (FROM {source}) TO '{_quoted(draft)}' ({options})", [str(lines)])
            except self._duckdb.IOException as error:
                raise StartupError(f"{self._folder} cannot be written: {error}") from None


def _begun(deps: Deps, folder: Path, personal: Personal) -> Manifest:
    """The manifest of the folder, which must be of the same kind."""
    hash_key = _hash(deps)("key", "") if personal == "hashed" else None
    if not (folder / folders.MANIFEST).exists():
        return Manifest(personal=personal, hash_key=hash_key)
    manifest = folders.read_manifest(folder)
    if manifest.personal != personal:
        raise StartupError(f"{folder} was written with --personal {manifest.personal}: use the same, or a new folder.")
    if manifest.hash_key != hash_key:
        raise StartupError(f"The hashes in {folder} were made with another secret key: use a new folder.")
    return manifest


def _hash(deps: Deps) -> Hash:
    return lambda kind, value: deps.vault.fingerprint(value.encode(), _PURPOSE + kind)


def _months(first: Instant | None, now: Instant) -> Iterator[tuple[str, Instant, Instant]]:
    """From that of the first order to that of now: name, start and end."""
    start = None if first is None else utc(first).replace(day=1, hour=0, minute=0, second=0)
    while start is not None and instant(start) <= now:
        end = datetime(start.year + start.month // 12, start.month % 12 + 1, 1, tzinfo=UTC)
        yield f"{start:%Y-%m}", instant(start), instant(end)
        start = end


def _quoted(path: Path) -> str:
    return str(path).replace("'", "''")
