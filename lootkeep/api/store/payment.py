"""The payment method as a checkout sends it, and as it is stored."""

from __future__ import annotations

from typing import Annotated, Any

from lootkeep.api.http.fields import Country, EmailAddress, field
from lootkeep.api.http.validation import Body
from lootkeep.api.store.customers import NameText
from lootkeep.deps import Deps
from lootkeep.domain.fraud.facts import Funding, Payment, ThreeDSecure


class PaymentBody(Body):
    """What the payment provider reports about the payment method. No card numbers."""

    fingerprint: Annotated[
        NameText | None, field("The provider's fingerprint of the card; stored as a hash.", "fp_8Kd2")
    ] = None
    bin: Annotated[str | None, field("The first digits of the card.", "424242", pattern="^[0-9]{6,8}$")] = None
    country: Annotated[Country | None, field("The country that issued the card.", "KR")] = None
    funding: Annotated[Funding | None, field("The type of the card.", "credit")] = None
    three_d_secure: Annotated[ThreeDSecure | None, field("The result of the bank's challenge.", "passed")] = None


class PaidWithBody(PaymentBody):
    """What the payment provider reports about the payment. No card numbers."""

    payer_email: Annotated[EmailAddress | None, field("The e-mail address of who paid.", "jun@example.com")] = None


def payment_facts(deps: Deps, body: PaymentBody | None) -> Payment:
    """The fingerprint is hashed immediately: only the hash is passed on."""
    sent: dict[str, Any] = body.sent() if body else {}
    fingerprint = sent.pop("fingerprint", None)
    instrument = deps.vault.fingerprint(fingerprint.encode(), "payment instrument") if fingerprint else None
    return Payment(**sent, instrument=instrument)
