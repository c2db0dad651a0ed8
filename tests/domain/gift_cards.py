"""A gift card as the rules see it."""

from __future__ import annotations

from lootkeep.domain.gift_cards import GiftCard
from lootkeep.kernel.clock import HOUR, Instant
from lootkeep.kernel.money import Hundredths

NOW = Instant(1_000 * HOUR)

PAST = Instant(NOW - HOUR)

CARD = GiftCard(
    initial_balance=Hundredths(25_00),
    currency="USD",
    recipient_email=None,
    recipient_name=None,
    sender_name=None,
    message=None,
    customer_id=None,
    order_id=None,
    starts_at=None,
    expires_at=None,
    note=None,
    id=1,
    sealed_code="",
    last_four="7K2P",
    balance=Hundredths(25_00),
    stored_status="active",
    sent_at=None,
    send_count=0,
    sends_since=None,
    recent_sends=0,
    last_used_at=None,
    revoked_at=None,
    revoke_reason=None,
    created_at=PAST,
    updated_at=PAST,
)
