"""The OpenAPI document is good enough for others to make clients of it: they are made here, checked, and called."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from lootkeep.domain.events import EVENT_TYPES
from tests.cli.terminal import Serving, environment, served, start
from tests.generators import packages
from tests.generators.packages import run

HERE = Path(__file__).parent

# What both clients must print.
SEEN = {
    "tiers": {
        "message": "Referral tier created successfully",
        "reward": "10% off",
        "is replayed": True,
        "names": ["Bronze"],
    },
    "products": {
        "most_expensive": ["Hexgarden"],
        "total": 2,
        "limit": "60",
        "price": "9.00",
        "description": None,
    },
    "rejections": {
        "no name": {
            "success": False,
            "error": "Validation Error",
            "code": "validation_failed",
            "fields": ["name", "referrals_required"],
        },
        "nobody's token": {"success": False, "error": "Unauthorized", "code": "unauthorized", "fields": []},
        "no such product": {"success": False, "error": "Not Found", "code": "not_found", "fields": []},
    },
}


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Serving]:
    with served(start(tmp_path, environment({}), "serve", "--port", "0")) as server:
        yield server


@pytest.mark.timeout(600)
def test_a_client_generated_by_openapi_python_client_works(folder: Path, store: Serving) -> None:
    packages.install_python()
    options = ("--path", "openapi.json", "--meta", "none", "--output-path", "store_client", "--fail-on-warning")
    output = run(folder, packages.PYTHON / "openapi-python-client", "generate", *options)
    assert "warning" not in output.lower()
    shutil.copy(HERE / "python" / "calls.py", folder)
    assert json.loads(run(folder, packages.PYTHON / "python", "calls.py", **credentials(store))) == SEEN


@pytest.mark.timeout(600)
def test_a_client_generated_by_openapi_typescript_is_accepted_by_the_compiler_and_works(
    node_folder: Path, store: Serving
) -> None:
    tools = node_folder / "node_modules" / ".bin"
    # Otherwise a field with a default would have to be sent.
    optional = "--default-non-nullable=false"
    run(node_folder, tools / "openapi-typescript", "openapi.json", "--output", "schema.d.ts", optional)
    run(node_folder, tools / "tsc", "--project", "tsconfig.json")
    assert json.loads(run(node_folder, "node", "built/calls.js", **credentials(store))) == SEEN


@pytest.mark.timeout(600)
def test_models_generated_by_datamodel_code_generator_can_be_imported(folder: Path) -> None:
    packages.install_python()
    options = (
        "--input-file-type",
        "openapi",
        "--output-model-type",
        "dataclasses.dataclass",
        "--formatters",
        "builtin",
    )
    run(folder, packages.PYTHON / "datamodel-codegen", "--input", "openapi.json", "--output", "models.py", *options)
    program = "from models import EventType, OrderPaidDelivery, RiskLevel; print(RiskLevel.high.value, len(EventType))"
    printed = run(folder, packages.PYTHON / "python", "-W", "error", "-c", program)
    assert printed.split() == ["high", str(len(EVENT_TYPES))]


def credentials(store: Serving) -> dict[str, str]:
    return {"STORE_URL": store.url, "STORE_TOKEN": store.token}
