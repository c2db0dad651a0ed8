"""What an upgrade will do to a database: its changes, their estimated duration, and the pause."""

from __future__ import annotations

import re
from collections import Counter
from typing import NamedTuple

from sqlalchemy import func, select, table as named

from lootkeep.storage import migrations
from lootkeep.storage.engine.database import Engine
from lootkeep.storage.engine.postgres_session import DEADLINES
from lootkeep.storage.engine.query import Query
from lootkeep.storage.migrations.changes import CHANGES

Rates = dict[str, int]

# Rows per second of a statement, measured by `bench/upgrade.py`.
RATES: dict[str, Rates] = {
    "sqlite": {"read": 900_000, "index": 350_000, "write": 65_000},
    "postgresql": {"read": 900_000, "index": 320_000, "write": 19_000},
}
# Bytes per second of the embedded database, written and verified.
COPY_BYTES_PER_SECOND = 12_000_000

_STEP = re.compile(r"^-- Running upgrade .*-> (\w+)$", re.MULTILINE)
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
    """One pending migration."""

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


async def plan(engine: Engine) -> Plan:
    current = await migrations.revision(engine)
    if current == migrations.HEAD:
        return Plan(current, [], None)
    script = migrations.script(engine.name, current)
    steps = _steps(script, await count_rows(engine, script), RATES[engine.name])
    return Plan(current, steps, pause_for(engine.name, steps) if current else None)


def statements(script: str) -> dict[str, list[str]]:
    """Of each migration in a script, each on one line."""
    _, *parts = _STEP.split(script)
    return {
        revision: [" ".join(statement.split()) for statement in part.split(";\n") if statement.strip()]
        for revision, part in zip(parts[::2], parts[1::2], strict=True)
    }


def _steps(script: str, counts: dict[str, int], rates: Rates) -> list[Step]:
    present = Counter(counts)
    steps = [_step(revision, lines, present, rates) for revision, lines in statements(script).items()]
    # A temporary table of a migration is not reported.
    return [step._replace(rows={name: step.rows[name] for name in step.rows if name in counts}) for step in steps]


def _step(revision: str, lines: list[str], present: Counter[str], rates: Rates) -> Step:
    done = [statement for line in lines if (statement := work(line, present))]
    seconds = sum(statement.rows / rates[statement.kind] for statement in done)
    change = CHANGES[revision]
    rows = {statement.table: statement.rows for statement in done}
    return Step(revision, change.sentence, change.is_online, rows, round(seconds, 3))


def work(line: str, present: Counter[str]) -> Work | None:
    """What a statement does to the existing rows, which it may move; None if that takes no time."""
    kind = next((kind for kind, pattern in _KINDS if pattern.match(line)), None)
    table = max(_TABLES.findall(line) or [""], key=lambda name: present[name])
    rows = present[table]
    if (kind == "write" or " RENAME TO " in line) and (move := _MOVE.match(line)):
        present[move[1]] = rows
    return Work(kind, table, rows) if kind and rows else None


async def count_rows(engine: Engine, script: str) -> dict[str, int]:
    """The row counts of the tables that a script names."""
    names = set(re.findall(r"\w+", script)) & await engine.tables() - {"alembic_version"}
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
    if sum(step.seconds for step in steps) > DEADLINES.statement:
        return (
            "Stop `serve` and `worker` before, and start the new version after it: tables are locked for longer "
            f"than the {DEADLINES.statement:.0f} seconds that a request waits."
        )
    return None
