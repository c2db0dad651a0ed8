"""Game servers: how each does, what waits for it and what failed, its token; and the commands of all of them."""

from __future__ import annotations

from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

from lootkeep.console import forms, goods, lists
from lootkeep.console.columns import AGO, COUNT, LABEL, NAME, ORDER, Cell, Column
from lootkeep.console.formats import options
from lootkeep.console.forms import Field
from lootkeep.console.page import Answer, Done, Page, Visit, change, url
from lootkeep.console.records import Record
from lootkeep.domain import commands as commands_rules, inputs as inputs_rules
from lootkeep.domain.commands import Command, CommandStatus
from lootkeep.domain.players import GAMES, MAX_PLAYER_TEXT
from lootkeep.domain.servers import SEEN_EVERY, Server, ServerQueue
from lootkeep.kernel.errors import existing
from lootkeep.kernel.wording import duration, plural
from lootkeep.services import commands as commands_service, resync as resync_service, servers as servers_service
from lootkeep.storage.engine.database import Transaction
from lootkeep.storage.goods import commands as commands_db, servers as servers_db

# Of one server, on its page.
_MAX_FAILURES = 5
_GAMES = forms.choice({name: game.title for name, game in GAMES.items()})
FORM = (
    Field("name", "Name", forms.text(), "Buyers read it, too.", is_required=True, placeholder="Survival"),
    Field("game", "Game", _GAMES, "Says what players’ names and ids look like.", default="minecraft"),
)
RESYNC = (
    Field("player", "Player’s id", forms.text(MAX_PLAYER_TEXT), "Leave empty for all players."),
    Field("since", "Paid since", forms.time(), "In the store’s time zone. Leave empty for everything."),
)
SERVER = Record[Server]("Server", "/servers/{id}", servers_db.ROWS, ("name", "game"))
COMMANDS = lists.ListPage(
    listing=commands_db.LISTING,
    columns=(
        Column("Command", "command.text", NAME),
        Column("Player", "player", NAME),
        Column("Order", "command.order_id", ORDER),
        Column("Cause", "command.cause", LABEL, is_extra=True),
        Column("State", "word", Cell(NAME.html)),
        Column("Tries", "command.attempts_count", COUNT, is_extra=True),
        Column("Queued", "command.created_at", AGO, "id"),
    ),
    exported=(
        Column("Id", "command.id"),
        Column("Server", "server"),
        Column("Status", "command.status"),
        Column("Answer", "command.reason"),
        Column("Finished", "command.finished_at", AGO),
    ),
    text="What game servers run for orders.",
    empty="Commands of products are queued here when an order is paid, and servers fetch them.",
    choices=(lists.Choice("status", "Status", options(CommandStatus), is_open=True),),
    linked={
        name: (label, inputs_rules.record_id)
        for name, label in (("server_id", "Server"), ("order_id", "Order"), ("customer_id", "Customer"))
    },
    has_dates=False,
    load=lambda visit, tx, commands: _command_rows(visit, tx, commands),
    live=15,
)


async def show_servers(visit: Visit) -> Answer:
    async with visit.deps.db.read(slow=True) as tx:
        servers = await servers_db.ROWS.find(tx)
        queues = await servers_db.queues(tx)
    rows = [SimpleNamespace(server=it, queue=queues.get(it.id, ServerQueue()), **_seen(it, visit)) for it in servers]
    waiting, failed = (sum(getattr(row.queue, name) for row in rows) for name in ("waiting", "failed"))
    summary = f"{plural(len(rows), 'server')} · {plural(waiting, 'command waits', 'commands wait')}, {failed:,} failed"
    return {"rows": rows, "games": GAMES, "summary": summary if rows else "", "live": 15}


async def show_server(visit: Visit) -> Answer:
    server = await SERVER.get(visit)
    async with visit.deps.db.read(slow=True) as tx:
        queue = (await servers_db.queues(tx)).get(server.id, ServerQueue())
        failures = await _command_rows(visit, tx, await servers_db.failed_of(tx, server.id, _MAX_FAILURES))
    listed = await lists.show(visit, COMMANDS, server_id=server.id)
    row = SimpleNamespace(server=server, queue=queue, **_seen(server, visit))
    context = {"server": server, "row": row, "failures": failures, "title": server.name, "game": GAMES[server.game]}
    return listed | context


def _seen(server: Server, visit: Visit) -> dict[str, Any]:
    """When it last asked, with a tone; a sentence if it no longer does."""
    if server.last_seen_at is None:
        return {"seen": "never", "tone": "quiet", "is_silent": False}
    age = visit.now - server.last_seen_at
    if server.is_silent(visit.now):
        return {"seen": f"silent for {duration(age)}", "tone": "bad", "is_silent": True}
    # It is written down once a minute.
    seen = "in the last minute" if age < SEEN_EVERY else f"{duration(age)} ago"
    return {"seen": seen, "tone": "ok", "is_silent": False}


