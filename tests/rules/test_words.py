"""Retired words stay out of code, tests, docs, command line and API texts; `retired_words.txt` lists them."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from tests.rules.tree import ROOT, files, name

TABLE = Path(__file__).with_name("retired_words.txt")
# Generated from elsewhere, or not ours.
_LEFT_ALONE = ("locks/", "bench/peers/")
# They say what happened to a thing, not what it is. Fine as a field of a record, such as how many were added.
_PARTICIPLES = {"added", "given", "held", "known", "shown"}


class RetiredWord(NamedTuple):
    pattern: re.Pattern[str]
    # Finds more in lower-case text, five times as fast.
    rough: re.Pattern[str]
    better: str
    # Paths that may use it.
    exceptions: tuple[str, ...]


def retired_words() -> list[RetiredWord]:
    lines = [line for line in TABLE.read_text().splitlines() if line and not line.startswith("#")]
    rows = [(line + "\t").split("\t")[:3] for line in lines]
    return [
        RetiredWord(
            re.compile(rf"(?<![^\W_])(?:{words})(?![^\W_])", re.IGNORECASE),
            re.compile(words.replace("(?-i:", "(?:").lower()),
            better,
            tuple(exceptions.split()),
        )
        for words, better, exceptions in rows
    ]


def texts() -> list[Path]:
    listed = files("*.py", "*.md", "*.html", "*.txt", "*.toml", "*.yml", "*.js", "*.php", "Makefile")
    return [file for file in listed if file != TABLE and not name(file).startswith(_LEFT_ALONE)]


def test_no_file_uses_a_retired_word() -> None:
    table = retired_words()
    offenders = [
        f"{name(file)}:{number}: {match.group()!r}, better: {word.better}"
        for file in texts()
        for text in [file.read_text()]
        for lower in [text.lower()]
        for word in table
        if word.rough.search(lower) and not name(file).startswith(word.exceptions)
        for number, line in enumerate(text.splitlines(), 1)
        if (match := word.pattern.search(line))
    ]
    assert not offenders, "\n".join(offenders)


def test_no_variable_or_parameter_is_a_participle() -> None:
    offenders = [
        f"{name(file)}:{line}: {variable}"
        for file in files("*.py", under=ROOT / "lootkeep")
        for line, variable in _variables(ast.parse(file.read_text()))
        if variable in _PARTICIPLES
    ]
    assert not offenders, f"Name the thing, such as a row, a form or a context: {offenders}"


def test_no_function_is_a_participle() -> None:
    offenders = [
        f"{name(file)}:{node.lineno}: {node.name}"
        for file in files("*.py", under=ROOT / "lootkeep")
        for node in ast.walk(ast.parse(file.read_text()))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name.strip("_") in _PARTICIPLES - {"held"}
    ]
    assert not offenders, f"Name what it returns, such as a view or a text: {offenders}"


def _variables(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """Of functions, with their parameters."""
    for function in ast.walk(tree):
        if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            for node in ast.walk(function):
                if isinstance(node, ast.arg):
                    yield node.lineno, node.arg
                elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                    yield node.lineno, node.id


def test_the_rule_sees_a_retired_word() -> None:
    better = {word.better for word in retired_words() if word.pattern.search("counted " + "ane" + "w")}
    assert better == {"again"}
    assert any(word.pattern.search("_is_" + "to" + "ld") for word in retired_words())
    files = (ROOT / "README.md", ROOT / "CHANGELOG.md", ROOT / "lootkeep/settings/fields.py", Path(__file__))
    assert set(files) <= set(texts())
