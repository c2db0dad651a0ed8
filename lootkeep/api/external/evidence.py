"""The evidence of an order over HTTP."""

from __future__ import annotations

from typing import Annotated

from lootkeep.api.http.fields import QueryInteger, field
from lootkeep.api.http.routes import Call, ExtensionRoute, Reply, single
from lootkeep.api.http.validation import QueryParameters
from lootkeep.services import orders as orders_service
from lootkeep.views.evidence import EvidenceView


class EvidenceQuery(QueryParameters):
    """Which state of the evidence."""

    dispute_id: Annotated[
        QueryInteger | None, field("As it was when this dispute was opened; by default as it is now.", ge=1)
    ] = None


async def read_evidence(call: Call[None, EvidenceQuery]) -> Reply:
    return Reply(await orders_service.evidence(call.deps, call.id, call.query.dispute_id))


ROUTES = (
    ExtensionRoute(
        "GET",
        "/orders/{id}/evidence",
        read_evidence,
        "orders:read",
        "Read the evidence of an order",
        single(EvidenceView),
        description="Everything that answers a dispute: buyer, payment, what was handed over, e-mails, tickets, and "
        "earlier orders. `compelling_evidence` lists the undisputed orders of the same instrument that were paid 120 "
        "to 365 days before the dispute (before now without one) and share the IP address or the device, and one more "
        "of customer, e-mail, player, IP address and device. Two of them qualify.",
    ),
)
