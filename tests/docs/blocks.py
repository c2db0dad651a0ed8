"""The code blocks of a page, by heading and language."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from tests.rules.tree import ROOT

PAGE = ROOT / "docs/webhooks.md"


def block(heading: str, language: str) -> str:
    """The first block in that language below the heading."""
    _, separator, rest = PAGE.read_text().partition(f"\n### {heading}\n")
    assert separator, f"{PAGE.name} has no heading {heading!r}."
    code = re.search(rf"^```{language}\n(.*?)^```$", rest.partition("\n## ")[0], re.DOTALL | re.MULTILINE)
    assert code, f"{PAGE.name} has no {language} block below {heading!r}."
    return code[1]


def python_functions(heading: str) -> dict[str, Callable[..., Any]]:
    """What the Python block defines."""
    names: dict[str, Any] = {}
    exec(compile(block(heading, "python"), f"{PAGE.name}: {heading}", "exec"), names)
    return names
