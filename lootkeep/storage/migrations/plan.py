"""What an upgrade will do to a database: its changes, their estimated duration, and the pause."""

from __future__ import annotations

import re
from collections import Counter
from typing import NamedTuple

from sqlalchemy import func, select, table as named

from lootkeep.storage import migrations
from lootkeep.storage.engine.database import Engine
from lootkeep.storage.engine.query import Query
from lootkeep.storage.migrations.versions import VERSIONS, Version

# Rows per second of a statement, measured by `bench/upgrade.py`.
RATES: dict[str, dict[str, int]] = {
    "sqlite": {"read": 900_000, "index": 350_000, "write": 65_000},
    "postgresql": {"read": 900_000, "index": 320_000, "write": 19_000},
}
# Bytes per second of the embedded database, written and verified.
COPY_BYTES_PER_SECOND = 12_000_000

# What a statement does to each row of its largest table; with a condition or a group, few rows are written.
_KINDS = (
    ("index", re.compile(r"CREATE (UNIQUE )?INDEX ")),
    ("write", re.compile(r"UPDATE ")),
    ("read", re.compile(r"DELETE FROM |ALTER TABLE \w+ ADD CONSTRAINT |INSERT INTO .* FROM .* (WHERE|GROUP BY) ")),
    ("write", re.compile(r"(INSERT INTO|CREATE TABLE) .*SELECT .* FROM ")),
)
_TABLES = re.compile(r"\b(?:FROM|JOIN|UPDATE|TABLE|ON) (\w+)")
# Rows that are moved to a table are then counted under its name.
_MOVE = re.compile(r"(?:ALTER TABLE \w+ RENAME TO|INSERT INTO|CREATE TABLE) (\w+)")


class Work(NamedTuple):
    """What a statement does to every row of a table."""

    kind: str
    table: str
    rows: int


class Step(NamedTuple):
    """One pending version."""

    revision: str
    sentence: str
    is_online: bool
    # The tables it reads, indexes or writes completely.
    rows: dict[str, int]
    seconds: float


class Plan(NamedTuple):
    """Everything that is pending."""

    current: str | None
    steps: list[Step]
    # Why the service must be stopped meanwhile; None if it need not be.
    pause: str | None

    @property
    def seconds(self) -> float:
        return sum(step.seconds for step in self.steps)


async def plan(engine: Engine, versions: tuple[Version, ...] = VERSIONS) -> Plan:
    current = await migrations.revision(engine, versions)
    if current is None:
        return Plan(None, [Step(migrations.newest(versions), "Creates the schema.", True, {}, 0)], None)
    pending = migrations.pending(current, versions)
    counts = await count_rows(engine, pending)
    present = Counter(counts)
    steps = [_step(version, counts, present, engine.name) for version in pending]
    return Plan(current, steps, pause_for(engine.name, steps) if steps else None)


def _step(version: Version, counts: dict[str, int], present: Counter[str], engine: str) -> Step:
    done = [statement for line in version.on(engine) if (statement := work(line, present))]
    seconds = sum(statement.rows / RATES[engine][statement.kind] for statement in done)
    # A temporary table of a version is not reported.
    rows = {statement.table: statement.rows for statement in done if statement.table in counts}
    return Step(version.name, version.sentence, version.is_online, rows, round(seconds, 3))


def work(line: str, present: Counter[str]) -> Work | None:
    """What a statement does to the existing rows, which it may move; None if that takes no time."""
    line = " ".join(line.split())
    kind = next((kind for kind, pattern in _KINDS if pattern.match(line)), None)
    table = max(_TABLES.findall(line) or [""], key=lambda name: present[name])
    rows = present[table]
    if (kind == "write" or " RENAME TO " in line) and (move := _MOVE.match(line)):
        present[move[1]] = rows
    return Work(kind, table, rows) if kind and rows else None


async def count_rows(engine: Engine, pending: tuple[Version, ...]) -> dict[str, int]:
    """The row counts of the tables that versions name."""
    text = " ".join(statement for version in pending for statement in version.on(engine.name))
    names = set(re.findall(r"\w+", text)) & await engine.tables()
    # Five seconds, the limit of a request, are too few to count a large table of PostgreSQL; a write on SQLite would
    # delay others.
    access = engine.write(is_long=True) if engine.name == "postgresql" else engine.read(slow=True)
    async with access as tx:
        return {name: (await tx.all(_count(name)))[0][0] for name in names}


def _count(name: str) -> Query[tuple[int]]:
    return Query(select(func.count()).select_from(named(name)))


def pause_for(engine_name: str, steps: list[Step]) -> str | None:
    if engine_name == "sqlite":
        return "The embedded database has one process: stop the service, upgrade, and start it again."
    if offline := [step.revision for step in steps if not step.is_online]:
        return (
            "Stop `serve` and `worker` before, and start the new version after it: what the version before writes "
            f"would be incomplete after {', '.join(offline)}."
        )
    # An embedded store does not load the driver.
    from lootkeep.storage.engine.postgres_session import DEADLINES

    if sum(step.seconds for step in steps) > DEADLINES.statement:
        return (
            "Stop `serve` and `worker` before, and start the new version after it: tables are locked for longer "
            f"than the {DEADLINES.statement:.0f} seconds that a request waits."
        )
    return None
