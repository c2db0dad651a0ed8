"""The linters that tools run on an OpenAPI document find nothing but what is accepted here."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest

from lootkeep import wiring
from tests.generators.packages import run

SCOPES = sum(1 + bool(route.other_scope) for group in wiring.groups() for route in group.routes)

# Each rule with how often it may warn. No error is ever accepted.
ACCEPTED_BY_REDOCLY = {
    # `/webhooks/deliveries/{delivery_id}` next to `/webhooks/{id}/...`: ids are integers, so `deliveries` is none.
    "no-ambiguous-paths": 3,
}
ACCEPTED_BY_SPECTRAL = {
    # OpenAPI 3.1 lets an operation name the roles that its bearer token needs; this rule knows scopes of OAuth only.
    # Every operation needs one; some accept another instead.
    "oas3-operation-security-defined": SCOPES,
}
_ERROR = 0


@pytest.mark.timeout(600)
def test_redocly_finds_nothing_that_is_not_accepted(node_folder: Path) -> None:
    problems = json.loads(run(node_folder, "node", "redocly.mjs", "openapi.json"))
    assert [problem for problem in problems if problem["severity"] == "error"] == []
    assert Counter(problem["rule"] for problem in problems) == ACCEPTED_BY_REDOCLY, problems


@pytest.mark.timeout(600)
def test_spectral_finds_nothing_that_is_not_accepted(node_folder: Path) -> None:
    command = ("node_modules/.bin/spectral", "lint", "openapi.json", "--ruleset", "spectral.yaml", "--format", "json")
    problems = json.loads(run(node_folder, *command, "--quiet", "--fail-severity", "error"))
    assert [problem for problem in problems if problem["severity"] == _ERROR] == []
    assert Counter(problem["code"] for problem in problems) == ACCEPTED_BY_SPECTRAL, problems
