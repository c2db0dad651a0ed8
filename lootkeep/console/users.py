"""Users: who may sign in to the console, and as what."""

from __future__ import annotations

from lootkeep.console import forms, lists
from lootkeep.console.columns import AGO, BADGE, NAME, YES_OR_NO, Column
from lootkeep.console.forms import Field
from lootkeep.console.lists import Link, ListPage
from lootkeep.console.page import Answer, Done, Page, Visit, change, url
from lootkeep.domain.accounts import ROLE_NAMES, ROLES
from lootkeep.kernel.errors import existing
from lootkeep.services import users as users_service
from lootkeep.storage import access as access_db
from lootkeep.storage import accounts as accounts_db

ROLE = Field("role", "Role", forms.choice(ROLES), default="staff")
INVITATION = (
    Field("name", "Name", forms.text(), is_required=True),
    Field("email", "E-mail", forms.EMAIL, is_required=True),
    ROLE,
)


USERS = ListPage(
    listing=accounts_db.LISTING,
    columns=(
        Column("Name", "name", NAME, "name"),
        Column("E-mail", "email", NAME, "email"),
        Column("Role", "role", BADGE),
        Column("State", "state", BADGE),
        Column("Code at sign-in", "has_totp", YES_OR_NO),
        Column("Added", "created_at", AGO, "created_at"),
    ),
    link=lambda user: f"/users/{user.id}",
    text="Who may sign in to the console, and in whose names API tokens act.",
    links=(Link("/users/new", "Invite a user"),),
    empty="People who work in the store. Invite the first one.",
    file="users",
    has_dates=False,
)


async def show_user(visit: Visit) -> Answer:
    async with visit.deps.db.read() as tx:
        user = existing(await access_db.user(tx, visit.id), "User")
        account = await accounts_db.get(tx, visit.id)
        sessions = await accounts_db.sessions_of(tx, visit.id)
    seen = max((session.last_seen_at for session in sessions), default=None)
    return {"user": user, "account": account, "last_seen_at": seen, "fields": (ROLE,), "title": user.name}


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
    scheme = "https" if visit.options.is_https else visit.request.url.scheme
    address = f"{scheme}://{visit.request.url.netloc}{url('/setup')}?token={link}"
    back = url(f"/users/{user_id}")
    advice = "Send them this link: it works once, within a day, for the first who opens it."
    shown = {"title": "One-time link", "sentence": f"{sentence} {advice}", "secret": address, "back": back}
    return Done(back, "", f"user:{user_id}", {}, after, shown=shown)


_LINK = "You get a one-time link to send them; nothing is mailed."
_NEW = forms.new(INVITATION, title="Invite a user", text=_LINK, submit="Invite", back="/users")
_USER = ("user.html", show_user)
_DISABLED = (
    "They are signed out everywhere and cannot sign in until they get a new one-time link. "
    "API tokens in their name go on working; revoke those on the page of tokens."
)

PAGES = (
    lists.page("/users", "Users", USERS, "Store", role="owner"),
    *forms.rows("/users/new", "Invite a user", _NEW, invite, role="owner"),
    Page("GET", "/users/{id}", "owner", "User", show_user, "user.html"),
    change("/users/{id}/role", "Change role", change_role, _USER, role="owner"),
    change("/users/{id}/link", "Make a one-time link", make_link, _USER, role="owner"),
    change("/users/{id}/disable", "Disable user", disable, _USER, _DISABLED, role="owner"),
)
