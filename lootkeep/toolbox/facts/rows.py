"""The row of an order in the files, without personal data: the columns, their types, and their values."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from typing import Any

import msgspec
from msgspec.structs import replace

from lootkeep.domain import identity as identity_rules
from lootkeep.domain.disputes import judged_as
from lootkeep.domain.fraud.agents import is_bot
from lootkeep.domain.fraud.checks import FraudCheck
from lootkeep.domain.fraud.comparison import facts_of
from lootkeep.domain.fraud.facts import OrderFacts
from lootkeep.domain.order_items import OrderItem
from lootkeep.kernel.clock import Instant
from lootkeep.kernel.money import text
from lootkeep.storage.orders.facts import PlacedOrder

# Returns the keyed hash of a value of this kind; the same value has the same hash in every row.
Hash = Callable[[str, str], str]

_MONEY = "DECIMAL(18, 2)"
_POINTS = "MAP(VARCHAR, INTEGER)"
_TIMES = ("created_at", "paid_at", "completed_at", "cancelled_at", "refunded_at")
_AMOUNTS = ("subtotal", "discount_total", "total", "gift_card_total", "refunded_total", "tax_total")
_TEXTS = (
    *("status", "currency", "cancel_reason", "billing_country", "payment_method", "payment_country"),
    *("payment_funding", "payment_three_d_secure", "coupon_origin"),
)
_CHECK = {
    "check_id": "BIGINT",
    "checked_at": "TIMESTAMP",
    "score": "INTEGER",
    "risk_level": "VARCHAR",
    "action": "VARCHAR",
    "points": _POINTS,
    "settings_version": "BIGINT",
    "engine_version": "BIGINT",
    # As of the export: fraud, legitimate, or null while nobody knows.
    "outcome": "VARCHAR",
    # As JSON: what the engine judged.
    "facts": "VARCHAR",
}
_NETWORK = ("is_vpn", "is_proxy", "is_datacenter", "is_tor")
_HASHES = ("email_hash", "ip_hash", "device_hash", "instrument_hash", "player_hash")


def _struct(columns: dict[str, str]) -> str:
    return f"STRUCT({', '.join(f'{name} {kind}' for name, kind in columns.items())})[]"


# By name: the type as DuckDB writes it.
COLUMNS: dict[str, str] = {
    "order_id": "BIGINT",
    "customer_id": "BIGINT",
    **dict.fromkeys(_TIMES, "TIMESTAMP"),
    "customer_created_at": "TIMESTAMP",
    **dict.fromkeys(_TEXTS, "VARCHAR"),
    **dict.fromkeys(_AMOUNTS, _MONEY),
    "subscription_id": "BIGINT",
    "coupon_code": "VARCHAR",
    "campaign_id": "BIGINT",
    "campaign_name": "VARCHAR",
    "referrer_id": "BIGINT",
    "referral_status": "VARCHAR",
    "items": _struct(
        {"product_id": "BIGINT", "sku": "VARCHAR", "name": "VARCHAR", "delivery_type": "VARCHAR"}
        | {"quantity": "BIGINT", "price": _MONEY, "total": _MONEY}
    ),
    **_CHECK,
    "truth": "VARCHAR",
    "truth_source": "VARCHAR",
    "truth_at": "TIMESTAMP",
    "ip_country": "VARCHAR",
    **dict.fromkeys(_NETWORK, "BOOLEAN"),
    # Judgements that a later one replaced.
    "earlier_checks": _struct(_CHECK),
    **dict.fromkeys(_HASHES, "VARCHAR"),
}


def row(placed: PlacedOrder, items: Sequence[OrderItem], as_of: Instant, hash_: Hash | None) -> dict[str, Any]:
    order = placed.order
    # A code that one customer got is theirs.
    is_public_code = order.coupon_origin in ("owner", "creator")
    values: dict[str, Any] = {
        "order_id": order.id,
        "customer_id": order.customer_id,
        **{name: _time(getattr(order, name)) for name in _TIMES},
        "customer_created_at": _time(placed.customer_created_at),
        **{name: getattr(order, name) for name in _TEXTS},
        **{name: None if (amount := getattr(order, name)) is None else text(amount) for name in _AMOUNTS},
        "subscription_id": order.subscription_id,
        "coupon_code": order.coupon_code if is_public_code else None,
        "campaign_id": placed.campaign_id,
        "campaign_name": placed.campaign_name,
        "referrer_id": placed.referrer_id,
        "referral_status": placed.referral_status,
        "items": [_item(item) for item in items],
    }
    if hash_:
        values |= _hashes(placed, hash_)
    return values | _judgements(placed.checks, as_of)


def without_person(facts: OrderFacts) -> OrderFacts:
    """Every value that a signal looks at, and none that says who bought: of a user agent only whether it is a bot."""
    agent = facts.user_agent and ("bot" if is_bot(facts.user_agent) else "browser")
    nobody = facts.without_person("")
    payment = replace(nobody.payment, instrument=None)
    return replace(nobody, user_agent=agent, is_user_agent_asked=facts.is_user_agent_asked, payment=payment)


def _item(item: OrderItem) -> dict[str, Any]:
    return {
        "product_id": item.product_id,
        "sku": item.sku,
        "name": item.product_name,
        "delivery_type": item.delivery_type,
        "quantity": item.quantity,
        "price": text(item.price),
        "total": text(item.total),
    }


def _hashes(placed: PlacedOrder, hash_: Hash) -> dict[str, str | None]:
    order = placed.order
    player = order.player.trace if order.player else None
    mailbox = identity_rules.mailbox(placed.email)
    values = (mailbox, order.ip_address, order.device_id, order.payment_instrument, player)
    return {name: value and hash_(name, value) for name, value in zip(_HASHES, values, strict=True)}


def _judgements(checks: Sequence[FraudCheck], as_of: Instant) -> dict[str, Any]:
    if not checks:
        return {"earlier_checks": []}
    *earlier, latest = checks
    return {
        **_check(latest, as_of),
        "truth": latest.truth,
        "truth_source": latest.truth_source,
        "truth_at": _time(latest.truth_at),
        "ip_country": latest.detected_country,
        **{name: getattr(latest, name) for name in _NETWORK},
        "earlier_checks": [_check(check, as_of) for check in earlier],
    }


def _check(check: FraudCheck, as_of: Instant) -> dict[str, Any]:
    return {
        "check_id": check.id,
        "checked_at": _time(check.created_at),
        "score": check.risk_score,
        "risk_level": check.risk_level,
        "action": check.action_taken,
        "points": msgspec.Raw(check.signals.encode()),
        "settings_version": check.policy_version,
        "engine_version": check.engine_version,
        "outcome": judged_as(check.truth, check.truth_source, check.action_taken, check.created_at, as_of),
        "facts": msgspec.json.encode(without_person(facts_of(check))).decode(),
    }


_EPOCH = datetime(1970, 1, 1)  # noqa: DTZ001  Parquet's times have no zone: all are UTC


def _time(instant: Instant | None) -> str | None:
    """To the microsecond, so that rows keep their order."""
    return None if instant is None else (_EPOCH + timedelta(microseconds=instant)).isoformat()
