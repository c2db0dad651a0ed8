"""Every migration says what it changes, and `upgrade --check` can judge each of its statements."""

from __future__ import annotations

import re

import pytest

from lootkeep.storage import migrations
from lootkeep.storage.migrations.changes import CHANGES, Change
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
    r"DROP TABLE|ALTER TABLE \w+ (RENAME|DROP COLUMN|ALTER COLUMN \w+ SET NOT NULL)"
    r"|UPDATE (?!alembic_version)|DELETE FROM|INSERT INTO .*SELECT"
    r"|ALTER TABLE .* ADD COLUMN (?!.*DEFAULT).* NOT NULL"
)
# Allowed once the version before has stopped to use it.
DROPS = re.compile(r"DROP TABLE|ALTER TABLE \w+ DROP COLUMN")
# From here on two versions work on one schema while machines are upgraded in turn.
FIRST_ROLLING = "0039"


def test_every_migration_says_in_one_sentence_what_it_changes() -> None:
    assert set(CHANGES) == migrations.known_revisions(), "One row of storage/migrations/changes.py for each migration."
    wrong = [name for name, change in CHANGES.items() if not re.fullmatch(r"[A-Z][^.]*\.", change.sentence)]
    assert not wrong, f"One sentence each: {wrong}"


@pytest.mark.parametrize("engine", ENGINES)
def test_the_check_knows_what_every_statement_costs(engine: str) -> None:
    lines = [line for part in statements(migrations.script(engine, None)).values() for line in part]
    unknown = [line for line in lines if not JUDGED.match(f"{line} ")]
    assert not unknown, f"storage/migrations/plan.py has to judge these: {unknown}"


def test_an_online_migration_keeps_what_earlier_processes_use() -> None:
    parts = statements(migrations.script("postgresql", None))
    online = {revision: change for revision, change in CHANGES.items() if change.is_online}
    breaking = {revision: breaks(revision, change, parts[revision]) for revision, change in online.items()}
    assert not any(breaking.values()), f"Not online: {breaking}"


def test_new_migrations_expand_first_and_contract_a_version_later() -> None:
    stopping = [revision for revision, change in CHANGES.items() if revision >= FIRST_ROLLING and not change.is_online]
    assert not stopping, (
        f"{stopping}: machines of the version before go on while a migration runs. Only add, with columns that may be "
        "null or have a default; fill old rows in a periodic task; drop in a later version, with `unused_since`."
    )


ADD_REQUIRED = "ALTER TABLE orders ADD COLUMN channel TEXT NOT NULL"
DROP = "ALTER TABLE orders DROP COLUMN channel"


@pytest.mark.parametrize(
    ("statement", "unused_since", "is_allowed"),
    [
        ("ALTER TABLE orders ADD COLUMN channel TEXT", "", True),
        (f"{ADD_REQUIRED.removesuffix(' NOT NULL')} DEFAULT 'shop' NOT NULL", "", True),
        (ADD_REQUIRED, "", False),
        (ADD_REQUIRED, "0037", False),
        ("ALTER TABLE orders RENAME COLUMN channel TO origin", "0037", False),
        ("ALTER TABLE orders ALTER COLUMN channel SET NOT NULL", "", False),
        ("UPDATE orders SET channel = 'shop'", "0037", False),
        (DROP, "", False),
        (DROP, "0038", False),
        (DROP, "0037", True),
        ("DROP TABLE channels", "0037", True),
    ],
)
def test_the_rule_accepts_only_changes_that_two_versions_can_work_with(
    statement: str, unused_since: str, is_allowed: bool
) -> None:
    change = Change("Changes something.", is_online=True, unused_since=unused_since)
    assert (breaks("0038", change, [statement]) == []) is is_allowed


def breaks(revision: str, change: Change, lines: list[str]) -> list[str]:
    """What a process of the version before could not work with."""
    may_drop = bool(change.unused_since) and change.unused_since < revision
    return [line for line in lines if BREAKS.match(line) and not (may_drop and DROPS.match(line))]
