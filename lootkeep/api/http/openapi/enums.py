"""The enums with a name in the OpenAPI document, so a generator creates one type for each."""

from __future__ import annotations

from typing import Any, get_args

from lootkeep.domain import (
    alerts as alerts_rules,
    analytics as analytics_rules,
    audiences as audiences_rules,
    campaigns as campaigns_rules,
    commands as commands_rules,
    coupon_uses as coupon_uses_rules,
    coupons as coupons_rules,
    creators as creators_rules,
    customers as customers_rules,
    deliveries as deliveries_rules,
    disputes as disputes_rules,
    evidence as evidence_rules,
    gift_cards as gift_cards_rules,
    goods as goods_rules,
    orders as orders_rules,
    players as players_rules,
    product_commands as product_commands_rules,
    products as products_rules,
    referrals as referrals_rules,
    subscriptions as subscriptions_rules,
    tickets as tickets_rules,
)
from lootkeep.domain.events import EVENT_TYPES
from lootkeep.domain.fraud import facts, linked, policy, review, rule, score
from lootkeep.domain.payments import (
    events as payment_events_rules,
    reports as reports_rules,
    sources as payment_sources_rules,
)
from lootkeep.domain.webhooks import EVENT_PATTERNS
from lootkeep.kernel import paging
from lootkeep.services.fraud_lists import BlockKind

Json = dict[str, Any]

_NAMED: dict[str, tuple[str, ...]] = {
    "EventType": tuple(EVENT_TYPES),
    "EventSubscription": (*EVENT_TYPES, *EVENT_PATTERNS),
    "RiskLevel": get_args(score.RiskLevel),
    "FraudDecision": get_args(score.Action),
    "FraudAction": get_args(policy.FraudAction),
    "FraudWhenDue": get_args(policy.WhenDue),
    "FraudSensitivity": get_args(policy.Sensitivity),
    "ReviewOutcome": get_args(review.ReviewedAs),
    "FraudRuleAction": get_args(rule.RuleAction),
    "FraudRuleMode": get_args(rule.RuleMode),
    "BlockKind": get_args(BlockKind),
    "LinkKind": get_args(linked.LinkKind),
    "DisputeKind": get_args(disputes_rules.DisputeKind),
    "DisputeReason": get_args(disputes_rules.DisputeReason),
    "OrderOutcome": get_args(disputes_rules.Outcome),
    "GoodKind": get_args(goods_rules.GoodKind),
    "GoodState": get_args(goods_rules.GoodState),
    "KeyStatus": get_args(goods_rules.KeyStatus),
    "EvidenceMatch": get_args(evidence_rules.Match),
    "CardFunding": get_args(facts.Funding),
    "ThreeDSecure": get_args(facts.ThreeDSecure),
    "PaymentProvider": get_args(payment_sources_rules.Provider),
    "PaymentOperation": get_args(reports_rules.Operation),
    "PaymentEventStatus": get_args(payment_events_rules.PaymentEventStatus),
    "PaymentEventReason": get_args(payment_events_rules.PaymentEventReason),
    "TruthSource": get_args(disputes_rules.TruthSource),
    "DeliveryStatus": get_args(deliveries_rules.DeliveryStatus),
    "OrderStatus": get_args(orders_rules.OrderStatus),
    "CheckoutStep": get_args(orders_rules.CheckoutStep),
    "ProductStatus": get_args(products_rules.ProductStatus),
    "DeliveryType": get_args(products_rules.DeliveryType),
    "BillingType": get_args(products_rules.BillingType),
    "BillingInterval": get_args(products_rules.BillingInterval),
    "SubscriptionStatus": get_args(subscriptions_rules.SubscriptionStatus),
    "CustomerStatus": get_args(customers_rules.CustomerStatus),
    "MailboxStatus": get_args(customers_rules.MailboxStatus),
    "GiftCardStatus": get_args(gift_cards_rules.GiftCardStatus),
    "TicketStatus": get_args(tickets_rules.TicketStatus),
    "TicketPriority": get_args(tickets_rules.TicketPriority),
    "TicketCategory": get_args(tickets_rules.TicketCategory),
    "AuthorType": get_args(tickets_rules.AuthorType),
    "LastMessageBy": get_args(tickets_rules.LastMessageBy),
    "CampaignStatus": get_args(campaigns_rules.CampaignStatus),
    "AudienceType": get_args(audiences_rules.AudienceType),
    "AlertChannel": get_args(alerts_rules.AlertChannel),
    "AlertTrigger": get_args(alerts_rules.AlertTrigger),
    "ReferralStatus": get_args(referrals_rules.ReferralStatus),
    "RewardType": get_args(referrals_rules.RewardType),
    "RewardEvent": get_args(referrals_rules.RewardEvent),
    "DiscountType": get_args(referrals_rules.DiscountType),
    "CouponOrigin": get_args(orders_rules.CouponOrigin),
    "CouponState": get_args(coupons_rules.CouponState),
    "CouponUseState": get_args(coupon_uses_rules.UseState),
    "CouponRejection": get_args(coupons_rules.CouponRejection),
    "CreatorEntryType": get_args(creators_rules.CreatorEntryType),
    "AnalyticsPeriod": get_args(analytics_rules.PeriodName),
    "AnalyticsInterval": get_args(analytics_rules.Interval),
    "Game": get_args(players_rules.Game),
    "CommandCause": get_args(product_commands_rules.CommandCause),
    "CommandStatus": get_args(commands_rules.CommandStatus),
    "SortDirection": get_args(paging.SortDirection),
}
# Keyed by the words in any order: one of the two schema writers sorts them.
_NAMES = {frozenset(words): name for name, words in _NAMED.items()}


def components() -> Json:
    return {name: {"type": "string", "enum": list(words)} for name, words in _NAMED.items()}


def name_of(words: list[Any]) -> str | None:
    return _NAMES.get(frozenset(words))
