"""Who else is linked to the buyer of a case, as a drawing, and which of their orders can be decided with it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field
from typing import Any

from lootkeep.domain.fraud.checks import Waiting
from lootkeep.domain.fraud.linked import MAX_HUB, LinkedAccount, LinkKind
from lootkeep.kernel.wording import plural
from lootkeep.storage.engine.database import Transaction
from lootkeep.storage.fraud import linked_accounts as linked_accounts_db, queue as fraud_queue_db

# The accounts that are drawn, the most telling ones first, and at most with undecided orders; the rest are counted.
_DRAWN, _MAX_DRAWN = 5, 12
# The height of an account, and of a thing with what is written under it.
_ACCOUNT, _THING = 30, 52
_MAX_NAME = 60
# What is written under a thing.
_KINDS: dict[LinkKind, str] = {"instrument": "card", "referral": "referral"}

Money = Callable[[int, str | None], str]


@dataclass(frozen=True, slots=True)
class Thing:
    """Something that a buyer shares with other accounts, and where it is drawn."""

    y: int
    kind: str
    text: str
    accounts: Sequence[LinkedAccount]


@dataclass(frozen=True, slots=True)
class Node:
    """An account, or several that are not drawn one by one, with the things it shares and its undecided orders."""

    y: int
    name: str
    fate: str
    tone: str
    things: Sequence[Thing]
    customer_id: int | None = None
    open_ids: Sequence[int] = ()
    # Decided together with the case, unless someone unticks it.
    is_ticked: bool = False


@dataclass(frozen=True, slots=True)
class Ring:
    """The undecided orders of the buyer and of linked accounts, which can be decided at once."""

    own_ids: Sequence[int]
    accounts: int
    orders: int
    total: str
    left_out: Sequence[str] = field(default_factory=tuple)


Link = tuple[LinkKind, str, Sequence[LinkedAccount]]


async def load(tx: Transaction, customer_id: int, money: Money) -> dict[str, Any]:
    """The drawing and the ring; each is None when there is none."""
    links = await _links(tx, customer_id)
    ids = {account.id for _, _, sharing in links for account in sharing}
    undecided: dict[int, list[Waiting]] = {account_id: [] for account_id in (customer_id, *ids)}
    for check in await fraud_queue_db.open_checks(tx, sorted(undecided)):
        undecided[check.customer_id].append(check)
    graph = draw(links, undecided, money)
    return {"graph": graph, "ring": _ring(graph, undecided, customer_id, money)}


async def _links(tx: Transaction, customer_id: int) -> list[Link]:
    """What the buyer has in common with other accounts, and with which; what many share comes without accounts."""
    linked = await linked_accounts_db.walk(tx, customer_id)
    near = {account.id: account for account in linked.accounts if account.depth == 1}
    buyers = [(edge.kind, edge.value) for edge in linked.edges if edge.customer_id == customer_id]
    sharing: dict[tuple[LinkKind, str], list[LinkedAccount]] = {thing: [] for thing in buyers}
    for edge in linked.edges:
        if (edge.kind, edge.value) in sharing and edge.customer_id in near:
            sharing[edge.kind, edge.value].append(near[edge.customer_id])
    links: list[Link] = [
        (kind, _thing(kind, value, customer_id), accounts) for (kind, value), accounts in sharing.items()
    ]
    links += [(hub.kind, _hub(_thing(hub.kind, hub.value, customer_id)), []) for hub in linked.hubs]
    return links


def _hub(thing: str) -> str:
    return f"{thing}: more than {MAX_HUB} accounts"


def _thing(kind: LinkKind, value: str, customer_id: int) -> str:
    if kind == "referral":
        return "referred by the buyer" if value == str(customer_id) else "referral"
    # Of a means of payment only a hash is known, which says nothing to anyone.
    return "means of payment" if kind == "instrument" else f"{kind} {value}"


def draw(links: Sequence[Link], undecided: dict[int, list[Waiting]], money: Money) -> dict[str, Any] | None:
    """Things and accounts in two columns, each account once; None when there is nobody else."""
    accounts = {account.id: account for _, _, sharing in links for account in sharing}
    if not accounts:
        return None
    telling = sorted(accounts.values(), key=lambda a: (not undecided[a.id], not a.is_bad, -a.orders_count))
    most = max(_DRAWN, min(_MAX_DRAWN, sum(bool(undecided[account.id]) for account in telling)))
    drawn, rest = telling[:most], telling[most:]
    rows = len(drawn) + bool(rest)
    height = max(rows * _ACCOUNT, len(links) * _THING, 2 * _ACCOUNT)
    things = [
        Thing(_y(index, len(links), height) - 6, _KINDS.get(kind, kind), text, sharing)
        for index, (kind, text, sharing) in enumerate(links)
    ]
    nodes = [
        _node(_y(index, rows, height), account, things, undecided[account.id], money)
        for index, account in enumerate(drawn)
    ]
    if rest:
        bad = sum(account.is_bad for account in rest)
        fate = (f"{bad} of them blocked or fraud", "bad") if bad else ("none of them blocked", "quiet")
        nodes.append(Node(_y(rows - 1, rows, height), plural(len(rest), "other"), *fate, _shared(things, rest)))
    return {"things": things, "nodes": nodes, "height": height, "middle": height // 2}


def _node(y: int, account: LinkedAccount, things: Sequence[Thing], checks: Sequence[Waiting], money: Money) -> Node:
    fate, tone = account.fate
    if checks:
        count = f"{len(checks)} " if len(checks) > 1 else ""
        state = "held" if all(check.order_status == "on_hold" for check in checks) else "open"
        words = f"{count}{state}, {_sums(checks, money)}"
        fate = words if tone == "quiet" else f"{fate}, {words}"
    name = account.name if len(account.name) <= _MAX_NAME else account.name[: _MAX_NAME - 1] + "…"
    ids = [check.id for check in checks]
    return Node(y, name, fate, tone, _shared(things, [account]), account.id, ids, bool(ids) and tone != "ok")


def _ring(
    graph: dict[str, Any] | None, undecided: dict[int, list[Waiting]], customer_id: int, money: Money
) -> Ring | None:
    nodes: list[Node] = graph["nodes"] if graph else []
    ticked = [node.customer_id for node in nodes if node.is_ticked]
    checks = [check for account_id in (customer_id, *ticked) for check in undecided[account_id or 0]]
    if len(checks) < 2 and not any(node.open_ids for node in nodes):
        return None
    left_out = [f"{node.name} is left out: {node.fate}." for node in nodes if node.open_ids and not node.is_ticked]
    own = [check.id for check in undecided[customer_id]]
    return Ring(own, len({check.customer_id for check in checks}), len(checks), _sums(checks, money), left_out)


def _sums(checks: Collection[Waiting], money: Money) -> str:
    """One sum for each currency."""
    currencies = dict.fromkeys(check.order_currency for check in checks)
    sums = {name: sum(check.order_total for check in checks if check.order_currency == name) for name in currencies}
    return " and ".join(money(total, name) for name, total in sums.items())


def _y(index: int, count: int, height: int) -> int:
    """The middle of one of as many equal parts."""
    return (2 * index + 1) * height // (2 * count)


def _shared(things: Sequence[Thing], accounts: Sequence[LinkedAccount]) -> list[Thing]:
    ids = {account.id for account in accounts}
    return [thing for thing in things if ids & {account.id for account in thing.accounts}]
