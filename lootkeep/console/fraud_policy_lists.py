"""The fraud lists of every store: trusted e-mails and addresses, blocked countries."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from lootkeep.console import forms, fraud_named_lists
from lootkeep.console.forms import Field
from lootkeep.console.page import Answer, Done, Page, Visit, change, url
from lootkeep.domain import identity
from lootkeep.domain.fraud.countries import HIGH_RISK, SANCTIONED
from lootkeep.domain.fraud.policy import SETTINGS, Policy
from lootkeep.kernel.errors import NotFound
from lootkeep.services import fraud as fraud_service
from lootkeep.storage import fraud_entries
from lootkeep.storage import settings as settings_db

# So many entries of a list are shown; the search finds the others.
MAX_SHOWN = 100


@dataclass(frozen=True, slots=True)
class FraudList:
    """A list that people add to and remove from."""

    title: str
    text: str
    setting: fraud_service.ListName
    # An entry as people enter it.
    field: Field


_ADDRESS = forms.parsed(identity.address, "This is not an IP address.")
_ALLOWED = "Orders of these are always allowed."
_BLOCKED = "Orders from these, by address or bill, are always blocked."
_EMAIL = Field("emails", "E-mail", forms.EMAIL, is_required=True, placeholder="jun@example.com")
_IP = Field("addresses", "IP address", _ADDRESS, is_required=True, placeholder="203.0.113.9")
_COUNTRY = Field("countries", "Country code", forms.COUNTRY, is_required=True, placeholder="KP")
LISTS = {
    "emails": FraudList("Trusted e-mails", _ALLOWED, "fraud_whitelisted_emails", _EMAIL),
    "addresses": FraudList("Trusted addresses", _ALLOWED, "fraud_whitelisted_ips", _IP),
    "countries": FraudList("Blocked countries", _BLOCKED, "fraud_custom_blocked_countries", _COUNTRY),
}


async def show_lists(visit: Visit) -> Answer:
    async with visit.deps.db.read() as tx:
        policy = await settings_db.get(tx, SETTINGS, Policy)
        counts = await fraud_entries.counts(tx)
        own_lists = [(item, counts.get(item.id, 0)) for item in await fraud_entries.all_lists(tx)]
    term = visit.query.get("search", "").strip().lower()
    return {
        "term": term,
        "own_lists": own_lists,
        "new_list": fraud_named_lists.LIST,
        "fraud_lists": [
            (name, fraud_list, *_shown(getattr(policy, fraud_list.setting), term)) for name, fraud_list in LISTS.items()
        ],
        "sanctioned": sorted(SANCTIONED),
        "high_risk": sorted(HIGH_RISK),
    }


def _shown(entries: Iterable[str], term: str) -> tuple[list[str], int]:
    """The first entries that hold the term, and how many do."""
    matching = sorted(entry for entry in entries if term in entry.lower())
    return matching[:MAX_SHOWN], len(matching)


async def add_entry(visit: Visit) -> Answer:
    return await _change_list(visit, is_added=True)


async def remove_entry(visit: Visit) -> Answer:
    return await _change_list(visit, is_added=False)


async def _change_list(visit: Visit, *, is_added: bool) -> Done:
    name = visit.request.path_params["list"]
    fraud_list = LISTS.get(name)
    if fraud_list is None:
        raise NotFound("Page")
    entry = forms.read(visit, [fraud_list.field])[name]
    await fraud_service.change_list(visit.deps, fraud_list.setting, entry, is_added=is_added)
    message = f"{entry} is {'on' if is_added else 'no longer on'} the list of {fraud_list.title.lower()}."
    changed: dict[str, Any] = {fraud_list.setting: entry}
    before, after = (None, changed) if is_added else (changed, None)
    return Done(url("/fraud/lists"), message, f"setting:{SETTINGS}", before, after)


_LISTS = ("fraud_lists.html", show_lists)

PAGES = (
    Page("GET", "/fraud/lists", "read_only", "Fraud lists", show_lists, "fraud_lists.html"),
    change("/fraud/lists/{list}/add", "Add to a fraud list", add_entry, _LISTS),
    change("/fraud/lists/{list}/remove", "Remove from a fraud list", remove_entry, _LISTS),
)
