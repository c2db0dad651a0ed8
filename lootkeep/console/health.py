"""Health: what `lootkeep doctor` finds, of the process that answers."""

from __future__ import annotations

from lootkeep import __version__
from lootkeep.console.page import Answer, Page, Visit

# What people read for each thing that is looked at.
_NAMES = {
    "settings": "Settings",
    "database": "Database",
    "key": "Secret key",
    "files": "Files",
    "redis": "Redis",
    "mail": "Mail",
    "accounts": "Accounts",
    "lists": "Lists",
}


async def show_health(visit: Visit) -> Answer:
    findings = await visit.options.examine(visit.deps) if visit.options.examine else ()
    named = [(_NAMES.get(finding.what, f"List: {finding.what}"), finding) for finding in findings]
    return {"findings": named, "bad": sum(not finding.is_good for finding in findings), "version": __version__}


PAGES = (Page("GET", "/health", "staff", "Health", show_health, "health.html", group="Store"),)
