"""`lootkeep mcp`: a server of the Model Context Protocol on standard input and output."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

import typer

from lootkeep import wiring
from lootkeep.cli.output import run
from lootkeep.cli.store import existing
from lootkeep.domain.access import TEST_TOKEN_PREFIX
from lootkeep.kernel.errors import StartupError
from lootkeep.mcp.late import load
from lootkeep.wiring.serving import agent_options

_VARIABLE = "LOOTKEEP_TOKEN"


def mcp(
    token_file: Annotated[
        Path | None, typer.Option(metavar="FILE", help="The file with the token.", show_default=_VARIABLE)
    ] = None,
    allow_changes: Annotated[
        bool, typer.Option("--allow-changes", help="Permit changes, each after a confirmation.")
    ] = False,
    personal_data: Annotated[
        bool, typer.Option("--personal-data", help="Show names, e-mail and IP addresses of buyers.")
    ] = False,
) -> None:
    """Answer an agent on standard input and output, within the scopes of a token."""
    server, secret = load(), _secret(token_file)
    config = existing()
    options = agent_options(config, allows_changes=allow_changes, has_personal_data=personal_data)

    async def serve() -> None:
        async with wiring.opened_store(config, is_test=secret.startswith(TEST_TOKEN_PREFIX)) as deps:
            await server.serve(deps, secret, options)

    run(serve())


def _secret(file: Path | None) -> str:
    if file is None:
        secret = os.environ.get(_VARIABLE, "")
    else:
        try:
            secret = file.read_text()
        except OSError as error:
            raise StartupError(f"The file of the token cannot be read: {error.strerror}.") from None
    if not secret.strip():
        raise StartupError(
            f"An agent needs a token: set {_VARIABLE} or give --token-file. "
            "`lootkeep token create --name agent --scope orders:read` creates one."
        )
    return secret.strip()
