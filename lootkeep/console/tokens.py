"""API tokens: which there are, what each may do, when it was last used; a new one is shown once."""

from __future__ import annotations

from lootkeep.console import lists
from lootkeep.console.lists import Column, ListPage
from lootkeep.console.page import Answer, Done, Page, Visit, change, url
from lootkeep.domain.access import SCOPES, Token
from lootkeep.kernel.clock import Instant, iso
from lootkeep.kernel.errors import invalid
from lootkeep.services import access
from lootkeep.storage import access as access_db

_TOKENS = "/tokens"
_MAX_DAYS = 36_500
_MAX_REQUESTS = 1_000_000_000

TOKENS = ListPage(
    access_db.TOKENS,
    columns=(
        Column("Name", lambda token: token.name, "name"),
        Column("Token", lambda token: f"{token.hint}…"),
        Column("User", lambda token: token.email),
        Column("Scopes", lambda token: token.scopes),
        Column("Created", lambda token: iso(token.created_at), "created_at", is_number=True),
        Column("Expires", lambda token: _iso(token.expires_at), "expires_at", is_number=True),
        Column("Last used", lambda token: _iso(token.last_used_at), "last_used_at", is_number=True),
        Column("Revoked", lambda token: _iso(token.revoked_at), is_number=True),
    ),
    empty="A token lets a program call the API. Create one with the scopes that the program needs.",
    file="tokens",
    has_dates=False,
)


async def show_form(visit: Visit) -> Answer:
    return {"scopes": SCOPES, "chosen": visit.form.get("scope", "").split("\n")}


async def create(visit: Visit) -> Answer:
    scopes = [name for name in visit.form.get("scope", "").split("\n") if name]
    if not scopes:
        raise invalid("scope", "Choose at least one scope.")
    secret, token = await access.create_token(
        visit.deps,
        name=visit.form.get("name", "").strip(),
        scopes=scopes,
        user_email=visit.user.email,
        rate_limit=_number(visit, "rate_limit", 0, _MAX_REQUESTS),
        expires_in_days=_number(visit, "expires", 1, _MAX_DAYS),
    )
    sentence = "The token is created. Programs send it in the header “Authorization: Bearer …”."
    shown = {"title": token.name, "sentence": sentence, "secret": secret, "back": url(_TOKENS)}
    return Done(url(_TOKENS), "", f"token:{token.id}", {}, _audited(token), shown=shown)


async def revoke(visit: Visit) -> Answer:
    was_valid = await access.revoke_token(visit.deps, visit.id)
    message = "The token is revoked." if was_valid else "The token had been revoked before."
    return Done(url(_TOKENS), message, f"token:{visit.id}", {"is_revoked": not was_valid}, {"is_revoked": True})


def _number(visit: Visit, name: str, least: int, most: int) -> int | None:
    text = visit.text(name)
    if text is None:
        return None
    if not (text.isascii() and text.isdigit() and len(text) < 12 and least <= int(text) <= most):
        raise invalid(name, f"Enter a whole number from {least:,} to {most:,}, or nothing.")
    return int(text)


def _audited(token: Token) -> dict[str, object]:
    return {
        "name": token.name,
        "scopes": token.scopes.split(),
        "rate_limit": token.rate_limit,
        "expires_at": _iso(token.expires_at),
    }


def _iso(at: Instant | None) -> str | None:
    return iso(at) if at is not None else None


_FORM = ("token_form.html", show_form)
_REVOKED = "Programs that use it are refused from their next request on. This cannot be undone."
list_tokens = lists.page_of(TOKENS, all_scopes=len(SCOPES))

PAGES = (
    Page("GET", _TOKENS, "owner", "API tokens", list_tokens, "tokens.html", group="Connect"),
    Page("GET", "/tokens/new", "owner", "Create a token", show_form, "token_form.html"),
    change("/tokens/new", "Create a token", create, _FORM, role="owner"),
    # Waits until every process has forgotten the token.
    change("/tokens/{id}/revoke", "Revoke token", revoke, confirm=_REVOKED, role="owner", is_foreign=True),
)
