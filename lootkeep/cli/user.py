"""`lootkeep user`: the people in whose names tokens act."""

from __future__ import annotations

from typing import Annotated

import typer

from lootkeep import settings, wiring
from lootkeep.cli.output import Json, out, print_json, print_table, run
from lootkeep.domain.access import User
from lootkeep.kernel.clock import iso
from lootkeep.services import access
from lootkeep.storage import access as storage

app = typer.Typer(help="Add and list users.", no_args_is_help=True)


@app.command()
def add(
    email: Annotated[str, typer.Argument(help="The user's e-mail address.")],
    name: Annotated[str, typer.Option(help="The user's name.")],
    json: Json = False,
) -> None:
    """Add a user."""
    user = run(_add(email, name))
    if json:
        print_json(_json(user))
        return
    out.print(f"User {user.id} added: {user.email}", markup=False)


@app.command("list")
def list_users(json: Json = False) -> None:
    """List the users."""
    users = run(_all())
    if json:
        print_json([_json(user) for user in users])
        return
    rows = [(str(user.id), user.email, user.name, "owner" if user.is_owner else "staff") for user in users]
    print_table(("ID", "E-mail", "Name", "Role"), rows)


async def _add(email: str, name: str) -> User:
    async with wiring.opened(settings.load()) as deps:
        return await access.add_user(deps, email, name)


async def _all() -> list[User]:
    async with wiring.opened(settings.load()) as deps, deps.db.read() as tx:
        return await storage.all_users(tx)


def _json(user: User) -> dict[str, object]:
    return {
        "id": user.id,
        "email": user.email,
        "name": user.name,
        "is_owner": user.is_owner,
        "created_at": iso(user.created_at),
    }
