"""The table of commands, and the group that imports a command only when it is called."""

from __future__ import annotations

import gc
from importlib import import_module
from typing import Any, NamedTuple

import typer
from typer.core import TyperCommand, TyperGroup

_RUN, _ACCESS, _DATA, _TOOLS = "Run the service", "Who may call", "Bring data in", "Mail, fraud, webhooks, API"


class CommandRow(NamedTuple):
    """Where a command is, and what is said of it before it is imported."""

    # A module of this package, and what in it is the command or the group of commands.
    module: str
    attribute: str
    panel: str
    help: str


COMMANDS = {
    "serve": CommandRow(
        "serve", "serve", _RUN, "Serve the API. The first start makes an embedded database and prints a token."
    ),
    "worker": CommandRow("worker", "worker", _RUN, "Send webhooks and do the chores. Needs PostgreSQL."),
    "migrate": CommandRow("migrate", "migrate", _RUN, "Bring the database to the newest schema."),
    "doctor": CommandRow(
        "doctor", "doctor", _RUN, "Check the settings, the database, the key, Redis, mail and the lists."
    ),
    "settings": CommandRow("show_settings", "show", _RUN, "Show every setting, its value, and where it comes from."),
    "token": CommandRow("token", "app", _ACCESS, "Create, list and revoke access tokens."),
    "user": CommandRow("user", "app", _ACCESS, "Add and list users."),
    "import": CommandRow("import_", "app", _DATA, "Import a shop's customers, orders and disputes."),
    "demo": CommandRow("demo", "app", _DATA, "Fill an empty store with a demo."),
    "mail": CommandRow("mail", "app", _TOOLS, "See the e-mails and the outbox, and send what was not sent."),
    "fraud": CommandRow("fraud", "app", _TOOLS, "See what fraud detection would have done, and look after its lists."),
    "webhooks": CommandRow("webhooks", "app", _TOOLS, "Receive webhooks on this machine, and check a receiver."),
    "openapi": CommandRow("openapi", "openapi", _TOOLS, "Print the OpenAPI 3.1 document."),
}


class Commands(TyperGroup):
    """Knows every command by its row; help and completion of the rest take no time."""

    def __init__(self, **attributes: Any) -> None:
        super().__init__(**attributes)
        self.commands = {
            name: TyperCommand(name=name, help=row.help, rich_help_panel=row.panel) for name, row in COMMANDS.items()
        }

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        if args[0] in COMMANDS:
            return args[0], imported(args[0]), args[1:]
        return super().resolve_command(ctx, args)


def imported(name: str) -> TyperCommand | TyperGroup:
    row = COMMANDS[name]
    # What is imported stays: the collector looks neither now nor later whether it could go.
    gc.disable()
    module = import_module(f"lootkeep.cli.{row.module}")
    gc.freeze()
    gc.enable()
    child = getattr(module, row.attribute)
    if isinstance(child, typer.Typer):
        return typer.main.get_group(child)
    alone = typer.Typer(add_completion=False)
    alone.command(name)(child)
    command = typer.main.get_command(alone)
    assert isinstance(command, TyperCommand)
    return command
