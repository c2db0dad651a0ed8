"""A small graph: a buyer, what they share with other accounts, and what has become of each of those."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from lootkeep.console.fraud_case import Link
from lootkeep.domain.fraud.linked import LinkedAccount
from lootkeep.kernel.wording import plural

# So many accounts are drawn, the most telling ones; the rest are counted.
_DRAWN = 6
# The height of an account, and of a thing with what is written under it.
_ACCOUNT, _THING = 34, 60
_MAX_NAME, _MAX_THING = 20, 36


@dataclass(frozen=True, slots=True)
class Thing:
    y: int
    text: str


@dataclass(frozen=True, slots=True)
class Node:
    """An account, or several that are not drawn one by one, with the things it shares."""

    y: int
    name: str
    fate: str
    tone: str
    things: Sequence[Thing]
    customer_id: int | None = None


@dataclass(frozen=True, slots=True)
class Graph:
    things: Sequence[Thing]
    nodes: Sequence[Node]
    height: int

    @property
    def middle(self) -> int:
        return self.height // 2


def draw(links: Sequence[Link]) -> Graph | None:
    """Things and accounts in two columns, each account once; None when there is nobody else."""
    accounts = {account.id: account for link in links for account in link.accounts}
    if not accounts:
        return None
    telling = sorted(accounts.values(), key=lambda account: (not account.is_bad, -account.orders_count))
    shown, rest = telling[:_DRAWN], telling[_DRAWN:]
    rows = len(shown) + bool(rest)
    height = max(rows * _ACCOUNT, len(links) * _THING, 2 * _ACCOUNT)
    things = [
        Thing(_y(index, len(links), height) - 6, _short(link.thing, _MAX_THING)) for index, link in enumerate(links)
    ]
    nodes = [
        Node(
            _y(index, rows, height),
            _short(account.name, _MAX_NAME),
            *account.fate,
            _shared(things, links, [account]),
            account.id,
        )
        for index, account in enumerate(shown)
    ]
    if rest:
        bad = sum(account.is_bad for account in rest)
        fate = f"{bad} of them blocked or fraud" if bad else "none of them blocked"
        tone = "bad" if bad else "quiet"
        others = plural(len(rest), "other")
        nodes.append(Node(_y(rows - 1, rows, height), others, fate, tone, _shared(things, links, rest)))
    return Graph(things, nodes, height)


def _short(text: str, most: int) -> str:
    return text if len(text) <= most else text[: most - 1] + "…"


def _y(index: int, count: int, height: int) -> int:
    """The middle of one of as many equal parts."""
    return (2 * index + 1) * height // (2 * count)


def _shared(things: Sequence[Thing], links: Sequence[Link], accounts: Sequence[LinkedAccount]) -> list[Thing]:
    ids = {account.id for account in accounts}
    return [thing for thing, link in zip(things, links, strict=True) if ids & {account.id for account in link.accounts}]
