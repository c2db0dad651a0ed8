"""`lootkeep connect`: runs the commands of a server's queue in the game, or gives roles in Discord."""

from __future__ import annotations

import asyncio
import os
import re
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Annotated

import typer

from lootkeep.cli.output import out, run
from lootkeep.engines.http1 import target
from lootkeep.kernel.errors import StartupError
from lootkeep.toolbox.connect.connector import Connector, Target
from lootkeep.toolbox.connect.discord import API, Discord, DiscordOptions
from lootkeep.toolbox.connect.journal import Journal
from lootkeep.toolbox.connect.queue import StoreQueue
from lootkeep.toolbox.connect.rcon import MINECRAFT_FAILURES, Rcon, RconOptions

_SECRETS = (
    "Secrets are environment variables: {}. With _FILE after the name, the variable names a file that holds the secret."
)

app = typer.Typer(help="Run what was bought: commands in a game, roles in Discord.", no_args_is_help=True)

_Store = Annotated[str, typer.Option("--store", metavar="URL", help="The store's URL.")]
_Journal = Annotated[
    Path, typer.Option(metavar="FILE", dir_okay=False, help="Stores what was run, so nothing is run twice.")
]
_STORE = "http://127.0.0.1:8000"


@app.command(epilog=_SECRETS.format("SERVER_TOKEN (from the server in Lootkeep) and RCON_PASSWORD"))
def rcon(
    store: _Store = _STORE,
    host: Annotated[str, typer.Option(help="The game server's host.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=1, max=65535, help="The game server's RCON port.")] = 25575,
    journal: _Journal = Path("rcon.journal"),
    ask_online: Annotated[
        str | None,
        typer.Option(
            metavar="COMMAND",
            help="Asks the game who is online, such as 'list uuids' of Minecraft. Without it, commands that need the "
            "player online do not wait.",
        ),
    ] = None,
    failure: Annotated[
        list[str] | None,
        typer.Option(
            metavar="TEXT",
            help="An answer with this text is a failure; can be repeated.",
            show_default="those of Minecraft",
        ),
    ] = None,
) -> None:
    """Run commands on a game server over RCON: Minecraft, ARK, Factorio and others. Press Ctrl-C to stop."""
    options = RconOptions(host, port, _secret("RCON_PASSWORD"), ask_online, failure or MINECRAFT_FAILURES)
    _connect(lambda: Rcon(options), store, journal)


@app.command(epilog=_SECRETS.format("SERVER_TOKEN (from the server in Lootkeep) and DISCORD_BOT_TOKEN"))
def discord(
    guild: Annotated[str, typer.Option(metavar="ID", help="The id of the Discord server.")],
    store: _Store = _STORE,
    journal: _Journal = Path("discord.journal"),
    api: Annotated[str, typer.Option(metavar="URL", help="Discord's API.")] = API,
) -> None:
    """Give and take roles in a Discord server. Press Ctrl-C to stop."""
    if not re.fullmatch(r"[0-9]{17,20}", guild):
        raise StartupError("--guild takes the id of a Discord server: 17 to 20 digits.")
    options = DiscordOptions(guild, _secret("DISCORD_BOT_TOKEN"), _checked_url(api, "--api"))
    _connect(lambda: Discord(options), store, journal)


def _connect(new_target: Callable[[], Target], store: str, journal: Path) -> None:
    queue_url, token = _checked_url(store, "--store"), _secret("SERVER_TOKEN")

    async def work() -> None:
        connector = Connector(new_target(), StoreQueue(queue_url, token), Journal(journal), _say)
        _say(f"Commands come from {queue_url}; what was run is stored in {journal}. Press Ctrl-C to stop.")
        for number in (signal.SIGINT, signal.SIGTERM):
            asyncio.get_running_loop().add_signal_handler(number, connector.stop)
        await connector.run()

    run(work())
    _say("Stopped.")


def _secret(name: str) -> str:
    """From the environment or a file: an argument could be read by everyone on the machine."""
    value, file = os.environ.get(name), os.environ.get(f"{name}_FILE")
    if value is None and file:
        try:
            value = Path(file).read_text()
        except (OSError, UnicodeDecodeError):
            raise StartupError(f"{name}_FILE names a file that cannot be read.") from None
    value = (value or "").strip()
    if not value:
        raise StartupError(f"Set the environment variable {name}, or {name}_FILE to a file that holds it.")
    if not (value.isascii() and value.isprintable()):
        raise StartupError(f"{name} has characters that it cannot have.")
    return value


def _checked_url(url: str, option: str) -> str:
    try:
        if "@" in url or not target(url, ""):
            raise ValueError
    except ValueError:
        raise StartupError(f"{option} takes a URL that starts with http:// or https://, without a user name.") from None
    return url.rstrip("/")


def _say(sentence: str) -> None:
    out.print(sentence, markup=False)
