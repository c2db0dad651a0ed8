"""What the service is made of is listed as it is locked, under licences that are allowed."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from typing import Any

import pytest
from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator

from lootkeep import __version__
from tests.rules.tree import ROOT
from tools.audit import is_allowed, licence_errors, read
from tools.locked import licences
from tools.sbom import bill

LOCK = (ROOT / "locks/runtime.txt").read_text()
VULNERABLE = {"name": "jinja2", "version": "2.4.1", "vulns": [{"id": "PYSEC-2014-8", "fix_versions": ["2.7.2"]}]}
FINE = {"name": "rich", "version": "15.0.0", "vulns": []}
SKIPPED = {"name": "apsw", "skip_reason": "not found"}


def test_every_locked_package_has_an_allowed_licence_that_matches_the_list() -> None:
    assert licence_errors(licences()) == []


def test_missing_wrong_forbidden_and_superfluous_lines_are_found() -> None:
    stored = licences() | {"rich": "ISC", "colorama": "GPL-3.0-only", "nothing": "MIT"}
    del stored["sqlalchemy"]
    assert licence_errors(stored) == [
        "sqlalchemy has no line in licences.txt.",
        "nothing is in licences.txt, but not locked.",
        "colorama has the licence GPL-3.0-only, which is not among those that are allowed.",
        "rich has the licence MIT, and ISC in licences.txt.",
    ]


@pytest.mark.parametrize(
    ("expression", "allowed"),
    [
        ("MIT", True),
        ("GPL-3.0-only", False),
        ("GPL-3.0-only OR MIT", True),
        ("GPL-3.0-only AND MIT", False),
        ("(MIT OR GPL-3.0-only) AND ISC", True),
        ("MIT OR (ISC AND GPL-3.0-only)", False),
    ],
)
def test_one_of_several_licences_is_enough_unless_all_apply(expression: str, allowed: bool) -> None:
    assert is_allowed(expression) is allowed


def test_a_vulnerability_is_reported_as_a_sentence() -> None:
    assert read({"dependencies": [VULNERABLE, FINE]}) == (
        ["jinja2 2.4.1 has PYSEC-2014-8, repaired in 2.7.2."],
        None,
    )


@pytest.mark.parametrize(
    ("dependencies", "unchecked"),
    [
        (
            [SKIPPED],
            "Advisories could not be reached, so vulnerabilities were not checked "
            "(their source knows none of the packages).",
        ),
        ([SKIPPED, FINE], "Advisories have nothing on apsw: what is known of it was not checked."),
    ],
)
def test_a_skipped_package_does_not_count_as_clean(dependencies: list[dict[str, Any]], unchecked: str) -> None:
    assert read({"dependencies": dependencies}) == ([], unchecked)


def test_the_bill_of_materials_is_valid() -> None:
    assert JsonStrictValidator(SchemaVersion.V1_6).validate_str(json.dumps(bill())) is None


def test_the_bill_of_materials_holds_what_is_locked_and_nothing_else() -> None:
    materials = bill()
    components = materials["components"]
    assert [(part["name"], part["version"]) for part in components] == re.findall(r"^(\S+)==(\S+)", LOCK, re.MULTILINE)
    hashes = [entry["content"] for part in components for entry in part["hashes"]]
    assert hashes == re.findall(r"--hash=sha256:(\w+)", LOCK)
    assert {part["name"]: part["licenses"][0]["expression"] for part in components} == licences()
    assert materials["metadata"]["component"]["version"] == __version__
    (needs,) = materials["dependencies"]
    assert {"pkg:pypi/sqlalchemy", "pkg:pypi/redis"} <= {purl.partition("@")[0] for purl in needs["dependsOn"]}


def test_two_bills_of_one_lock_are_the_same_to_the_byte() -> None:
    first, second = (
        subprocess.run([sys.executable, "-m", "tools.sbom"], cwd=ROOT, capture_output=True, check=True).stdout
        for _ in range(2)
    )
    assert first == second
