"""The OpenAPI document passes a validator that we did not write, which takes seconds."""

from __future__ import annotations

import json
import re

import pytest
from openapi_spec_validator import OpenAPIV31SpecValidator

from tests.api.openapi import DOCUMENT


def test_the_document_is_valid_openapi() -> None:
    assert [str(error) for error in OpenAPIV31SpecValidator(DOCUMENT).iter_errors()] == []


def test_no_pattern_looks_ahead_or_behind_which_some_languages_cannot() -> None:
    patterns = set(re.findall(r'"pattern": "((?:[^"\\]|\\.)+)"', json.dumps(DOCUMENT)))
    assert len(patterns) > 5
    assert [pattern for pattern in patterns if re.search(r"\(\?[=!<]|\\\\[1-9]", pattern)] == []


@pytest.mark.parametrize(
    ("amount", "is_amount"),
    [
        ("0.01", True),
        ("0.10", True),
        ("0.1", True),
        ("10", True),
        ("00.5", True),
        ("0", False),
        ("0.00", False),
        ("00.0", False),
    ],
)
def test_the_pattern_of_a_positive_amount_leaves_out_zero(amount: str, is_amount: bool) -> None:
    pattern = DOCUMENT["components"]["schemas"]["TierBody"]["properties"]["reward_value"]["pattern"]
    assert bool(re.fullmatch(pattern, amount)) == is_amount
