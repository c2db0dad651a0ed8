"""The commands of a product: what is run on which server, and when; each is a card of one form."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec

from lootkeep.console import forms
from lootkeep.console.formats import options
from lootkeep.console.forms import Field
from lootkeep.console.page import Answer, Visit
from lootkeep.console.products import PRODUCT
from lootkeep.domain.product_commands import (
    MAX_COMMANDS,
    MAX_DELAY_MINUTES,
    MAX_TEXT,
    VARIABLES,
    CommandCause,
    ProductCommand,
    commands_of,
)
from lootkeep.domain.servers import Server
from lootkeep.kernel.errors import InvalidFields
from lootkeep.services import products as products_service
from lootkeep.storage.goods import servers as servers_db

# For new commands, below those that there are.
_EMPTY = 2
_HELP = f"Variables: {', '.join(f'{{{name}}}' for name in VARIABLES)}. A command without a text is removed."
_NO_SERVER = "Add a server first: commands are run by game servers and Discord servers."


def _cards(count: int, servers: Sequence[Server]) -> dict[str, tuple[Field, ...]]:
    server = forms.choice({str(server.id): server.name for server in servers})
    on, delay = forms.choice(options(CommandCause)), forms.whole(0, MAX_DELAY_MINUTES)
    example = "lp user {player_name} parent add vip"
    return {
        f"Command {index + 1}": (
            Field(f"commands.{index}.text", "Command", forms.text(MAX_TEXT), placeholder=example),
            Field(f"commands.{index}.server_id", "Server", server),
            Field(f"commands.{index}.on", "When the order is", on, default="paid"),
            Field(f"commands.{index}.delay_minutes", "Minutes to wait first", delay, placeholder="0"),
            Field(f"commands.{index}.needs_player_online", "Only while the player is online", forms.switch()),
        )
        for index in range(count)
    }


async def _servers(visit: Visit) -> list[Server]:
    async with visit.deps.db.read() as tx:
        return await servers_db.ROWS.find(tx)


async def show_commands(visit: Visit) -> Answer:
    product, servers = await PRODUCT.get(visit), await _servers(visit)
    commands = commands_of(product.commands)
    cards = _cards(max(_sent(visit), min(len(commands) + _EMPTY, MAX_COMMANDS)), servers)
    values = {field.name: field.default for field in forms.flat(cards)}
    for index, command in enumerate(commands):
        for name in command.__struct_fields__:
            values[f"commands.{index}.{name}"] = str(getattr(command, name))
        values[f"commands.{index}.needs_player_online"] = "yes" if command.needs_player_online else "no"
    page = {"title": f"Commands of {product.name}", "text": _HELP if servers else _NO_SERVER}
    return forms.show(visit, cards if servers else {}, product, **page, values=values, back=f"/products/{product.id}")


async def save(visit: Visit) -> Answer:
    before, servers = await PRODUCT.lock(visit), await _servers(visit)
    stored = commands_of(before.commands)
    read = forms.read(visit, _cards(_sent(visit), servers))
    # The number of a command in the form, which has empty ones.
    commands: dict[int, ProductCommand] = {}
    for index in range(_sent(visit)):
        # A text that was too long for the page stays.
        text = read.get(f"commands.{index}.text", stored[index].text if index < len(stored) else None)
        if text is not None:
            sent = {name: read[f"commands.{index}.{name}"] for name in ("server_id", "on", "needs_player_online")}
            sent |= {"server_id": int(sent["server_id"]), "delay_minutes": read[f"commands.{index}.delay_minutes"] or 0}
            commands[index] = ProductCommand(text=text, **sent)
    if [*commands.values()] == stored:
        return PRODUCT.saved(visit, (), "", before, before)
    changes = {"commands": msgspec.json.encode([*commands.values()]).decode()}
    try:
        after = await products_service.change(visit.deps, visit.id, changes)
    except InvalidFields as wrong:
        raise InvalidFields(_field_errors(wrong.fields or {}, [*commands])) from None
    return PRODUCT.done("The commands are saved.", before, after)


def _sent(visit: Visit) -> int:
    """How many commands the form has."""
    return sum(f"commands.{index}.on" in visit.form for index in range(MAX_COMMANDS))


def _field_errors(errors: Mapping[str, Sequence[str]], numbers: Sequence[int]) -> dict[str, list[str]]:
    """The errors of the API at the fields of the form."""
    at_fields: dict[str, list[str]] = {}
    for name, sentences in errors.items():
        _, _, place = name.partition("commands.")
        index, _, field = place.partition(".")
        at = f"commands.{numbers[int(index)]}.{field}" if field else ""
        said = f"The {name.replace('_', ' ')} field", f"The {name} field"
        at_fields[at] = [sentence.replace(said[0], "It").replace(said[1], "It") for sentence in sentences]
    return at_fields


PAGES = forms.rows(
    "/products/{id}/commands", "products:write", "Commands of a product", show_commands, save, "Change commands"
)
