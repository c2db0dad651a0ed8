"""Commands for game servers: what an order queues, and what becomes of it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Literal

import msgspec
from msgspec.structs import replace

from lootkeep.domain import players as players_rules
from lootkeep.domain.customers import Customer
from lootkeep.domain.order_items import OrderItem
from lootkeep.domain.orders import Order, OrderDetails
from lootkeep.domain.players import Game, Player, player_of
from lootkeep.domain.product_commands import VARIABLE, CommandCause, ProductCommand
from lootkeep.kernel.clock import MINUTE, SECOND, Instant
from lootkeep.kernel.errors import Conflict, InvalidFields

CommandStatus = Literal["waiting", "leased", "done", "failed", "cancelled"]

MAX_OUTPUT = 2_000
# These hand over what was bought: when they are done, the line is delivered.
DELIVERING: tuple[CommandCause, ...] = ("paid", "renewed")
_UNUSABLE = "The player's name or id cannot be a part of this command."


class CommandRules(msgspec.Struct, frozen=True):
    """How long a server has a command, and the pauses after failures."""

    lease_seconds: int = 60
    retry_delays: tuple[int, ...] = (30, 120, 600, 3600)


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

    @property
    def may_have_run(self) -> bool:
        """A server has done it, or has not said what became of it each time that it had it."""
        return self.status == "done" or self.attempts_count > self.failures


class CommandResult(msgspec.Struct, frozen=True):
    id: int
    ok: bool
    output: str | None = None
    # Whether a failure may be tried again.
    retry: bool = True


def check_player(
    commands: Iterable[ProductCommand], games: Mapping[int, Game], player: Player | None, customer: Customer
) -> None:
    """Rejects an order whose commands need a player that nobody named, or whose name could become a command."""
    for command in commands:
        game = games.get(command.server_id)
        if game is None or not (command.needs_name or _needs_id(command, game)):
            continue
        if player and player.game != game:
            raise _refused("player.game", "does not fit the game of the server that delivers it")
        target = player or _identity(customer, game)
        if target is None:
            raise _refused("player", f"is required: it is delivered to a player of {players_rules.GAMES[game].title}")
        if _needs_id(command, game) and not players_rules.is_safe_id(target):
            raise _refused("player.id", "is required")
        if command.needs_name and not players_rules.is_safe_name(target):
            raise _refused("player.name", "is required, with letters, digits, blanks and _ . - only")


def queued(
    template: ProductCommand,
    game: Game,
    details: OrderDetails,
    line: OrderItem,
    now: Instant,
    earlier: Iterable[Command] = (),
) -> Command:
    """The command with its text, which no longer changes. One that cannot be filled in has failed already.

    What earlier commands of the line gave to a player is taken from that player.
    """
    order, player = details.order, _player(details, game, earlier)
    is_usable = _is_usable(template, game, player)
    command = Command(
        id=0,
        server_id=template.server_id,
        order_id=order.id,
        item_id=line.id,
        customer_id=order.customer_id,
        cause=template.on,
        text=_filled_in(template.text, order, line, player) if is_usable else template.text,
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
    if command.status == "waiting" and result.retry:
        # This failure is counted already: nobody has had the command since.
        return command
    if not result.retry or command.failures >= len(rules.retry_delays):
        return replace(command, status="failed", lease=None, reason=output, finished_at=now)
    due_at = Instant(now + rules.retry_delays[command.failures] * SECOND)
    return replace(command, status="waiting", lease=None, reason=output, failures=command.failures + 1, due_at=due_at)


def resent(command: Command, of_order: Iterable[Command], order: Order, now: Instant) -> Command:
    """The same command once more; not while a repeat of it waits: what is sent twice is given twice."""
    if command.status not in ("done", "failed"):
        raise Conflict(f"command_{command.status}", "Only a command that is done or failed can be sent again.")
    if command.cause in DELIVERING and order.status == "refunded":
        raise Conflict("order_refunded", f"Order {order.number} is refunded: what it bought is not given again.")
    for other in repeats(command, of_order):
        if other.is_open:
            raise Conflict(f"command_{other.status}", f"It is queued again already, as command {other.id}.")
    return repeat(command, now)


def was_filled_in(command: Command) -> bool:
    """One that failed before it was handed out lacked a player: its text is still the product's."""
    return command.status != "failed" or command.attempts_count > 0


def repeat(command: Command, now: Instant) -> Command:
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


def filled_in(repeat: Command, game: Game, details: OrderDetails) -> Command:
    """The repeat of a command that could not be filled in: its text is still the product's."""
    template = ProductCommand(repeat.server_id, repeat.cause, repeat.text, repeat.needs_player_online)
    line = next(line for line in details.items if line.id == repeat.item_id)
    filled = queued(template, game, details, line, repeat.created_at)
    if not filled.is_open:
        raise Conflict("player_unusable", _UNUSABLE)
    return replace(filled, resent_from_id=repeat.resent_from_id)


def is_delivered(commands: Sequence[Command]) -> bool:
    """Whether every command that hands over the line is done, or a repeat of it is."""
    delivering = [command for command in commands if command.cause in DELIVERING]
    first = first_sent(delivering)
    done = {first[command.id] for command in delivering if command.status == "done"}
    return bool(done) and done == set(first.values())


def repeats(command: Command, of_order: Iterable[Command]) -> list[Command]:
    """The command with what it repeats, and what repeats it."""
    commands = list(of_order)
    first = first_sent(commands)
    return [other for other in commands if first[other.id] == first[command.id]]


def first_sent(commands: Iterable[Command]) -> dict[int, int]:
    """The id of each command, the oldest first, with the one that it repeats in the end."""
    first: dict[int, int] = {}
    for command in commands:
        first[command.id] = first.get(command.resent_from_id or 0, command.id)
    return first


def _player(details: OrderDetails, game: Game, earlier: Iterable[Command]) -> Player | None:
    players = [*(command.player for command in earlier), details.order.player]
    named = next((player for player in players if player and player.game == game), None)
    return named or _identity(details.customer, game)


def _filled_in(text: str, order: Order, line: OrderItem, player: Player | None) -> str:
    values = {
        "player_name": player.name if player else None,
        "player_id": player.id if player else None,
        "customer_id": str(order.customer_id),
        "order_number": order.number,
        "product": " ".join(line.product_name.split()),
        "quantity": str(line.quantity),
    }
    return VARIABLE.sub(lambda match: values.get(match[1]) or match[0], text)


def _is_usable(template: ProductCommand, game: Game, player: Player | None) -> bool:
    """Whether the player has what the command needs, in a form that cannot become a command."""
    if template.needs_name and not (player and players_rules.is_safe_name(player)):
        return False
    return not _needs_id(template, game) or (player is not None and players_rules.is_safe_id(player))


def _needs_id(command: ProductCommand, game: Game) -> bool:
    """The text of a command for Discord is a role: who gets it is the player."""
    return command.needs_id or game == "discord"


def _identity(customer: Customer, game: Game) -> Player | None:
    return next((player for player in customer.players if player.game == game), None)


def _refused(field: str, predicate: str) -> InvalidFields:
    return InvalidFields({field: [f"The {field} field {predicate}."]})
