"""The TypeScript client in Node and Deno: every method, sample and example, against a real server."""

from __future__ import annotations

import json
import platform
import re
import tarfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from lootkeep.api.http.openapi.client_names import camel_case, client_method
from tests.api.openapi import ALL_ROWS, example_body
from tests.cli.terminal import Serving, environment, served, start
from tests.clients.deliveries import vectors
from tests.clients.example_shop import sell_a_key
from tests.clients.recorder import ROUTER, TOKEN, Recorder, check_samples
from tests.clients.typescript.conftest import PACKAGE
from tests.generators import packages

pytestmark = pytest.mark.timeout(600)


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Serving]:
    settings = {"rate_limit_per_minute": "0", "webhook_allow_insecure": "true"}
    with served(start(tmp_path_factory.mktemp("store"), environment(settings), "serve", "--port", "0")) as server:
        yield server


def node(folder: Path, program: str, url: str, token: str) -> str:
    return packages.run(folder, "node", program, LOOTKEEP_URL=url, LOOTKEEP_TOKEN=token)


def all_ok(output: str) -> None:
    results = json.loads(output)
    assert results
    assert {sentence: result for sentence, result in results.items() if result != "ok"} == {}


def test_a_row_is_a_method_of_the_client(folder: Path, recorder: Recorder) -> None:
    rows: list[dict[str, Any]] = []
    for prefix, route in ALL_ROWS:
        ids = ["7" if part == "{delivery_id}" else 7 for part in route.path.split("/") if part.startswith("{")]
        name = camel_case(client_method(prefix, route))
        rows.append({"name": name, "ids": ids, "body": example_body(prefix, route)})
    (folder / "methods.json").write_text(json.dumps(rows))
    recorder.requests.clear()
    node(folder, "methods.js", recorder.url, TOKEN)
    assert [ROUTER.find(request.method, request.path)[0].handler for request in recorder.requests] == [
        route.handler for _, route in ALL_ROWS
    ]
    for row, request in zip(rows, recorder.requests, strict=True):
        assert request.body == row["body"]
        assert request.headers["authorization"] == f"Bearer {TOKEN}"
        assert request.headers["user-agent"].startswith("lootkeep-client-typescript/")
        assert ("idempotency-key" in request.headers) == (request.method == "POST")


def test_every_sample_of_the_reference_calls_its_operation(folder: Path, recorder: Recorder) -> None:
    recorder.requests.clear()
    node(folder, "samples/all.js", recorder.url, TOKEN)
    check_samples(recorder.requests)


def test_the_client_works_in_node(folder: Path, store: Serving) -> None:
    all_ok(node(folder, "story.js", store.url, store.token))


@pytest.mark.skipif(platform.machine() != "x86_64", reason="The lock file has Deno for x86-64 alone.")
def test_the_client_works_in_deno(folder: Path, store: Serving) -> None:
    (deno,) = packages.node_modules().glob("@deno/*/deno")
    imports = {"imports": {"lootkeep-client": "./node_modules/lootkeep-client/dist/index.js"}}
    (folder / "imports.json").write_text(json.dumps(imports))
    options = ("--import-map=imports.json", "--no-config", "--no-remote", "--allow-net", "--allow-env")
    variables = {"DENO_DIR": str(folder / "deno"), "DENO_NO_UPDATE_CHECK": "1"}
    variables |= {"LOOTKEEP_URL": store.url, "LOOTKEEP_TOKEN": store.token}
    all_ok(packages.run(folder, deno, "run", *options, "story.js", **variables))


def test_a_delivery_is_verified_as_in_python(folder: Path) -> None:
    (folder / "vectors.json").write_text(json.dumps(vectors()))
    all_ok(packages.run(folder, "node", "vectors.js"))


def test_a_key_is_bought_in_the_example_shop(folder: Path, store: Serving) -> None:
    sell_a_key(store, ["node", "shop.js"], folder)


def test_the_package_uses_nothing_but_what_every_runtime_has(folder: Path) -> None:
    modules = sorted((folder / "node_modules/lootkeep-client/dist").rglob("*.js"))
    imports = {name for module in modules for name in re.findall(r'from "([^"]+)"', module.read_text())}
    assert modules
    assert all(name.startswith(("./", "../")) for name in imports), imports
    assert "dependencies" not in json.loads((PACKAGE / "package.json").read_text())


def test_two_packages_of_one_tree_are_the_same_to_the_byte(folder: Path, tmp_path: Path) -> None:
    contents = []
    for number in range(2):
        target = tmp_path / str(number)
        target.mkdir()
        packages.run(folder / "node_modules/lootkeep-client", "npm", "pack", "--pack-destination", target)
        (file,) = target.iterdir()
        contents.append(file.read_bytes())
    assert contents[0] == contents[1]
    with tarfile.open(file) as archive:
        names = {name.removeprefix("package/") for name in archive.getnames()}
    assert {"package.json", "README.md", "dist/index.js", "dist/index.d.ts", "dist/generated/types.d.ts"} <= names
    assert {name for name in names if not name.startswith("dist/")} == {"package.json", "README.md"}


def test_the_package_is_built_with_the_compiler_of_the_tests() -> None:
    locks = [json.loads((path / "package-lock.json").read_text()) for path in (PACKAGE, packages.LOCKED)]
    first, second = (lock["packages"]["node_modules/typescript"] for lock in locks)
    assert (first["version"], first["integrity"]) == (second["version"], second["integrity"])
