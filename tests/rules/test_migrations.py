"""Every version of the schema says what it changes, and `upgrade --check` can judge each of its statements."""

from __future__ import annotations

import re

import pytest

from lootkeep.storage.migrations.versions import VERSIONS, Version
from tests.storage import made_up_versions

# What the check counts rows for, and what takes no time whatever the rows.
JUDGED = re.compile(
    r"(INSERT INTO|UPDATE|DELETE FROM|CREATE (UNIQUE )?INDEX|ALTER TABLE \w+ ADD CONSTRAINT"
    r"|CREATE (TABLE|VIRTUAL TABLE|TRIGGER|(OR REPLACE )?FUNCTION|EXTENSION)|DROP (TABLE|INDEX)|ALTER INDEX|DO \$\$"
    r"|SELECT setval.*"
    r"|ALTER TABLE \w+ (RENAME (TO|COLUMN)|ADD COLUMN|DROP (CONSTRAINT|COLUMN))) "
)
# A process of the version before would fail, or write what is not complete.
BREAKS = re.compile(
    r"DROP TABLE|ALTER TABLE \w+ (RENAME|DROP COLUMN|ALTER COLUMN \w+ SET NOT NULL)"
    r"|UPDATE|DELETE FROM|INSERT INTO .*SELECT"
    r"|ALTER TABLE .* ADD COLUMN (?!.*DEFAULT).* NOT NULL"
)
# Allowed once the version before has stopped to use it.
DROPS = re.compile(r"DROP TABLE|ALTER TABLE \w+ DROP COLUMN")


@pytest.mark.parametrize("versions", [VERSIONS, made_up_versions.VERSIONS], ids=["released", "made up"])
def test_every_version_follows_the_rules(versions: tuple[Version, ...]) -> None:
    assert list(versions) == sorted(set(versions)), "Versions are in order, each with its own name."
    for version in versions:
        assert re.fullmatch(r"[A-Z][^.]*\.", version.sentence), f"{version.name}: one sentence."
        lines = [" ".join(line.split()) for line in (*version.on("sqlite"), *version.on("postgresql"))]
        unknown = [line for line in lines if not JUDGED.match(f"{line} ")]
        assert not unknown, f"{version.name}: storage/migrations/plan.py has to judge these: {unknown}"
        breaking = breaks(version, lines) if version.is_online else []
        assert not breaking, (
            f"{version.name}: machines of the version before go on while it runs. Only add, with columns that may be "
            "null or have a default; fill old rows in a periodic task; drop in a later version, with `unused_since`: "
            f"{breaking}"
        )


ADD_REQUIRED = "ALTER TABLE orders ADD COLUMN channel TEXT NOT NULL"
DROP = "ALTER TABLE orders DROP COLUMN channel"


@pytest.mark.parametrize(
    ("statement", "unused_since", "is_allowed"),
    [
        ("ALTER TABLE orders ADD COLUMN channel TEXT", "", True),
        (f"{ADD_REQUIRED.removesuffix(' NOT NULL')} DEFAULT 'shop' NOT NULL", "", True),
        (ADD_REQUIRED, "", False),
        (ADD_REQUIRED, "0002", False),
        ("ALTER TABLE orders RENAME COLUMN channel TO origin", "0002", False),
        ("ALTER TABLE orders ALTER COLUMN channel SET NOT NULL", "", False),
        ("UPDATE orders SET channel = 'shop'", "0002", False),
        (DROP, "", False),
        (DROP, "0003", False),
        (DROP, "0002", True),
        ("DROP TABLE channels", "0002", True),
    ],
)
def test_the_rule_accepts_only_changes_that_two_versions_can_work_with(
    statement: str, unused_since: str, is_allowed: bool
) -> None:
    version = Version("0003", "Changes something.", (statement,), unused_since=unused_since)
    assert (breaks(version, [statement]) == []) is is_allowed


def breaks(version: Version, lines: list[str]) -> list[str]:
    """What a process of the version before could not work with."""
    may_drop = bool(version.unused_since) and version.unused_since < version.name
    return [line for line in lines if BREAKS.match(line) and not (may_drop and DROPS.match(line))]
