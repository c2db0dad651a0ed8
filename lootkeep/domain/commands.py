"""Commands for game servers: what a product runs, what an order queues, and what becomes of it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Literal

import msgspec
from msgspec.structs import replace

from lootkeep.domain import players as players_rules
from lootkeep.domain.customers import Customer
from lootkeep.domain.order_items import OrderItem
from lootkeep.domain.orders import Order
from lootkeep.domain.players import Game, Player, player_of
from lootkeep.kernel.clock import MINUTE, SECOND, Instant
from lootkeep.kernel.errors import Conflict, InvalidFields

CommandCause = Literal["paid", "renewed", "expired", "refunded", "disputed"]
CommandStatus = Literal["waiting", "leased", "done", "failed", "cancelled"]

MAX_COMMANDS = 20
MAX_TEXT = 1_000
MAX_OUTPUT = 2_000
MAX_DELAY_MINUTES = 365 * 24 * 60
VARIABLES = ("player_name", "player_id", "customer_id", "order_number", "product", "quantity")
# These hand over what was bought: when they are done, the line is delivered.
DELIVERING: tuple[CommandCause, ...] = ("paid", "renewed")
_VARIABLE = re.compile(r"\{([a-z_]+)\}")
_UNUSABLE = "The player's name or id cannot be a part of this command."


class CommandRules(msgspec.Struct, frozen=True):
    """How long a server has a command, and the pauses after failures."""

    lease_seconds: int = 60
    retry_delays: tuple[int, ...] = (30, 120, 600, 3600)


class ProductCommand(msgspec.Struct, frozen=True):
    """What a product runs on a server, and when."""

    server_id: int
    on: CommandCause
    text: str
    needs_player_online: bool = False
    delay_minutes: int = 0

    @property
    def variables(self) -> set[str]:
        return set(_VARIABLE.findall(self.text))

    @property
    def needs_name(self) -> bool:
        return "player_name" in self.variables

    @property
    def needs_id(self) -> bool:
        return "player_id" in self.variables or self.needs_player_online


class Command(msgspec.Struct, frozen=True):
    """A command in the queue of a server."""

    id: int
    server_id: int
    order_id: int
    item_id: int
    customer_id: int
    cause: CommandCause
    text: str
    player_game: Game | None
    player_id: str | None
    player_name: str | None
    needs_player_online: bool
    status: CommandStatus
    due_at: Instant
    lease: str | None
    attempts_count: int
    failures: int
    # What the server answered.
    reason: str | None
    resent_from_id: int | None
    finished_at: Instant | None
    created_at: Instant

    @property
    def player(self) -> Player | None:
        return player_of(self.player_game, self.player_id, self.player_name)

    @property
    def is_open(self) -> bool:
        return self.finished_at is None


class CommandResult(msgspec.Struct, frozen=True):
    id: int
    ok: bool
    output: str | None = None


def commands_of(text: str) -> list[ProductCommand]:
    """From the JSON that a product is stored with."""
    return msgspec.json.decode(text, type=list[ProductCommand])


def check(commands: Sequence[ProductCommand]) -> dict[str, list[str]]:
    """The commands whose text names an unknown variable."""
    return {
        f"commands.{index}.text": [
            f"The commands.{index}.text field names an unknown variable. The variables are: {', '.join(VARIABLES)}."
        ]
        for index, command in enumerate(commands)
        if not command.variables <= set(VARIABLES)
    }


def check_player(
    commands: Iterable[ProductCommand], games: Mapping[int, Game], player: Player | None, customer: Customer
) -> None:
    """Rejects an order whose commands need a player that nobody named, or whose name could become a command."""
    for command in commands:
        game = games.get(command.server_id)
        if game is None or not (command.needs_name or command.needs_id):
            continue
        if player and player.game != game:
            raise _refused("player.game", "does not fit the game of the server that delivers it")
        target = player or _identity(customer, game)
        if target is None:
            raise _refused("player", f"is required: it is delivered to a player of {players_rules.GAMES[game].title}")
        if command.needs_id and not players_rules.is_safe_id(target):
            raise _refused("player.id", "is required")
        if command.needs_name and not players_rules.is_safe_name(target):
            raise _refused("player.name", "is required, with letters, digits, blanks and _ . - only")


def queued(
    template: ProductCommand, game: Game, order: Order, line: OrderItem, customer: Customer, now: Instant
) -> Command:
    """The command with its text, which no longer changes. One that cannot be filled in has failed already."""
    player = order.player if order.player and order.player.game == game else _identity(customer, game)
    is_usable = _is_usable(template, player)
    values = {
        "player_name": player.name if player else None,
        "player_id": player.id if player else None,
        "customer_id": str(customer.id),
        "order_number": order.number,
        "product": " ".join(line.product_name.split()),
        "quantity": str(line.quantity),
    }
    filled = _VARIABLE.sub(lambda match: values.get(match[1]) or match[0], template.text)
    command = Command(
        id=0,
        server_id=template.server_id,
        order_id=order.id,
        item_id=line.id,
        customer_id=customer.id,
        cause=template.on,
        text=filled if is_usable else template.text,
        player_game=player.game if player else None,
        player_id=player.id if player else None,
        player_name=player.name if player else None,
        needs_player_online=template.needs_player_online,
        status="waiting",
        due_at=Instant(now + template.delay_minutes * MINUTE),
        lease=None,
        attempts_count=0,
        failures=0,
        reason=None,
        resent_from_id=None,
        finished_at=None,
        created_at=now,
    )
    return command if is_usable else replace(command, status="failed", reason=_UNUSABLE, finished_at=now)


def settled(command: Command, result: CommandResult, rules: CommandRules, now: Instant) -> Command:
    """The command after a server's result. The first final one counts; nothing reopens what was cancelled."""
    output = (result.output or "")[:MAX_OUTPUT] or None
    if command.status == "cancelled":
        return replace(command, reason=output)
    if not command.is_open:
        return command
    if result.ok:
        return replace(command, status="done", lease=None, reason=output, finished_at=now)
    if command.failures >= len(rules.retry_delays):
        return replace(command, status="failed", lease=None, reason=output, finished_at=now)
    due_at = Instant(now + rules.retry_delays[command.failures] * SECOND)
    return replace(command, status="waiting", lease=None, reason=output, failures=command.failures + 1, due_at=due_at)


