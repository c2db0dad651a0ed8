"""`lootkeep user`: the users of the console and of tokens."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer

from lootkeep.cli.output import JsonFlag, fail, out, print_json, print_table
from lootkeep.cli.store import existing, in_store, location
from lootkeep.deps import Deps
from lootkeep.domain.access import User
from lootkeep.domain.roles import PRESET_NAMES, Preset
from lootkeep.kernel.clock import iso
from lootkeep.services import (
    access as access_service,
    second_factor as second_factor_service,
    sign_in as sign_in_service,
    users as users_service,
)
from lootkeep.settings import Settings
from lootkeep.storage.access import accounts as accounts_db, rows as access_db

app = typer.Typer(help="Add, list, rename and remove users, and let them sign in.", no_args_is_help=True)

Email = Annotated[str, typer.Argument(help="The user's e-mail address.")]


class RoleName(StrEnum):
    """The roles as written on the command line."""

    owner = "owner"
    staff = "staff"
    read_only = "read-only"


ROLES: dict[RoleName, Preset] = {
    RoleName.owner: "owner",
    RoleName.staff: "staff",
    RoleName.read_only: "read_only",
}


@app.command()
def add(
    email: Email,
    name: Annotated[str, typer.Option(help="The user's name.")],
    json: JsonFlag = False,
) -> None:
    """Add a user. `lootkeep user link` lets them sign in to the console."""
    user = in_store(lambda deps: access_service.add_user(deps, email, name))
    if json:
        print_json(_json(user))
        return
    out.print(f"User {user.id} added in {location()}: {user.email}", markup=False)


@app.command()
def link(
    email: Annotated[str, typer.Argument(help="The user's e-mail address; by default that of the owner.")] = "",
    role: Annotated[RoleName, typer.Option(help="The role of a new user in the console.")] = RoleName.staff,
    json: JsonFlag = False,
) -> None:
    """Print a one-time link that sets a user's password for the console. It works for a day."""
    token = in_store(lambda deps: sign_in_service.make_link(deps, email or None, ROLES[role]))
    url = console_link(existing(), token)
    if json:
        print_json({"link": url})
        return
    out.print("It works once, within a day:\n")
    out.print(f"  {url}\n", markup=False)


@app.command("reset")
def reset_second_factor(email: Email, json: JsonFlag = False) -> None:
    """Turn off the second factor and passkeys of a user who lost them and the recovery codes. The password stays."""
    was_on = in_store(lambda deps: second_factor_service.reset(deps, email))
    if json:
        print_json({"was_on": was_on})
        return
    out.print("The password alone signs them in now." if was_on else "They have no second factor.")


@app.command()
def rename(
    email: Email,
    name: Annotated[str | None, typer.Option(help="The new name.")] = None,
    new_email: Annotated[str | None, typer.Option("--email", help="The new e-mail address.")] = None,
    json: JsonFlag = False,
) -> None:
    """Give a user another name or e-mail address. They stay signed in."""
    if name is None and new_email is None:
        fail("Say what changes: --name, --email, or both.", 2)
    user = in_store(lambda deps: users_service.rename(deps, email, name, new_email))
    if json:
        print_json(_json(user))
        return
    out.print(f"User {user.id} is now {user.name}, {user.email}.", markup=False)


@app.command()
def remove(email: Email, json: JsonFlag = False) -> None:
    """Remove a user: their sessions and tokens end, and what they did keeps their name. An owner is always left."""
    user = in_store(lambda deps: users_service.remove(deps, email))
    if json:
        print_json(_json(user))
        return
    out.print(f"User {user.id} is removed from {location()}: {user.email}", markup=False)


@app.command("list")
def list_users(json: JsonFlag = False) -> None:
    """List the users."""
    users, roles = in_store(_all)
    if json:
        print_json([_json(user) | {"role": roles[user.id]} for user in users])
        return
    rows = [(str(user.id), user.email, user.name, roles[user.id] or "none") for user in users]
    print_table(("ID", "E-mail", "Name", "Role"), rows)


def console_link(config: Settings, token: str, url: str | None = None) -> str:
    """The URL of a one-time link; `address` is where the server listens."""
    public = config.public_url or url or f"http://{config.host}:{config.port}"
    return f"{public}/console/setup?token={token}"


async def _all(deps: Deps) -> tuple[list[User], dict[int, str | None]]:
    """The users, and what their roles in the console are called; the first owner has it before the first sign-in."""
    async with deps.db.read() as tx:
        titles = {person.id: person.role_title for person in await accounts_db.people(tx)}
        users = await access_db.STAFF.find(tx)
    return users, {user.id: titles.get(user.id, PRESET_NAMES["owner"] if user.is_owner else None) for user in users}


def _json(user: User) -> dict[str, object]:
    return {
        "id": user.id,
        "email": user.email,
        "name": user.name,
        "is_owner": user.is_owner,
        "created_at": iso(user.created_at),
    }
