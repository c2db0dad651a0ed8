"""The goods of an order as staff see them: the state of each in a word, its proof in sentences, what can be done."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from types import SimpleNamespace

from lootkeep.console.formats import Formats, browser
from lootkeep.console.page import Visit
from lootkeep.domain import inputs as inputs_rules
from lootkeep.domain.commands import Command
from lootkeep.domain.disputes import Dispute, is_disputed, open_disputes
from lootkeep.domain.goods import Good, Look
from lootkeep.domain.order_items import OrderItem
from lootkeep.domain.orders import Order
from lootkeep.kernel.clock import Instant
from lootkeep.kernel.wording import duration, plural

# Of one order, on a page.
_SHOWN = 15
# The word and the tone of a state.
_STATES = {
    "waiting": ("Waits", "warn"),
    "delivered": ("Delivered", "ok"),
    "failed": ("Failed", "bad"),
    "revoked": ("Revoked", "quiet"),
    "replaced": ("Replaced", "quiet"),
    "expired": ("Expired", "quiet"),
}
_WAITING = {
    "key": "No key is left. The next one that is added goes to the oldest order.",
    "file": "The product has no file. Add its address, or mark the order fulfilled.",
    "command": "The product has no command for a payment. Mark the order fulfilled when it is done.",
    "manual": "Mark the order fulfilled when it is handed over.",
}


def card(
    goods: Sequence[Good], items: Sequence[OrderItem], looks: Sequence[Look], visit: Visit, *, is_open: bool
) -> SimpleNamespace | None:
    """A page of the goods; None if there are none."""
    if not goods:
        return None
    last = (len(goods) - 1) // _SHOWN + 1
    page = min(max(1, inputs_rules.integer(visit.query.get("goods", "")) or 1), last)
    pieces = [good for good in goods if good.state != "replaced"]
    done = sum(good.state in ("delivered", "expired") for good in pieces)
    has_commands = any(good.command for good in goods)
    ending = " · the order completes with the last" if is_open else ""
    summary = f"{done:,} of {len(pieces):,} delivered{ending}{' →' if has_commands else ''}"
    rows = _rows(goods, items, looks, visit.formats, visit.now)[(page - 1) * _SHOWN : page * _SHOWN]
    return SimpleNamespace(rows=rows, summary=summary, has_commands=has_commands, page=page, pages=last)


def banner(
    disputes: Sequence[Dispute], order: Order, goods: Sequence[Good], looks: Sequence[Look], visit: Visit
) -> SimpleNamespace | None:
    """Of an open dispute: the sum, until when evidence is taken, and what there is of it."""
    is_over = not is_disputed(disputes) or any(it.kind == "dispute_lost" for it in open_disputes(disputes))
    opened = [it for it in open_disputes(disputes) if it.kind == "dispute"]
    if is_over or not opened or order.status == "refunded":
        return None
    formats, due = visit.formats, opened[-1].evidence_due_at
    sentences = ["The provider has not said until when it takes evidence."]
    if due is not None:
        left = f"{duration(due - visit.now)} from now" if due > visit.now else "which is over"
        sentences = [f"Evidence is taken until {formats.time(due)}, {left}."]
    pieces = [good for good in goods if good.state != "replaced"]
    done = sum(good.delivered_at is not None for good in pieces)
    seen = len({(look.item_id, look.key_id) for look in looks})
    if pieces:
        sentences.append(f"{done:,} of {plural(len(pieces), 'good')} delivered, {seen:,} opened by the buyer.")
    why = "the owner of the card did not buy" if opened[-1].reason == "fraudulent" else "for another reason than fraud"
    return SimpleNamespace(title=f"Disputed: {formats.money(order.total, order.currency)}, {why}", sentences=sentences)


def whole(goods: Sequence[Good]) -> dict[str, str]:
    """The texts that may be too long for the page, by name."""
    commands = [good.command for good in goods if good.command]
    texts = {f"command-{command.id}": command.text for command in commands}
    return texts | {f"answer-{command.id}": command.reason or "" for command in commands}


def _rows(
    goods: Sequence[Good], items: Sequence[OrderItem], looks: Sequence[Look], formats: Formats, now: Instant
) -> list[SimpleNamespace]:
    lines = {item.id: item for item in items}
    count = Counter(good.item_id for good in goods if good.state != "replaced")
    place: Counter[int] = Counter()
    rows = []
    for good in goods:
        place[good.item_id] += good.state != "replaced"
        seen = [look for look in looks if (look.item_id, look.key_id) == (good.item_id, good.key_id)]
        word, tone = _state(good, seen)
        is_one_of_several = good.key_id and good.state != "replaced" and count[good.item_id] > 1
        of_several = f"{place[good.item_id]} of {count[good.item_id]}" if is_one_of_several else ""
        newest = good.repeat or good.command
        rows.append(
            SimpleNamespace(
                good=good,
                name=lines[good.item_id].product_name,
                where=f"on {good.server}" if good.server else of_several,
                word=word,
                tone=tone,
                sentences=[*_proof(good, lines[good.item_id], seen, formats, now)],
                # What can be sent again: done asks first, failed does not.
                sendable=newest if newest and newest.status in ("done", "failed") else None,
            )
        )
    return rows


def _state(good: Good, looks: Sequence[Look]) -> tuple[str, str]:
    if good.command and good.state in ("waiting", "failed"):
        return command_word(good.command)
    if good.state == "delivered" and looks:
        return "Opened by the buyer" if good.kind == "file" else "Shown to the buyer", "ok"
    return ("Done", "ok") if good.state == "delivered" and good.command else _STATES[good.state]


def command_word(command: Command) -> tuple[str, str]:
    """Its state in words, and the tone."""
    tries = f" after {plural(command.attempts_count, 'try', 'tries')}" if command.attempts_count else ""
    return {
        "waiting": ("Waits for the player" if command.needs_player_online else "Waits", "warn"),
        "leased": ("Given out", "info"),
        "done": ("Done", "ok"),
        "failed": (f"Failed{tries}", "bad"),
        "cancelled": ("Cancelled", "quiet"),
    }[command.status]


def _proof(good: Good, line: OrderItem, looks: Sequence[Look], formats: Formats, now: Instant) -> Iterator[str]:
    if good.command:
        yield from _run(good, good.command, line, formats, now)
    elif good.delivered_at is not None:
        yield f"Handed over {formats.time(good.delivered_at)}."
    elif good.state == "waiting":
        yield _WAITING.get(good.kind, "")
    if looks:
        first, more = looks[0], len(looks) - 1
        again = f" Looked at {plural(more, 'more time')}, last {formats.time(looks[-1].at)}." if more else ""
        using = f", {browser(first.user_agent)}" if first.user_agent else ""
        yield f"Shown {formats.time(first.at)} to {first.ip_address or 'an unknown address'}{using}.{again}"
    if good.reason:
        yield f"Replaced: “{good.reason}”"
    if good.expires_at is not None and good.state in ("delivered", "expired"):
        yield f"Valid until {formats.time(good.expires_at)}."


def _run(good: Good, command: Command, line: OrderItem, formats: Formats, now: Instant) -> Iterator[str]:
    player = f" for {good.player.name or good.player.id}" if good.player else ""
    if command.status == "done" and command.finished_at is not None:
        yield f"Acknowledged {formats.time(command.finished_at)}{player}."
    elif command.is_open:
        yield f"Queued {formats.time(command.created_at)}{player}. {when_due(command, good.server or '', formats, now)}"
    elif command.finished_at is not None:
        yield f"Last try {formats.time(command.finished_at)}{player}. It is not tried again by itself."
    if command.status != "done" and line.delivered_at is not None:
        yield f"Staff declared it delivered {formats.time(line.delivered_at)}."
    if good.repeat:
        yield f"Sent again {formats.time(good.repeat.created_at)}: {command_word(good.repeat)[0].lower()}."


def when_due(command: Command, server: str, formats: Formats, now: Instant) -> str:
    """What an open command waits for."""
    if command.status == "leased":
        return f"The answer is due by {formats.time(command.due_at)}."
    if command.due_at > now:
        failed = f"{plural(command.failures, 'try', 'tries')} failed; the next" if command.failures else "It goes out"
        return f"{failed} {formats.time(command.due_at)}."
    if command.needs_player_online:
        return f"It goes out when the player joins {server}."
    return f"It goes out when {server} asks next."
