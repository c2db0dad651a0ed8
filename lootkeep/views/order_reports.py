"""The public JSON of what a payment provider reports about an order."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated

import msgspec

from lootkeep.domain.declined_payments import PaymentAttempt
from lootkeep.domain.disputes import Dispute, DisputeKind, DisputeReason
from lootkeep.views.fields import Moment, Time, field
from lootkeep.views.mapping import view_of


class PaymentAttemptView(msgspec.Struct, frozen=True):
    id: Annotated[int, field("Identifies the attempt.", 5)]
    order_id: Annotated[int, field("The order.", 123)]
    reason: Annotated[str | None, field("The provider's reason.", "insufficient_funds")]
    external_id: Annotated[str | None, field("The id of the attempt in the store's own system.", "pi_123")]
    at: Time


class DisputeView(msgspec.Struct, frozen=True):
    id: Annotated[int, field("Identifies the report.", 3)]
    order_id: Annotated[int, field("The order whose payment is disputed.", 123)]
    kind: Annotated[DisputeKind, field("What happened.", "dispute")]
    reason: Annotated[DisputeReason, field("Why the payment is disputed.", "fraudulent")]
    external_id: Annotated[str | None, field("The id of the dispute in the store's own system.", "dp_1")]
    evidence_due_at: Annotated[
        Moment | None, field("Until when the provider takes evidence; null if unknown.", "2026-11-26T23:59:00Z")
    ]
    at: Time
    created_at: Time


attempt: Callable[[PaymentAttempt], PaymentAttemptView] = view_of(PaymentAttemptView, PaymentAttempt)
dispute: Callable[[Dispute], DisputeView] = view_of(DisputeView, Dispute)
