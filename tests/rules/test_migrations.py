"""Every migration says what it changes, and `upgrade --check` can judge each of its statements."""

from __future__ import annotations

import re

import pytest

from lootkeep.storage import migrations
from lootkeep.storage.migrations.changes import CHANGES
from lootkeep.storage.migrations.plan import statements

ENGINES = ("sqlite", "postgresql")
# What the check counts rows for, and what takes no time whatever the rows.
JUDGED = re.compile(
    r"(INSERT INTO|UPDATE|DELETE FROM|CREATE (UNIQUE )?INDEX|ALTER TABLE \w+ ADD CONSTRAINT"
    r"|CREATE (TABLE|VIRTUAL TABLE|TRIGGER|(OR REPLACE )?FUNCTION|EXTENSION)|DROP (TABLE|INDEX)|ALTER INDEX|DO \$\$"
    r"|SELECT setval.*"
    r"|ALTER TABLE \w+ (RENAME (TO|COLUMN)|ADD COLUMN|DROP CONSTRAINT)) "
)
# A process of the version before would fail, or write what is not complete.
BREAKS = re.compile(
    r"DROP TABLE|ALTER TABLE \w+ (RENAME|DROP COLUMN)|UPDATE (?!alembic_version)|DELETE FROM|INSERT INTO .*SELECT"
    r"|ALTER TABLE .* ADD COLUMN (?!.*DEFAULT).* NOT NULL"
)


def test_every_migration_says_in_one_sentence_what_it_changes() -> None:
    assert set(CHANGES) == migrations.known_revisions(), "One row of storage/migrations/changes.py for each migration."
    wrong = [name for name, change in CHANGES.items() if not re.fullmatch(r"[A-Z][^.]*\.", change.sentence)]
    assert not wrong, f"One sentence each: {wrong}"


@pytest.mark.parametrize("engine", ENGINES)
def test_the_check_knows_what_every_statement_costs(engine: str) -> None:
    lines = [line for part in statements(migrations.script(engine, None)).values() for line in part]
    unknown = [line for line in lines if not JUDGED.match(f"{line} ")]
    assert not unknown, f"storage/migrations/plan.py has to judge these: {unknown}"


def test_a_migration_that_runs_online_leaves_what_earlier_processes_use() -> None:
    parts = statements(migrations.script("postgresql", None))
    online = {revision for revision, change in CHANGES.items() if change.is_online}
    breaking = {revision: line for revision in online for line in parts[revision] if BREAKS.match(line)}
    assert not breaking, f"Not online: {breaking}"
