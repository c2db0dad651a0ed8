"""Who and what may use the store: the team with its roles, and the tokens of the API."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

from lootkeep.console import forms, lists
from lootkeep.console.columns import AGO, BADGE, CODE, DAY, EMAIL, NAME, YES_OR_NO, Column
from lootkeep.console.forms import Field
from lootkeep.console.page import Answer, Done, Page, Visit, change, url
from lootkeep.console.records import DELETED, Record
from lootkeep.domain.access import SCOPES
from lootkeep.domain.roles import PRESET_NAMES, PRESET_TEXTS, ROLE_SCOPES
from lootkeep.kernel.clock import iso
from lootkeep.kernel.errors import existing
from lootkeep.services import access as access_service, second_factor as second_factor_service, users as users_service
from lootkeep.storage.access import accounts as accounts_db, rows as access_db

INVITATION = (
    Field("name", "Name", forms.text(), is_required=True),
    Field("email", "E-mail", forms.EMAIL, is_required=True),
)
USERS = lists.ListPage(
    listing=accounts_db.LISTING,
    columns=(
        Column("Name", "name", NAME, "name"),
        Column("E-mail", "email", EMAIL, "email"),
        Column("Role", "role_title", BADGE),
        Column("State", "state", BADGE),
        Column("Two-factor", "has_second_factor", YES_OR_NO),
        Column("Added", "created_at", AGO, "created_at"),
    ),
    exported=(Column("Id", "id"),),
    link=lambda user: f"/users/{user.id}",
    text="People who can sign in to the console, and who own the API tokens.",
    links=(lists.Link("/roles", "Roles", ""), lists.Link("/users/new", "Invite a user")),
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
        Column("User", "email", NAME, is_extra=True),
        Column("Scopes", "scopes"),
        Column("Created", "created_at", AGO, "created_at", is_extra=True),
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
# Reading and changing an area are next to each other.
_BY_AREA = {scope: text for scope, text in ROLE_SCOPES.items() if scope in SCOPES} | SCOPES
TOKEN = (
    Field("name", "What it is for", forms.text(), is_required=True, placeholder="Discord bot"),
    Field("scopes", "Scopes", forms.several(_BY_AREA, "Choose at least one scope.")),
    Field("expires_in_days", "Expires after days", forms.whole(1, _MAX_DAYS), "Leave empty if it never expires."),
    Field("rate_limit", "Requests a minute", forms.whole(0, _MAX_REQUESTS), _RATE),
)


_SCOPES = replace(
    forms.several(ROLE_SCOPES, "Choose at least one scope."), write=lambda scopes, _: scopes.replace(" ", "\n")
)
_LIMIT = "The largest single refund, in the store’s currency. Leave empty for no limit."
ROLE = {
    "Role": (
        Field("name", "Name", forms.text(), is_required=True, placeholder="Support"),
        Field("refund_limit", "Refund limit", forms.amount(), _LIMIT),
        Field("masks_emails", "Mask e-mail addresses", forms.switch(), "Shown and exported as a***@example.com."),
        Field(
            "hides_revenue",
            "Hide revenue",
            forms.switch(),
            "No sums on the overview, in analytics, above lists and in files.",
        ),
    ),
    "Scopes": (Field("scopes", "What they may do", _SCOPES),),
}
ROLE_RECORD = Record(
    "Role", "/roles", accounts_db.ROLES, ("name", "scopes", "masks_emails", "hides_revenue"), ("refund_limit",)
)


async def _role_field(visit: Visit) -> Field:
    async with visit.deps.db.read() as tx:
        options = await users_service.roles_to_give(tx, visit.user.permissions)
    return Field("role", "Role", forms.choice(options), default="staff")


async def show_roles(visit: Visit) -> Answer:
    async with visit.deps.db.read() as tx:
        roles, people = await accounts_db.ROLES.find(tx), await accounts_db.people(tx)
    counts = Counter(person.role_title for person in people)
    return {"roles": roles, "presets": PRESET_TEXTS, "preset_names": PRESET_NAMES, "counts": counts}


async def create_role(visit: Visit) -> Answer:
    role = await users_service.create_role(visit.deps, forms.read(visit, ROLE))
    return ROLE_RECORD.done(f"{role.name} is made. Give it to people on the team page.", None, role)


async def show_user(visit: Visit) -> Answer:
    async with visit.deps.db.read() as tx:
        user = existing(await access_db.USERS.get(tx, visit.id), "User")
        account = await accounts_db.ROWS.get(tx, visit.id)
        person = await accounts_db.person(tx, visit.id)
        sessions = await accounts_db.sessions_of(tx, visit.id)
        has_second_factor = account is not None and await second_factor_service.is_on(tx, account)
    return {
        "user": user,
        "account": account,
        "person": person,
        "has_second_factor": has_second_factor,
        "may_change": visit.user.may("team:write")
        and (person is None or visit.user.permissions.covers(person.permissions)),
        "last_seen_at": max((session.last_seen_at for session in sessions), default=None),
        "fields": (await _role_field(visit),),
        "title": user.name,
    }


_LINK = "You get a one-time link to send to them. No e-mail is sent."


async def show_invitation(visit: Visit) -> Answer:
    fields = (*INVITATION, await _role_field(visit))
    texts = {"title": visit.page.title, "text": _LINK, "submit": "Invite", "back": "/users"}
    return forms.show(visit, fields, None, **texts)


async def invite(visit: Visit) -> Answer:
    values = forms.read(visit, (*INVITATION, await _role_field(visit)))
    user_id, link = await users_service.invite(visit.deps, **values, by=visit.user.permissions)
    return _with_link(visit, user_id, link, "The user is invited.", {"role": values["role"]})


async def make_link(visit: Visit) -> Answer:
    link = await users_service.make_link(visit.deps, visit.id, visit.user.permissions)
    return _with_link(visit, visit.id, link, "The link sets a new password and ends the second factor.", {})


async def change_role(visit: Visit) -> Answer:
    field = await _role_field(visit)
    role = forms.read(visit, [field])["role"]
    before, after = await users_service.change_role(visit.deps, visit.id, role, visit.user.permissions)
    visit.check_unchanged(f"user:{visit.id}", before.updated_at)
    async with visit.deps.db.read() as tx:
        person = existing(await accounts_db.person(tx, visit.id), "Account")
    was, now = {"role": before.role_key}, {"role": after.role_key}
    message = f"The role is now {person.role_title}."
    return Done(url(f"/users/{visit.id}"), message, f"user:{visit.id}", was, now)


async def disable(visit: Visit) -> Answer:
    before = await users_service.disable(visit.deps, visit.id, visit.user.permissions)
    could, can = {"can_sign_in": before.disabled_at is None}, {"can_sign_in": False}
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


_ROLE_DELETE = "/roles/{id}/delete"
_ROLE_EDIT = {"actions": ((_ROLE_DELETE, "Delete…", "danger-text"),)}
_ROLE_GONE = "Only a role that nobody has can be deleted."
_DISABLED = (
    "They are signed out everywhere and cannot sign in until they get a new one-time link, single sign-on included. "
    "Their API tokens keep working; revoke them on the tokens page."
)
_ONCE = "It is shown once. Give it only the scopes that its program needs."
_REVOKED = "Programs that use it lose access immediately. This cannot be undone."

PAGES = (
    lists.page("/users", "team:read", "Team", USERS, "Store"),
    *forms.rows("/users/new", "team:write", "Invite a user", show_invitation, invite),
    Page("GET", "/users/{id}", "team:read", "User", show_user, "user.html"),
    change("/users/{id}/role", "team:write", "Change role", change_role),
    change("/users/{id}/link", "team:write", "Make a one-time link", make_link),
    change("/users/{id}/disable", "team:write", "Disable user", disable, _DISABLED),
    Page("GET", "/roles", "owner", "Roles", show_roles, "roles.html", under="/users"),
    *forms.rows("/roles/new", "owner", "Make a role", forms.new(ROLE, submit="Make the role"), create_role),
    *ROLE_RECORD.edit("/roles/{id}/edit", "owner", "Change a role", ROLE, users_service.edit_role, **_ROLE_EDIT),
    ROLE_RECORD.change(_ROLE_DELETE, "owner", "Delete a role", users_service.delete_role, DELETED, _ROLE_GONE),
    lists.page("/tokens", "owner", "API tokens", TOKENS, "Connect", "tokens.html"),
    *forms.rows("/tokens/new", "owner", "Create a token", forms.new(TOKEN, text=_ONCE), create_token),
    # Waits until every process has forgotten the token.
    change("/tokens/{id}/revoke", "owner", "Revoke token", revoke_token, confirm=_REVOKED, is_foreign=True),
)
