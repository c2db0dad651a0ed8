"""Files and functions stay small enough to be read at once, and each file says what it is for."""

from __future__ import annotations

import ast
from pathlib import Path

from tests.rules.tree import ROOT, files, name

MAX_FILE_LINES = 300
MAX_FUNCTION_LINES = 40

FOLDERS = [folder for folder in ("lootkeep", "clients", "bench", "tools") if (ROOT / folder).is_dir()]
# Nobody reads a generated file from top to bottom.
GENERATED = "clients/python/lootkeep_client/types/"
# Said in their first lines where they are in a folder with others.
WRITTEN_BY = "; written by `python -m tools.write_clients`."
OTHER_LANGUAGES = [file for folder in ("clients", "tests") for file in files("*.php", "*.ts", under=ROOT / folder)]
SOURCES = [file for folder in FOLDERS for file in files("*.py", under=ROOT / folder)]
TESTS = [file for file in files("*.py", under=ROOT / "tests") if file.stat().st_size]

Function = ast.FunctionDef | ast.AsyncFunctionDef


def test_no_file_is_too_long() -> None:
    texts = {name(file): file.read_text() for file in [*SOURCES, *TESTS, *OTHER_LANGUAGES]}
    lengths = {file: len(text.splitlines()) for file, text in texts.items() if not _is_generated(file, text)}
    long = {file: lines for file, lines in lengths.items() if lines > MAX_FILE_LINES}
    assert not long, f"Make a package of each, with one file per subject: {long}"


def test_no_function_is_too_long() -> None:
    long = {
        f"{name(file)}: {function.name}": _lines(function)
        for file in SOURCES
        for function in _functions(file)
        if _lines(function) > MAX_FUNCTION_LINES
    }
    assert not long, f"These functions do not fit on a screen: {long}"


def test_every_file_opens_with_a_sentence_that_says_what_it_is_for() -> None:
    silent = [name(file) for file in [*SOURCES, *TESTS] if not _opening(file).endswith((".", "`", ">"))]
    assert not silent, f"The first line of the docstring must be a sentence: {silent}"


def _is_generated(file: str, text: str) -> bool:
    return file.startswith(GENERATED) or WRITTEN_BY in text[:500]


def _functions(file: Path) -> list[Function]:
    return [node for node in ast.walk(ast.parse(file.read_text())) if isinstance(node, Function)]


def _opening(file: Path) -> str:
    return (ast.get_docstring(ast.parse(file.read_text())) or "").partition("\n")[0]


def _lines(node: Function) -> int:
    return (node.end_lineno or node.lineno) - node.lineno + 1