async def _command_rows(visit: Visit, tx: Transaction, commands: Sequence[Command]) -> list[SimpleNamespace]:
    """Each with its server, its state in words, and what it waits for."""
    servers = await servers_db.ROWS.get_many(tx, {command.server_id for command in commands}) if commands else {}
    rows = []
    for command in commands:
        server = servers.get(command.server_id)
        name = server.name if server else "a server that was deleted"
        word, tone = goods.command_word(command)
        note = goods.when_due(command, name, visit.formats, visit.now) if command.is_open else ""
        rows.append(
            SimpleNamespace(
                command=command,
                server=name,
                player=(command.player.name or command.player.id) if command.player else None,
                word=word,
                tone=tone,
                note=note,
                can_send=server is not None and command.status in ("done", "failed"),
            )
        )
    return rows


async def show_commands(visit: Visit) -> Answer:
    return await lists.show(visit, COMMANDS)


async def create(visit: Visit) -> Answer:
    values = forms.read(visit, FORM)
    server, secret = await servers_service.create(visit.deps, values["name"], values["game"])
    return _with_token(server, secret, "The server is added.", None)


async def show_token(visit: Visit) -> Answer:
    server = await SERVER.get(visit)
    page = {"title": f"New token for {server.name}", "text": _ROTATED, "submit": "Make a new token"}
    return forms.show(visit, (), server, **page, back=f"/servers/{server.id}")


async def rotate_token(visit: Visit) -> Answer:
    before = await SERVER.lock(visit)
    secret = await servers_service.rotate_token(visit.deps, visit.id)
    return _with_token(before, secret, "The old token no longer works.", before)


async def delete(visit: Visit) -> Answer:
    before = await SERVER.lock(visit)
    await servers_service.delete(visit.deps, visit.id)
    return SERVER.done(f"{before.name} is deleted.", before, None)


async def show_resync(visit: Visit) -> Answer:
    server = await SERVER.get(visit)
    page = {"title": f"Give everything again on {server.name}", "text": _WIPED, "submit": "Give again"}
    return forms.show(visit, RESYNC, None, **page, back=f"/servers/{server.id}")


async def resync(visit: Visit) -> Answer:
    """The service writes the entries of the audit log."""
    values = forms.read(visit, RESYNC)
    player, since = values["player"], values["since"]
    queued = await resync_service.resync(visit.deps, visit.id, player, since, visit.user.id, visit.ip)
    message = (
        f"{plural(queued, 'command is', 'commands are')} queued again."
        if queued
        else "There is no such purchase, or its commands wait already."
    )
    return Done(url(f"/servers/{visit.id}"), message)


def _with_token(server: Server, secret: str, sentence: str, before: Server | None) -> Done:
    advice = "Start the connector next to the game with it: all it can do is fetch this server’s commands."
    secret_page = {"title": server.name, "sentence": f"{sentence} {advice}", "secret": secret}
    return SERVER.done("", before, server, secret_page=secret_page)


async def _ask_again(visit: Visit) -> tuple[str, str]:
    """What failed did not happen: only what was done, by itself or by a repeat, could happen twice."""
    async with visit.deps.db.read() as tx:
        command = existing(await commands_db.ROWS.get(tx, visit.id), "Command")
        repeats = commands_rules.repeats(command, await commands_db.ROWS.find(tx, order_id=command.order_id))
    if all(repeat.status != "done" for repeat in repeats):
        return "", ""
    return "This command was done. Sent again, the server runs it a second time.", "Send again"


async def send_again(visit: Visit) -> Answer:
    """The service writes the entry of the audit log."""
    command = await commands_service.resend(visit.deps, visit.id, visit.user.id, visit.ip)
    # The pages of an order and of a server send again, too.
    order, server = visit.text("order"), visit.text("server")
    to = f"/orders/{order}" if order else f"/servers/{server}" if server else "/commands"
    return Done(url(to), f"The command is queued again as number {command.id:,}.")


_WIPED = (
    "After a wipe: the commands of everything that players still own are queued once more. What was refunded or "
    "disputed, is over, or waits already is left out."
)
_ONCE = "Its token is shown once, after it is added."
_ROTATED = "The old token stops working at once, and commands wait until the connector has the new one."
_GONE = "What waits for it is cancelled, and its token stops working. Products must not have commands for it."
_DELETE = "/servers/{id}/delete"
_EDIT = {"title": "Edit {0.name}", "actions": [(_DELETE, "Delete…", "danger-text")]}

PAGES = (
    Page("GET", "/servers", "servers:read", "Servers", show_servers, "servers.html", group="Connect"),
    *forms.rows(
        "/servers/new", "servers:write", "Add a server", forms.new(FORM, text=_ONCE, submit="Add the server"), create
    ),
    Page("GET", "/servers/{id}", "servers:read", "Server", show_server, "server.html"),
    *SERVER.edit("/servers/{id}/edit", "servers:write", "Change a server", FORM, servers_service.change, **_EDIT),
    *forms.rows("/servers/{id}/token", "servers:write", "Make a new token", show_token, rotate_token, is_foreign=True),
    *forms.rows("/servers/{id}/resync", "servers:write", "Give everything again", show_resync, resync, is_foreign=True),
    change(_DELETE, "servers:write", "Delete server", delete, _GONE, is_foreign=True),
    Page("GET", "/commands", "servers:read", "Commands", show_commands, "commands.html", under="/servers"),
    change("/commands/{id}/send-again", "servers:write", "Send a command again", send_again, _ask_again),
)
