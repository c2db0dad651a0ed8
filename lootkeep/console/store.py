"""The store itself: whether all is well."""

from __future__ import annotations

from lootkeep import __version__
from lootkeep.console.page import Answer, Page, Visit
from lootkeep.services.health import worst

_LEVELS = {"bad": 0, "warning": 1, "ok": 2}


async def show_health(visit: Visit) -> Answer:
    findings = list(await visit.options.examine(visit.deps)) if visit.options.examine else []
    findings = sorted(findings, key=lambda finding: _LEVELS[finding.level])
    return {"findings": findings, "worst": worst(findings), "version": __version__}


PAGES = (Page("GET", "/health", "health:read", "Health", show_health, "health.html", group="Store"),)
