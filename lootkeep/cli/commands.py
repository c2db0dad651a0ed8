"""The table of commands, and the group that imports a command only when it is called."""

from __future__ import annotations

import gc
from importlib import import_module
from typing import Any, NamedTuple, TypeVar

import typer
from typer.core import TyperCommand, TyperGroup, TyperOption

HELP_NAMES = ["-h", "--help"]

_RUN, _ACCESS, _DATA, _TOOLS = (
    "Run the service",
    "Access",
    "Import and export",
    "Orders, e-mail, fraud, webhooks, connectors, API",
)


AnyCommand = TypeVar("AnyCommand", TyperCommand, TyperGroup)


class CommandRow(NamedTuple):
    """Where a command is, and its help before it is imported."""

    # A module of this package, and the name of the command or group in it.
    module: str
    attribute: str
    panel: str
    help: str


COMMANDS = {
    "serve": CommandRow(
        "serve", "serve", _RUN, "Serve the API. The first start creates an embedded database and prints a token."
    ),
    "worker": CommandRow("worker", "worker", _RUN, "Send webhooks and run the periodic tasks. Needs PostgreSQL."),
    "migrate": CommandRow("migrate", "migrate", _RUN, "Migrate the database to the newest schema."),
    "upgrade": CommandRow(
        "upgrade", "upgrade", _RUN, "Bring the database to the schema of this version, or say what that takes."
    ),
    "doctor": CommandRow("doctor", "doctor", _RUN, "Check everything the service depends on."),
    "backup": CommandRow(
        "backup",
        "backup",
        _RUN,
        "Write the whole store to a file while it runs, then verify the file.",
    ),
    "restore": CommandRow(
        "backup",
        "restore",
        _RUN,
        "Restore a store from a backup, into an embedded database or an empty PostgreSQL database.",
    ),
    "move": CommandRow(
        "move",
        "move",
        _RUN,
        "Move the store to an empty database of either engine, while it serves: writes are refused meanwhile.",
    ),
    "settings": CommandRow("show_settings", "show", _RUN, "Show every setting, its value, and where it comes from."),
    "key": CommandRow("key", "app", _RUN, "Replace the secret key."),
    "token": CommandRow("token", "app", _ACCESS, "Create, list and revoke access tokens."),
    "user": CommandRow("user", "app", _ACCESS, "Add, list, rename and remove users."),
    "sandbox": CommandRow("sandbox", "app", _ACCESS, "Show and reset the sandbox of test tokens."),
    "import": CommandRow(
        "import_",
        "app",
        _DATA,
        "Import a shop's products, customers, orders, disputes, coupons, gift cards and subscriptions.",
    ),
    "export": CommandRow("export", "app", _DATA, "Export the whole store to a folder while it runs."),
    "demo": CommandRow("demo", "app", _DATA, "Fill an empty store with sample data."),
    "orders": CommandRow("orders", "app", _TOOLS, "Print an order with everything that happened to it."),
    "mail": CommandRow("mail", "app", _TOOLS, "List e-mails and the outbox, and resend e-mails."),
    "fraud": CommandRow("fraud", "app", _TOOLS, "Test and tune fraud detection, and manage its lists."),
    "payments": CommandRow("payments", "app", _TOOLS, "Compare what providers report with the orders."),
    "webhooks": CommandRow(
        "webhooks", "app", _TOOLS, "Set up webhooks, receive them on this machine, and test a receiver."
    ),
    "connect": CommandRow("connect", "app", _TOOLS, "Run what was bought: commands in a game, roles in Discord."),
    "trigger": CommandRow("trigger", "trigger", _TOOLS, "Record a sample event."),
    "events": CommandRow("events", "app", _TOOLS, "Print the events of the store as they happen."),
    "mcp": CommandRow(
        "mcp", "mcp", _TOOLS, "Answer an agent on standard input and output, within the scopes of a token."
    ),
    "openapi": CommandRow("openapi", "openapi", _TOOLS, "Print the OpenAPI 3.1 document."),
}


class Commands(TyperGroup):
    """Imports a command only when it is needed, so help and completion are fast."""

    def __init__(self, **attributes: Any) -> None:
        super().__init__(**attributes)
        self.commands = {
            name: TyperCommand(name=name, help=row.help, rich_help_panel=row.panel) for name, row in COMMANDS.items()
        }

    def get_params(self, ctx: Any) -> list[Any]:
        params = super().get_params(ctx)
        _name_types(params)
        return params

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        if args[0] in COMMANDS:
            command = imported(args[0])
            # Not for the help, which is fast. A service configures its logs by its settings.
            from lootkeep.engines import logs

            logs.configure("warning", "auto")
            return args[0], command, args[1:]
        return super().resolve_command(ctx, args)


def imported(name: str) -> TyperCommand | TyperGroup:
    row = COMMANDS[name]
    # Imported modules stay loaded, so the garbage collector need not look at them.
    gc.disable()
    module = import_module(f"lootkeep.cli.{row.module}")
    gc.freeze()
    gc.enable()
    child = getattr(module, row.attribute)
    if isinstance(child, typer.Typer):
        return _readable(typer.main.get_group(child))
    alone = typer.Typer(add_completion=False)
    alone.command(name)(child)
    command = typer.main.get_command(alone)
    assert isinstance(command, TyperCommand)
    return _readable(command)


def _readable(command: AnyCommand) -> AnyCommand:
    """In the help, flags have no type, and options show the given metavar."""
    _name_types(command.get_params(typer.Context(command, help_option_names=HELP_NAMES)))
    for child in getattr(command, "commands", {}).values():
        _readable(child)
    return command


def _name_types(options: list[Any]) -> None:
    for option in options:
        if isinstance(option, TyperOption) and (option.is_flag or option.metavar):
            metavar = None if option.is_flag else option.metavar
            setattr(option, "display_type_rich", lambda ctx, metavar=metavar: metavar)  # noqa: B010
