"""The payment method as a checkout sends it, and as it is stored."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field

from lootkeep.api.http.fields import Country, EmailAddress
from lootkeep.api.http.validation import Body
from lootkeep.api.store.customers import NameText
from lootkeep.deps import Deps
from lootkeep.domain.fraud.facts import Funding, Payment, ThreeDSecure


class PaymentBody(Body):
    """What the payment provider reports about the payment method. No card numbers."""

    fingerprint: Annotated[
        NameText | None,
        Field(description="The provider's fingerprint of the card; stored as a hash.", examples=["fp_8Kd2"]),
    ] = None
    bin: Annotated[
        str | None, Field(pattern="^[0-9]{6,8}$", description="The first digits of the card.", examples=["424242"])
    ] = None
    country: Annotated[Country | None, Field(description="The country that issued the card.", examples=["KR"])] = None
    funding: Annotated[Funding | None, Field(description="The type of the card.", examples=["credit"])] = None
    three_d_secure: Annotated[
        ThreeDSecure | None, Field(description="The result of the bank's challenge.", examples=["passed"])
    ] = None


class PaidWithBody(PaymentBody):
    """What the payment provider reports about the payment. No card numbers."""

    payer_email: Annotated[
        EmailAddress | None, Field(description="The e-mail address of who paid.", examples=["jun@example.com"])
    ] = None


def payment_facts(deps: Deps, body: PaymentBody | None) -> Payment:
    """The fingerprint is hashed immediately: only the hash is passed on."""
    sent: dict[str, Any] = body.sent() if body else {}
    fingerprint = sent.pop("fingerprint", None)
    instrument = deps.vault.fingerprint(fingerprint.encode(), "payment instrument") if fingerprint else None
    return Payment(**sent, instrument=instrument)
