"""Reads a folder of facts, batch by batch, for the backtest, the calibration and the report on signals."""

from __future__ import annotations

from collections.abc import Iterator
from operator import itemgetter
from pathlib import Path
from typing import Any

from lootkeep.domain.disputes import JUDGED_AFTER
from lootkeep.domain.fraud import calibration
from lootkeep.domain.fraud.calibration import Calibration, PastCheck
from lootkeep.domain.fraud.policy import Policy
from lootkeep.domain.fraud.score import ENGINE_VERSION, judge
from lootkeep.kernel.errors import StartupError
from lootkeep.services.fraud_calibration import MAX_CHECKS
from lootkeep.toolbox.backtest.stored import StoredOrder, decode
from lootkeep.toolbox.facts import folder as folders
from lootkeep.toolbox.facts.writing import MEMORY

_BATCH = 2_000


class FactsFolder:
    """Open for reading; a sealed month that was changed is an error."""

    def __init__(self, folder: Path) -> None:
        manifest = folders.read_manifest(folder)
        self._as_of = manifest.as_of
        duckdb = folders.duckdb()
        months = sorted(manifest.months)
        missing = [month for month in months if not folders.file_of(folder, month).exists()]
        if wrong := folders.altered(folder, manifest) + missing:
            raise StartupError(
                f"{folder} is not as it was written: {', '.join(wrong)} was altered or removed. Remove the file, and "
                "`lootkeep export facts` writes it again."
            )
        if not months:
            raise StartupError(f"{folder} has no orders.")
        self._connection = duckdb.connect()
        self._connection.execute(MEMORY)
        files = [str(folders.file_of(folder, month)) for month in months]
        names = ", ".join("'" + file.replace("'", "''") + "'" for file in files)
        self._connection.execute(f"CREATE VIEW orders AS FROM read_parquet([{names}], union_by_name = true)")

    def orders(self) -> Iterator[list[StoredOrder]]:
        """In chronological order, those that were judged."""
        select = (
            "SELECT order_id, epoch_us(created_at), (total * 100)::BIGINT, outcome, facts FROM orders "
            "WHERE check_id IS NOT NULL"
        )
        for batch in self._batches(select):
            yield [StoredOrder(*row) for row in batch]

    def calibration(self, policy: Policy) -> Calibration:
        """Of the latest judgements of the newest orders with a known outcome, as the database does it."""
        # Sorted here: DuckDB would sort them with their facts, which are a hundred times as large.
        select = (
            "SELECT epoch_us(checked_at), check_id, facts, outcome = 'fraud', truth IS NOT NULL FROM orders "
            "WHERE check_id IN (SELECT check_id FROM orders WHERE outcome IS NOT NULL AND engine_version = ? "
            "AND epoch_us(checked_at) <= ? ORDER BY checked_at DESC, check_id DESC LIMIT ?)"
        )
        past: list[tuple[int, int, PastCheck]] = []
        labels = 0
        for batch in self._batches(select, ENGINE_VERSION, self._as_of - JUDGED_AFTER, MAX_CHECKS):
            for at, number, facts, is_fraud, is_labelled in batch:
                past.append((at, number, PastCheck(judge(decode(facts), policy).signals, is_fraud)))
                labels += is_labelled
        past.sort(key=itemgetter(0, 1))
        return calibration.calibrate([check for *_, check in past], labels, self._as_of)

    def signal_counts(self) -> dict[str, int]:
        """As the database counts them: by the latest judgement of each order."""
        names = "SELECT unnest(map_keys(points)) AS name, outcome FROM orders"
        select = f"SELECT name, outcome, count(*) FROM ({names}) GROUP BY ALL"  # noqa: S608  our own words
        counts: dict[str, int] = {}
        for batch in self._batches(select):
            for name, outcome, count in batch:
                for key in (f"{name}.fired", f"{name}.{outcome}"):
                    counts[key] = counts.get(key, 0) + count
        return counts

    def _batches(self, select: str, *values: Any) -> Iterator[list[Any]]:
        cursor = self._connection.execute(select, values)
        while batch := cursor.fetchmany(_BATCH):
            yield batch
