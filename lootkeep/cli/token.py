"""`lootkeep token`: access tokens, shown once when they are created."""

from __future__ import annotations

from functools import partial
from typing import Annotated

import typer

from lootkeep.cli.output import JsonFlag, TestFlag, fail, out, print_json, print_table
from lootkeep.cli.store import in_store, location
from lootkeep.deps import Deps
from lootkeep.domain.access import SCOPES, Token
from lootkeep.kernel.clock import Instant, SystemClock, iso
from lootkeep.services import access as access_service
from lootkeep.storage.access import rows as access_db
from lootkeep.storage.access.rows import TokenOfUser

# The maximum of a 64-bit column.
_MAX_REQUESTS_PER_MINUTE = 2**63 - 1
# More than any machine can serve in a minute.
_MAX_REQUESTS = 1_000_000_000

app = typer.Typer(help="Create, list and revoke access tokens.", no_args_is_help=True)


@app.command()
def create(
    name: Annotated[str, typer.Option(help="What the token is for.")],
    user: Annotated[str | None, typer.Option(help="The e-mail address of its user.", show_default="the owner")] = None,
    scope: Annotated[
        list[str] | None,
        typer.Option(metavar="SCOPE", help="A scope of the token, such as orders:read; can be repeated."),
    ] = None,
    all_scopes: Annotated[bool, typer.Option("--all-scopes", help="Give the token every scope.")] = False,
    rate_limit: Annotated[
        int | None,
        typer.Option(
            metavar="N", min=0, max=_MAX_REQUESTS, help="Requests per minute; 0: no limit.", show_default="the store's"
        ),
    ] = None,
    expires: Annotated[
        int | None, typer.Option(metavar="DAYS", min=1, max=36500, help="Days until it expires.", show_default="never")
    ] = None,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print the token and nothing else.")] = False,
    is_test: Annotated[bool, typer.Option("--test", help="Create a token for the sandbox.")] = False,
    json: JsonFlag = False,
) -> None:
    """Create an access token. It is shown only now."""
    if bool(scope) == all_scopes:
        fail(f"Give --scope at least once, or --all-scopes. The scopes are: {', '.join(SCOPES)}.")
    if is_test and user:
        fail("--test and --user cannot be combined: the sandbox has one user, its owner.")
    create = partial(
        access_service.create_token, name=name, user_email=user, rate_limit=rate_limit, expires_in_days=expires
    )
    scopes = list(SCOPES) if all_scopes else scope or []
    secret, token = in_store(partial(create, scopes=scopes), is_test=is_test)
    if json:
        print_json({"token": secret, "id": token.id, "name": token.name, "scopes": token.scopes.split()})
    elif quiet:
        typer.echo(secret)
    else:
        out.print(f"Token {token.id} was created in {location()}. It is shown only now:\n", markup=False)
        out.print(f"  {secret}\n", markup=False)


@app.command("list")
def list_tokens(json: JsonFlag = False, is_test: TestFlag = False) -> None:
    """List the tokens. Only their hashes are stored."""
    tokens = in_store(_all, is_test=is_test)
    now = SystemClock().now()
    if json:
        print_json([_json(token, now) for token in tokens])
        return
    rows = [
        (
            str(token.id),
            token.name,
            f"{token.hint}…",
            token.email,
            _state(token, now),
            iso(token.last_used_at) if token.last_used_at else "never",
            "all" if len(token.scopes.split()) == len(SCOPES) else token.scopes,
        )
        for token in tokens
    ]
    print_table(("ID", "Name", "Token", "User", "State", "Last used", "Scopes"), rows)


@app.command()
def revoke(
    token_id: Annotated[
        int, typer.Argument(metavar="ID", min=1, max=_MAX_REQUESTS_PER_MINUTE, help="Its id, from `token list`.")
    ],
    json: JsonFlag = False,
    is_test: TestFlag = False,
) -> None:
    """Revoke a token. Running servers reject it from the next request on."""
    revoked = in_store(lambda deps: access_service.revoke_token(deps, token_id), is_test=is_test)
    if json:
        print_json({"id": token_id, "was_valid": revoked})
        return
    done = "is revoked" if revoked else "was already revoked"
    out.print(f"Token {token_id} {done} in {location()}.", markup=False)


async def _all(deps: Deps) -> list[TokenOfUser]:
    async with deps.db.read() as tx:
        return await access_db.all_tokens(tx)


def _state(token: Token, now: Instant) -> str:
    if token.revoked_at is not None:
        return "revoked"
    return "valid" if token.is_valid(now) else "expired"


def _json(token: TokenOfUser, now: Instant) -> dict[str, object]:
    return {
        "id": token.id,
        "name": token.name,
        "hint": token.hint,
        "user": token.email,
        "state": _state(token, now),
        "scopes": token.scopes.split(),
        "rate_limit": token.rate_limit,
        "created_at": iso(token.created_at),
        "expires_at": iso(token.expires_at) if token.expires_at else None,
        "last_used_at": iso(token.last_used_at) if token.last_used_at else None,
    }
