"""Who and what may use the store: the users of the console, and the tokens of the API."""

from __future__ import annotations

from lootkeep.console import forms, lists
from lootkeep.console.columns import AGO, BADGE, CODE, DAY, EMAIL, NAME, YES_OR_NO, Column
from lootkeep.console.forms import Field
from lootkeep.console.page import Answer, Done, Page, Visit, change, url
from lootkeep.domain.access import SCOPES
from lootkeep.domain.accounts import ROLE_NAMES, ROLES
from lootkeep.kernel.clock import iso
from lootkeep.kernel.errors import existing
from lootkeep.services import access as access_service, users as users_service
from lootkeep.storage.access import accounts as accounts_db, rows as access_db

ROLE = Field("role", "Role", forms.choice(ROLES), default="staff")
INVITATION = (
    Field("name", "Name", forms.text(), is_required=True),
    Field("email", "E-mail", forms.EMAIL, is_required=True),
    ROLE,
)
USERS = lists.ListPage(
    listing=accounts_db.LISTING,
    columns=(
        Column("Name", "name", NAME, "name"),
        Column("E-mail", "email", EMAIL, "email"),
        Column("Role", "role", BADGE),
        Column("State", "state", BADGE),
        Column("Two-factor", "has_totp", YES_OR_NO),
        Column("Added", "created_at", AGO, "created_at"),
    ),
    exported=(Column("Id", "id"),),
    link=lambda user: f"/users/{user.id}",
    text="People who can sign in to the console, and who own the API tokens.",
    links=(lists.Link("/users/new", "Invite a user"),),
    empty="People who work in the store. Invite the first one.",
    has_dates=False,
)
_MAX_DAYS = 36_500
_MAX_REQUESTS = 1_000_000_000

TOKENS = lists.ListPage(
    listing=access_db.TOKEN_LIST,
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
    text="Credentials of programs that call the API. A token is shown once; afterwards only its beginning is known.",
    links=(lists.Link("/tokens/new", "Create a token"),),
    empty="A token lets a program call the API. Create one with the scopes that the program needs.",
    has_dates=False,
)
_RATE = "Leave empty for the store’s limit; 0 means no limit."
TOKEN = (
    Field("name", "What it is for", forms.text(), is_required=True, placeholder="Discord bot"),
    Field("scopes", "Scopes", forms.several(SCOPES, "Choose at least one scope.")),
    Field("expires_in_days", "Expires after days", forms.whole(1, _MAX_DAYS), "Leave empty if it never expires."),
    Field("rate_limit", "Requests a minute", forms.whole(0, _MAX_REQUESTS), _RATE),
)


async def show_user(visit: Visit) -> Answer:
    async with visit.deps.db.read() as tx:
        user = existing(await access_db.USERS.get(tx, visit.id), "User")
        account = await accounts_db.ROWS.get(tx, visit.id)
        sessions = await accounts_db.sessions_of(tx, visit.id)
    seen = max((session.last_seen_at for session in sessions), default=None)
    return {"user": user, "account": account, "last_seen_at": seen, "fields": (ROLE,), "title": user.name}


_LINK = "You get a one-time link to send to them. No e-mail is sent."
show_invitation = forms.new(INVITATION, text=_LINK, submit="Invite")


async def invite(visit: Visit) -> Answer:
    values = forms.read(visit, INVITATION)
    user_id, link = await users_service.invite(visit.deps, **values)
    return _with_link(visit, user_id, link, "The user is invited.", {"role": values["role"]})


async def make_link(visit: Visit) -> Answer:
    link = await users_service.make_link(visit.deps, visit.id)
    return _with_link(visit, visit.id, link, "The link sets a new password and ends the second factor.", {})


async def change_role(visit: Visit) -> Answer:
    before, after = await users_service.change_role(visit.deps, visit.id, forms.read(visit, [ROLE])["role"])
    visit.check_unchanged(f"user:{visit.id}", before.updated_at)
    message = f"The role is now {ROLE_NAMES[after.role].lower()}."
    return Done(url(f"/users/{visit.id}"), message, f"user:{visit.id}", {"role": before.role}, {"role": after.role})


async def disable(visit: Visit) -> Answer:
    before = await users_service.disable(visit.deps, visit.id)
    could, can = {"can_sign_in": before.password_hash is not None}, {"can_sign_in": False}
    return Done(url(f"/users/{visit.id}"), "They are signed out everywhere.", f"user:{visit.id}", could, can)


def _with_link(visit: Visit, user_id: int, link: str, sentence: str, after: dict[str, object]) -> Done:
    """The page that shows a one-time link."""
    # Never from the request, whose `Host` anyone could have sent.
    address = f"{visit.deps.store.public_url}{url('/setup')}?token={link}"
    advice = "Send them this link. It works once, and expires after a day."
    secret_page = {"title": "One-time link", "sentence": f"{sentence} {advice}", "secret": address}
    return Done(url(f"/users/{user_id}"), "", f"user:{user_id}", {}, after, secret_page=secret_page)


async def create_token(visit: Visit) -> Answer:
    values = forms.read(visit, TOKEN)
    secret, token = await access_service.create_token(visit.deps, user_email=visit.user.email, **values)
    sentence = "The token is created. Programs send it in the header “Authorization: Bearer …”."
    secret_page = {"title": token.name, "sentence": sentence, "secret": secret}
    expires_at = iso(token.expires_at) if token.expires_at is not None else None
    return Done(
        url("/tokens"), "", f"token:{token.id}", {}, values | {"expires_at": expires_at}, secret_page=secret_page
    )


async def revoke_token(visit: Visit) -> Answer:
    was_valid = await access_service.revoke_token(visit.deps, visit.id)
    message = "The token is revoked." if was_valid else "The token had been revoked before."
    return Done(url("/tokens"), message, f"token:{visit.id}", {"is_revoked": not was_valid}, {"is_revoked": True})


_DISABLED = (
    "They are signed out everywhere and cannot sign in until they get a new one-time link. "
    "Their API tokens keep working; revoke them on the tokens page."
)
_ONCE = "It is shown once. Give it only the scopes that its program needs."
_REVOKED = "Programs that use it lose access immediately. This cannot be undone."

PAGES = (
    lists.page("/users", "Users", USERS, "Store", role="owner"),
    *forms.rows("/users/new", "Invite a user", show_invitation, invite, role="owner"),
    Page("GET", "/users/{id}", "owner", "User", show_user, "user.html"),
    change("/users/{id}/role", "Change role", change_role, role="owner"),
    change("/users/{id}/link", "Make a one-time link", make_link, role="owner"),
    change("/users/{id}/disable", "Disable user", disable, _DISABLED, role="owner"),
    lists.page("/tokens", "API tokens", TOKENS, "Connect", "tokens.html", role="owner"),
    *forms.rows("/tokens/new", "Create a token", forms.new(TOKEN, text=_ONCE), create_token, role="owner"),
    # Waits until every process has forgotten the token.
    change("/tokens/{id}/revoke", "Revoke token", revoke_token, confirm=_REVOKED, role="owner", is_foreign=True),
)
