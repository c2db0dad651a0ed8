"""What `words` has; written by `python -m tools.write_clients`."""

from __future__ import annotations

from typing import Literal

ReferralStatus = Literal["pending", "successful"]

RewardType = Literal["percentage_discount", "fixed_discount"]

RewardEvent = Literal["signup", "first_purchase"]

DiscountType = Literal["percentage", "fixed"]

RiskLevel = Literal["low", "medium", "high", "critical"]

FraudDecision = Literal["allowed", "flagged", "blocked", "verification_required"]

ReviewOutcome = Literal["legitimate", "fraud", "inconclusive"]

BlockKind = Literal["customer", "email", "device", "ip", "instrument", "player"]

FraudSensitivity = Literal["low", "medium", "high"]

FraudAction = Literal["block", "flag", "verify"]

FraudWhenDue = Literal["wait", "release", "cancel"]

FraudRuleAction = Literal["allow", "block", "verify", "flag", "points"]

SortDirection = Literal["asc", "desc"]

FraudRuleMode = Literal["off", "shadow", "on"]

OrderOutcome = Literal["fraud", "legitimate"]

TruthSource = Literal["review", "refund", "early_warning", "dispute", "dispute_lost"]

OrderStatus = Literal["pending", "on_hold", "paid", "completed", "partially_refunded", "refunded", "cancelled"]

CheckoutStep = Literal["pay", "wait_for_review", "verify", "refused", "refund"]

CustomerStatus = Literal["active", "blocked"]

LinkKind = Literal["device", "address", "mailbox", "instrument", "player", "referral"]

MailboxStatus = Literal["ok", "bounced", "complained", "unsubscribed"]

Game = Literal["minecraft", "minecraft_bedrock", "steam", "rust", "fivem", "ark", "roblox", "discord", "other"]

EventSubscription = Literal[
    "order.created",
    "order.paid",
    "order.completed",
    "order.refunded",
    "subscription.created",
    "subscription.renewed",
    "subscription.cancelled",
    "product.created",
    "product.updated",
    "product.deleted",
    "order.delivered",
    "keys.low",
    "command.failed",
    "order.disputed",
    "fraud.flagged",
    "fraud.held",
    "fraud.blocked",
    "fraud.reviewed",
    "order.cancelled",
    "customer.created",
    "customer.updated",
    "customer.erased",
    "ticket.created",
    "ticket.replied",
    "gift_card.created",
    "gift_card.redeemed",
    "coupon.used",
    "*",
    "order.*",
    "subscription.*",
    "product.*",
]

DeliveryStatus = Literal["pending", "delivered", "failed", "cancelled"]

EventType = Literal[
    "order.created",
    "order.paid",
    "order.completed",
    "order.refunded",
    "subscription.created",
    "subscription.renewed",
    "subscription.cancelled",
    "product.created",
    "product.updated",
    "product.deleted",
    "order.delivered",
    "keys.low",
    "command.failed",
    "order.disputed",
    "fraud.flagged",
    "fraud.held",
    "fraud.blocked",
    "fraud.reviewed",
    "order.cancelled",
    "customer.created",
    "customer.updated",
    "customer.erased",
    "ticket.created",
    "ticket.replied",
    "gift_card.created",
    "gift_card.redeemed",
    "coupon.used",
]

ProductStatus = Literal["draft", "active", "archived"]

DeliveryType = Literal["keys", "file", "command", "manual", "gift_card"]

BillingType = Literal["one_time", "recurring"]

KeyStatus = Literal["available", "assigned", "replaced", "revoked", "withdrawn"]

BillingInterval = Literal["day", "week", "month", "year"]

CommandCause = Literal["paid", "renewed", "expired", "refunded", "disputed"]

CardFunding = Literal["credit", "debit", "prepaid", "unknown"]

ThreeDSecure = Literal["passed", "failed", "not_used"]

GoodKind = Literal["key", "file", "command", "gift_card", "manual"]

GoodState = Literal["waiting", "delivered", "failed", "revoked", "replaced", "expired"]

AuthorType = Literal["customer", "staff", "system"]

EvidenceMatch = Literal["customer", "email", "player", "ip_address", "device"]

AnalyticsPeriod = Literal[
    "today", "yesterday", "last_7_days", "last_30_days", "last_90_days", "this_month", "last_month", "this_year"
]

AnalyticsInterval = Literal["hour", "day", "week", "month"]

GiftCardStatus = Literal["scheduled", "active", "redeemed", "expired", "revoked"]

CouponState = Literal["scheduled", "active", "used_up", "expired", "inactive"]

CouponOrigin = Literal["tier", "welcome", "owner", "creator"]

CouponUseState = Literal["reserved", "used"]

CreatorEntryType = Literal["commission", "clawback", "release", "payout"]

TicketStatus = Literal["open", "pending", "resolved", "closed"]

TicketPriority = Literal["low", "normal", "high", "urgent"]

TicketCategory = Literal["order", "payment", "delivery", "account", "refund", "technical", "other"]

LastMessageBy = Literal["customer", "staff"]

CampaignStatus = Literal["draft", "scheduled", "sending", "sent", "cancelled", "failed"]

AudienceType = Literal["all", "segment", "customers"]

AlertChannel = Literal["discord", "slack", "email", "webhook"]

AlertTrigger = Literal[
    "order_held",
    "order_blocked",
    "order_disputed",
    "payment_unmatched",
    "keys_missing",
    "low_stock",
    "command_failed",
    "ticket_created",
    "receiver_failing",
    "backlog",
    "server_silent",
]

CommandStatus = Literal["waiting", "leased", "done", "failed", "cancelled"]

PaymentProvider = Literal["stripe", "paypal"]

PaymentEventStatus = Literal["waiting", "applied", "unmatched", "ignored"]

PaymentOperation = Literal[
    "paid", "declined", "refunded", "dispute_opened", "dispute_won", "dispute_lost", "early_warning"
]

PaymentEventReason = Literal[
    "order_not_found",
    "order_ambiguous",
    "payment_missing",
    "amount_differs",
    "currency_differs",
    "already_paid",
    "already_recorded",
    "order_cancelled",
    "order_on_hold",
    "test_mode",
]

DisputeKind = Literal["early_warning", "dispute", "dispute_won", "dispute_lost"]

DisputeReason = Literal["fraudulent", "other"]

SubscriptionStatus = Literal["active", "cancelled", "expired"]

CouponRejection = Literal[
    "unknown",
    "not_yours",
    "scheduled",
    "expired",
    "inactive",
    "used_up",
    "used_by_customer",
    "not_first_order",
    "below_minimum",
    "no_product",
    "currency",
]
