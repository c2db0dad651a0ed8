"""Users: who may sign in to the console, and as what."""

from __future__ import annotations

from lootkeep.console import lists
from lootkeep.console.labels import label
from lootkeep.console.lists import Column, ListPage
from lootkeep.console.page import Answer, Done, Page, Visit, change, url
from lootkeep.domain.accounts import ROLE_NAMES, ListedUser, Role
from lootkeep.kernel.clock import iso
from lootkeep.kernel.errors import existing, invalid
from lootkeep.services import users as users_service
from lootkeep.storage import access as access_db
from lootkeep.storage import accounts as accounts_db

_USERS = "/users"
# What the form says of each role.
_ROLES: dict[Role, str] = {
    "owner": "Owner: everything, with tokens, users and settings",
    "staff": "Staff: everything but tokens, users and settings",
    "read_only": "Read-only: looks, and changes nothing",
}


def state(user: ListedUser) -> str:
    """Whether the user can sign in."""
    if user.role is None:
        return "no_access"
    return "active" if user.has_password else "cannot_sign_in"


USERS = ListPage(
    accounts_db.LISTING,
    columns=(
        Column("Name", lambda user: user.name, "name"),
        Column("E-mail", lambda user: user.email, "email"),
        Column("Role", lambda user: label(user.role) if user.role else None),
        Column("State", lambda user: label(state(user))),
        Column("Code at sign-in", lambda user: "yes" if user.has_totp else "no"),
        Column("Added", lambda user: iso(user.created_at), "created_at", is_number=True),
    ),
    empty="People who work in the store. Invite the first one.",
    file="users",
    has_dates=False,
)


async def show_form(visit: Visit) -> Answer:
    return {"roles": _ROLES}


async def show_user(visit: Visit) -> Answer:
    async with visit.deps.db.read() as tx:
        user = existing(await access_db.user(tx, visit.id), "User")
        account = await accounts_db.get(tx, visit.id)
        sessions = await accounts_db.sessions_of(tx, visit.id)
    seen = max((session.last_seen_at for session in sessions), default=None)
    return {"user": user, "account": account, "last_seen_at": seen, "roles": _ROLES, "title": user.name}


async def invite(visit: Visit) -> Answer:
    role = _role(visit)
    user_id, link = await users_service.invite(
        visit.deps, visit.form.get("email", ""), visit.form.get("name", ""), role
    )
    return _with_link(visit, user_id, link, "The user is invited.", {"role": role})


async def make_link(visit: Visit) -> Answer:
    link = await users_service.make_link(visit.deps, visit.id)
    return _with_link(visit, visit.id, link, "The link sets a new password and ends the second factor.", {})


async def change_role(visit: Visit) -> Answer:
    before, after = await users_service.change_role(visit.deps, visit.id, _role(visit))
    visit.check_unchanged(f"user:{visit.id}", before.updated_at)
    message = f"The role is now {ROLE_NAMES[after.role].lower()}."
    return Done(_url(visit), message, f"user:{visit.id}", {"role": before.role}, {"role": after.role})


async def disable(visit: Visit) -> Answer:
    before = await users_service.disable(visit.deps, visit.id)
    could, can = {"can_sign_in": before.password_hash is not None}, {"can_sign_in": False}
    return Done(_url(visit), "They are signed out everywhere.", f"user:{visit.id}", could, can)


def _role(visit: Visit) -> Role:
    role = next((role for role in ROLE_NAMES if role == visit.form.get("role")), None)
    if role is None:
        raise invalid("role", "Choose a role.")
    return role


def _with_link(visit: Visit, user_id: int, link: str, sentence: str, after: dict[str, object]) -> Done:
    """The page that shows a one-time link."""
    scheme = "https" if visit.options.is_https else visit.request.url.scheme
    address = f"{scheme}://{visit.request.url.netloc}{url('/setup')}?token={link}"
    back = url(f"{_USERS}/{user_id}")
    advice = "Send them this link: it works once, within a day, for the first who opens it."
    shown = {"title": "One-time link", "sentence": f"{sentence} {advice}", "secret": address, "back": back}
    return Done(back, "", f"user:{user_id}", {}, after, shown=shown)


def _url(visit: Visit) -> str:
    return url(f"{_USERS}/{visit.id}")


_FORM = ("user_form.html", show_form)
_USER = ("user.html", show_user)
_DISABLED = (
    "They are signed out everywhere and cannot sign in until they get a new one-time link. "
    "API tokens in their name go on working; revoke those on the page of tokens."
)

PAGES = (
    Page("GET", _USERS, "owner", "Users", lists.page_of(USERS, state=state), "users.html", group="Store"),
    Page("GET", "/users/new", "owner", "Invite a user", show_form, "user_form.html"),
    change("/users/new", "Invite a user", invite, _FORM, role="owner"),
    Page("GET", "/users/{id}", "owner", "User", show_user, "user.html"),
    change("/users/{id}/role", "Change role", change_role, _USER, role="owner"),
    change("/users/{id}/link", "Make a one-time link", make_link, _USER, role="owner"),
    change("/users/{id}/disable", "Disable user", disable, _USER, _DISABLED, role="owner"),
)