def resent(command: Command, now: Instant) -> Command:
    """The same command once more."""
    if command.status not in ("done", "failed"):
        raise Conflict(f"command_{command.status}", "Only a command that is done or failed can be sent again.")
    return replace(
        command,
        id=0,
        status="waiting",
        due_at=now,
        lease=None,
        attempts_count=0,
        failures=0,
        reason=None,
        resent_from_id=command.id,
        finished_at=None,
        created_at=now,
    )


def is_delivered(commands: Sequence[Command]) -> bool:
    """Whether every command that hands over the line is done, or a repeat of it is."""
    delivering = [command for command in commands if command.cause in DELIVERING]
    done = {command.id for command in delivering if command.status == "done"}
    # A repeat has a larger id than its original.
    for command in reversed(delivering):
        if command.id in done and command.resent_from_id is not None:
            done.add(command.resent_from_id)
    originals = [command.id for command in delivering if command.resent_from_id is None]
    return bool(originals) and done.issuperset(originals)


def _is_usable(template: ProductCommand, player: Player | None) -> bool:
    """Whether the player has what the command needs, in a form that cannot become a command."""
    if template.needs_name and not (player and players_rules.is_safe_name(player)):
        return False
    return not template.needs_id or (player is not None and players_rules.is_safe_id(player))


def _identity(customer: Customer, game: Game) -> Player | None:
    return next((player for player in customer.players if player.game == game), None)


def _refused(field: str, predicate: str) -> InvalidFields:
    return InvalidFields({field: [f"The {field} field {predicate}."]})
