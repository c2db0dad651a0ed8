"""The OpenAPI document passes a validator that we did not write, which takes seconds."""

from __future__ import annotations

from openapi_spec_validator import OpenAPIV31SpecValidator

from tests.api.openapi import DOCUMENT


def test_the_document_is_valid_openapi() -> None:
    assert [str(error) for error in OpenAPIV31SpecValidator(DOCUMENT).iter_errors()] == []
