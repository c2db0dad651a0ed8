"""The tables in docs/mcp.md are written from the tools: `python -m tests.rules.test_mcp_page` writes them again."""

from __future__ import annotations

import pytest

from lootkeep.domain.access import SCOPES
from lootkeep.mcp.tool import Change, Tool
from lootkeep.mcp.tools import CHANGES, TOOLS
from tests.rules.tree import ROOT

PAGE = ROOT / "docs/mcp.md"
COMMAND = "python -m tests.rules.test_mcp_page"
TABLES: dict[str, tuple[Tool | Change, ...]] = {"| tool |": TOOLS, "| change |": CHANGES}


def rows(beginning: str) -> list[str]:
    return [f"| `{tool.name}` | `{tool.scope}` | {tool.description} |" for tool in TABLES[beginning]]


def table(text: str, beginning: str) -> list[str]:
    """The lines of a table, with its head."""
    lines = text[text.index(f"\n{beginning}") + 1 :].split("\n\n")[0]
    return lines.rstrip().splitlines()


@pytest.mark.parametrize("beginning", TABLES)
def test_a_table_lists_every_tool_as_the_code_has_it(beginning: str) -> None:
    assert table(PAGE.read_text(), beginning)[2:] == rows(beginning), f"docs/mcp.md is old: run `{COMMAND}`."


def test_tools_that_read_need_a_read_scope_and_changes_a_write_scope() -> None:
    assert {tool.scope.partition(":")[2] for tool in TOOLS} == {"read"}
    assert {change.scope.partition(":")[2] for change in CHANGES} == {"write"}
    assert {tool.scope for tool in (*TOOLS, *CHANGES)} <= SCOPES.keys()


if __name__ == "__main__":
    page = PAGE.read_text()
    for head in TABLES:
        old = table(page, head)
        page = page.replace("\n".join(old), "\n".join([*old[:2], *rows(head)]))
    PAGE.write_text(page)
