"""The table of tools: what an agent can ask, and what it can change where the operator permits it."""

from __future__ import annotations

from lootkeep.mcp import changes, orders, store, support

TOOLS = (*orders.TOOLS, *support.TOOLS, *store.TOOLS)
CHANGES = changes.CHANGES
BY_NAME = {tool.name: tool for tool in (*TOOLS, *CHANGES)}
