"""The evidence of an order as a page to print: the summary first, and honest about what was not delivered."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from datetime import datetime

from lootkeep.console.orders import ORDER
from lootkeep.console.page import Answer, Page, Visit, change
from lootkeep.domain import inputs as inputs_rules
from lootkeep.kernel.clock import instant
from lootkeep.kernel.errors import NotFound
from lootkeep.kernel.wording import plural
from lootkeep.services import goods as goods_service, orders as orders_service
from lootkeep.storage.orders import disputes as disputes_db
from lootkeep.views.evidence import EvidenceGoodView, EvidenceView, LookView

_MATCHES = {
    "customer": "customer",
    "email": "e-mail",
    "player": "player",
    "ip_address": "IP address",
    "device": "device",
}


async def show_evidence(visit: Visit) -> Answer:
    """As it was when the newest dispute was opened, if one was; `?now` shows today's."""
    async with visit.deps.db.read() as tx:
        disputes = [dispute for dispute in await disputes_db.of_order(tx, visit.id) if dispute.kind == "dispute"]
    asked = inputs_rules.integer(visit.query.get("dispute", ""))
    dispute = next((dispute for dispute in reversed(disputes) if asked in (None, dispute.id)), None)
    view, is_copy = None, False
    if dispute and "now" not in visit.query:
        # An imported one has no copy.
        with suppress(NotFound):
            view, is_copy = await orders_service.evidence(visit.deps, visit.id, dispute.id), True
    view = view or await orders_service.evidence(visit.deps, visit.id)
    return {
        "title": f"Evidence for {'the dispute of ' if dispute else ''}order {view.order.order_number}",
        "evidence": view,
        "dispute": dispute,
        "is_copy": is_copy,
        "goods": [_good(visit, good) for good in view.goods],
        "summary": summary(view),
        "matches": _MATCHES,
        "at": lambda moment: _time(visit, moment),
    }


def summary(view: EvidenceView) -> list[str]:
    """What a reviewer at the bank reads first."""
    delivered = [good for good in view.goods if good.delivered_at is not None]
    seen = [good for good in delivered if good.looks]
    sentences = []
    if not view.goods:
        sentences.append("Nothing was handed over.")
    elif len(delivered) == len(view.goods):
        sentences.append("Everything that was bought was delivered.")
    else:
        sentences.append(f"{len(delivered)} of {plural(len(view.goods), 'good')} were delivered.")
    if seen:
        looks = [look for good in seen for look in good.looks]
        sentences.append(f"The buyer opened {plural(len(seen), 'good')} on the page of the order{_from(view, looks)}.")
    if view.payment and view.payment.three_d_secure == "passed":
        sentences.append("The payment passed 3-D Secure.")
    counted = view.compelling_evidence
    if counted.orders:
        shared = ", ".join(_MATCHES[name] for name in counted.matches)
        ending = "this dispute qualifies as compelling evidence" if counted.qualifies else "two are needed to qualify"
        sentences.append(
            f"{plural(len(counted.orders), 'undisputed order')} of the same card, paid 120 to 365 days before, "
            f"share {shared or 'traces'}: {ending}."
        )
    return sentences


def _from(view: EvidenceView, looks: Sequence[LookView]) -> str:
    ips = {look.ip_address for look in looks}
    return ", from the address that the order was placed from" if ips == {view.network.ip_address} else ""


def _good(visit: Visit, good: EvidenceGoodView) -> dict[str, object]:
    proof = [] if good.handed_at is None else [f"Read by the store, for its own pages, {_time(visit, good.handed_at)}."]
    proof += [
        f"Looked at {_time(visit, look.at)} from {look.ip_address or 'an unknown address'}: {look.user_agent or '–'}"
        for look in good.looks
    ]
    if good.acknowledged_at is not None:
        player = f" for {good.player.name or good.player.id}" if good.player else ""
        proof.append(f"Run and acknowledged by the game server {good.server}{player}.")
    elif good.command_id is not None and good.delivered_at is not None:
        proof.append(f"Handed over by staff: the game server {good.server} has not acknowledged it.")
    elif good.delivered_at is not None and good.kind in ("key", "file") and not good.looks:
        proof.append("No look at it on the page of the order was recorded.")
    if good.delivered_at is None:
        proof.append("Not delivered" + (f": {good.server} could not run it." if good.state == "failed" else "."))
    return {"good": good, "proof": proof}


def _time(visit: Visit, moment: datetime | None) -> str:
    return "–" if moment is None else visit.formats.time(instant(moment))


async def renew_page(visit: Visit) -> Answer:
    before = await ORDER.lock(visit)
    await goods_service.renew_page(visit.deps, visit.id)
    return ORDER.done(f"The page of {before.number} has a new link.", before, await ORDER.get(visit))


_RENEWED = "The buyer's page gets a new address. The link that the buyer has leads nowhere from then on."

PAGES = (
    Page("GET", "/orders/{id}/evidence", "orders:write", "Evidence", show_evidence, "evidence.html"),
    change("/orders/{id}/renew-page", "orders:write", "Renew the link", renew_page, _RENEWED),
)
