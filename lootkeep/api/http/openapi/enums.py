"""The enums with a name in the OpenAPI document, so a generator creates one type for each."""

from __future__ import annotations

from typing import Any, get_args

from lootkeep.domain import (
    alerts,
    analytics,
    campaigns,
    customers,
    deliveries,
    disputes,
    gift_cards,
    orders,
    products,
    referrals,
    subscriptions,
    support_tickets,
)
from lootkeep.domain.events import EVENT_TYPES
from lootkeep.domain.fraud import linked, policy, review, rule, score
from lootkeep.domain.webhooks import EVENT_PATTERNS
from lootkeep.kernel import paging
from lootkeep.services.fraud_named_lists import BlockKind

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
    "DisputeKind": get_args(disputes.DisputeKind),
    "DisputeReason": get_args(disputes.DisputeReason),
    "OrderOutcome": get_args(disputes.Outcome),
    "TruthSource": get_args(disputes.TruthSource),
    "DeliveryStatus": get_args(deliveries.DeliveryStatus),
    "OrderStatus": get_args(orders.OrderStatus),
    "ProductStatus": get_args(products.ProductStatus),
    "DeliveryType": get_args(products.DeliveryType),
    "BillingType": get_args(products.BillingType),
    "BillingInterval": get_args(products.BillingInterval),
    "SubscriptionStatus": get_args(subscriptions.SubscriptionStatus),
    "CustomerStatus": get_args(customers.CustomerStatus),
    "GiftCardStatus": get_args(gift_cards.GiftCardStatus),
    "TicketStatus": get_args(support_tickets.TicketStatus),
    "TicketPriority": get_args(support_tickets.TicketPriority),
    "TicketCategory": get_args(support_tickets.TicketCategory),
    "AuthorType": get_args(support_tickets.AuthorType),
    "LastMessageBy": get_args(support_tickets.LastMessageBy),
    "CampaignStatus": get_args(campaigns.CampaignStatus),
    "AudienceType": get_args(campaigns.AudienceType),
    "AlertChannel": get_args(alerts.AlertChannel),
    "AlertTrigger": get_args(alerts.AlertTrigger),
    "ReferralStatus": get_args(referrals.ReferralStatus),
    "RewardType": get_args(referrals.RewardType),
    "RewardEvent": get_args(referrals.RewardEvent),
    "DiscountType": get_args(referrals.DiscountType),
    "AnalyticsPeriod": get_args(analytics.PeriodName),
    "AnalyticsInterval": get_args(analytics.Interval),
    "SortDirection": get_args(paging.SortDirection),
}
# Keyed by the words in any order: one of the two schema writers sorts them.
_NAMES = {frozenset(words): name for name, words in _NAMED.items()}


def components() -> Json:
    return {name: {"type": "string", "enum": list(words)} for name, words in _NAMED.items()}


def name_of(words: list[Any]) -> str | None:
    return _NAMES.get(frozenset(words))
