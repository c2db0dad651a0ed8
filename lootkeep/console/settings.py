"""Settings: what the service was started with, to read; what is stored is changed on pages of its own."""

from __future__ import annotations

from lootkeep.console.page import Answer, Page, Visit
from lootkeep.kernel.redaction import ShownSetting

# The cards of the page: settings whose names begin so.
_GROUPS = {
    "Store": ("STORE", "CURRENCY", "TIMEZONE", "PUBLIC_URL", "ENVIRONMENT"),
    "Mail and campaigns": ("SMTP", "MAIL", "CAMPAIGN"),
    "Webhooks and events": ("WEBHOOK", "EVENTS"),
    "API": ("RATE", "AUTH", "MAX", "HOST", "PORT"),
    "Data": ("DATABASE", "REDIS", "SECRET", "DATA"),
}
_PREFIX_LENGTH = len("LOOTKEEP_")


async def show_settings(visit: Visit) -> Answer:
    groups: dict[str, list[ShownSetting]] = {name: [] for name in (*_GROUPS, "Other")}
    for setting in visit.options.settings:
        groups[_group(setting.name[_PREFIX_LENGTH:])].append(setting)
    return {"groups": groups}


def _group(name: str) -> str:
    return next((group for group, beginnings in _GROUPS.items() if name.startswith(beginnings)), "Other")


PAGES = (Page("GET", "/settings", "owner", "Settings", show_settings, "settings.html", group="Store"),)
