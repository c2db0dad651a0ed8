"""API tokens: which there are, what each may do, when it was last used; a new one is shown once."""

from __future__ import annotations

from lootkeep.console import forms, lists
from lootkeep.console.columns import AGO, CODE, DAY, NAME, Column
from lootkeep.console.forms import Field
from lootkeep.console.lists import Link, ListPage
from lootkeep.console.page import Answer, Done, Visit, change, url
from lootkeep.domain.access import SCOPES
from lootkeep.kernel.clock import iso
from lootkeep.services import access
from lootkeep.storage import access as access_db

_MAX_DAYS = 36_500
_MAX_REQUESTS = 1_000_000_000

TOKENS = ListPage(
    listing=access_db.TOKENS,
    columns=(
        Column("Name", "name", NAME, "name"),
        Column("Token", "hint", CODE),
        Column("User", "email", NAME),
        Column("Scopes", "scopes"),
        Column("Created", "created_at", AGO, "created_at"),
        Column("Expires", "expires_at", DAY, "expires_at"),
        Column("Last used", "last_used_at", AGO, "last_used_at"),
        Column("Revoked", "revoked_at", AGO),
    ),
    text="What programs call the API with. Tokens themselves are not stored, only their beginning.",
    links=(Link("/tokens/new", "Create a token"),),
    empty="A token lets a program call the API. Create one with the scopes that the program needs.",
    file="tokens",
    has_dates=False,
)
_RATE = "The limit of the store when empty; 0 for any number."
FORM = (
    Field("name", "What it is for", forms.text(), is_required=True, placeholder="Discord bot"),
    Field("scopes", "Scopes", forms.several(SCOPES, "Choose at least one scope.")),
    Field("expires_in_days", "Expires after days", forms.whole(1, _MAX_DAYS), "Never when empty."),
    Field("rate_limit", "Requests a minute", forms.whole(0, _MAX_REQUESTS), _RATE),
)


async def create(visit: Visit) -> Answer:
    values = forms.read(visit, FORM)
    secret, token = await access.create_token(visit.deps, user_email=visit.user.email, **values)
    sentence = "The token is created. Programs send it in the header “Authorization: Bearer …”."
    shown = {"title": token.name, "sentence": sentence, "secret": secret, "back": url("/tokens")}
    expires_at = iso(token.expires_at) if token.expires_at is not None else None
    return Done(url("/tokens"), "", f"token:{token.id}", {}, values | {"expires_at": expires_at}, shown=shown)


async def revoke(visit: Visit) -> Answer:
    was_valid = await access.revoke_token(visit.deps, visit.id)
    message = "The token is revoked." if was_valid else "The token had been revoked before."
    return Done(url("/tokens"), message, f"token:{visit.id}", {"is_revoked": not was_valid}, {"is_revoked": True})


_ONCE = "It is shown once. Give it only the scopes that its program needs."
_NEW = forms.new(FORM, title="Create a token", text=_ONCE, back="/tokens")
_REVOKED = "Programs that use it are refused from their next request on. This cannot be undone."

PAGES = (
    lists.page("/tokens", "API tokens", TOKENS, "Connect", "tokens.html", role="owner"),
    *forms.rows("/tokens/new", "Create a token", _NEW, create, role="owner"),
    # Waits until every process has forgotten the token.
    change("/tokens/{id}/revoke", "Revoke token", revoke, confirm=_REVOKED, role="owner", is_foreign=True),
)
