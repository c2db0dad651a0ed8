"""The package as it is published, and every program of the tests, compiled against it."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.clients.recorder import Recorder, programs, recording
from tests.generators import packages
from tests.rules.tree import ROOT

PACKAGE = ROOT / "clients/typescript"
PAGES = ("docs/typescript.md", "clients/typescript/README.md")
_PROGRAMS = Path(__file__).parent / "programs"
_BLOCK = re.compile(r"```ts\n(.*?)```", re.DOTALL)
# What the pages leave to the reader.
_READERS = {
    "client": 'const client: import("lootkeep-client").Client',
    "request": "const request: Request",
}


@pytest.fixture(scope="module")
def recorder() -> Iterator[Recorder]:
    with recording() as recorder:
        yield recorder


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory, recorder: Recorder) -> Path:
    """With the package in `node_modules`, and a JavaScript file for each program, sample, example of a page, and shop.

    One run of the compiler builds the package, a second one checks everything else as its users are checked.
    """
    folder = tmp_path_factory.mktemp("typescript") / "programs"
    shutil.copytree(_PROGRAMS, folder)
    package = folder / "node_modules/lootkeep-client"
    shutil.copytree(PACKAGE, package, ignore=shutil.ignore_patterns("node_modules", "dist"))
    modules = packages.node_modules()
    (folder / "node_modules/@types").symlink_to(modules / "@types")
    packages.run(package, modules / ".bin/tsc")
    shutil.copy(PACKAGE / "example/shop.ts", folder)
    samples = programs("typescript", recorder.url)
    _write(folder / "samples", samples)
    imports = "".join(f'await import("./{number}.js");\n' for number in range(len(samples)))
    (folder / "samples/all.ts").write_text(f"export {{}};\n{imports}")
    for page in PAGES:
        blocks = _BLOCK.findall((ROOT / page).read_text())
        _write(folder / Path(page).parent, [_declared(block) for block in blocks])
    packages.run(folder, modules / ".bin/tsc")
    return folder


def _write(folder: Path, texts: list[str]) -> None:
    folder.mkdir(parents=True)
    for number, text in enumerate(texts):
        # Otherwise each would declare its variables for all.
        (folder / f"{number}.ts").write_text(f"export {{}};\n{text}\n")


def _declared(block: str) -> str:
    missing = [line for name, line in _READERS.items() if name in block and f"const {name} " not in block]
    return "".join(f"declare {line};\n" for line in missing) + block
