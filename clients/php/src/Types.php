<?php

declare(strict_types=1);

namespace Lootkeep;

/**
 * What methods return, what bodies consist of, and what a webhook receives; written by `python -m tools.write_clients`.
 *
 * @phpstan-type ReferralStatus 'pending'|'successful'
 * @phpstan-type Referral array{
 *     id: int,
 *     name: string,
 *     email: string,
 *     referred_at: string,
 *     referrer: Referrer,
 *     status: ReferralStatus,
 *     first_order_at: string|null
 * }
 * @phpstan-type Referrer array{
 *     id: int,
 *     name: string,
 *     email: string,
 *     referral_code: string
 * }
 * @phpstan-type Statistics array{
 *     total_referrals: int,
 *     successful_referrals: int,
 *     conversion_rate: int|float,
 *     rewards_claimed: int,
 *     total_coupons_value: int|float
 * }
 * @phpstan-type Leaderboard array{
 *     id: int,
 *     name: string,
 *     referral_count: int
 * }
 * @phpstan-type TopReferrer array{
 *     id: int,
 *     name: string,
 *     email: string,
 *     referral_code: string,
 *     total_referrals: int,
 *     successful_referrals: int,
 *     rewards_claimed: int
 * }
 * @phpstan-type CodeValidation array{
 *     valid: bool,
 *     referrer?: CodeOwner,
 *     error?: string
 * }
 * @phpstan-type CodeOwner array{
 *     id: int,
 *     name: string
 * }
 * @phpstan-type Tier array{
 *     id: int,
 *     name: string,
 *     description: string|null,
 *     referrals_required: int,
 *     reward_type: RewardType,
 *     reward_value: string,
 *     reward_currency: string|null,
 *     coupon_validity_days: int,
 *     is_active: bool,
 *     sort_order: int,
 *     formatted_reward: string,
 *     claims_count: int,
 *     created_at: string,
 *     updated_at: string
 * }
 * @phpstan-type RewardType 'percentage_discount'|'fixed_discount'
 * @phpstan-type ToggledTier array{
 *     id: int,
 *     name: string,
 *     is_active: bool,
 *     formatted_reward: string
 * }
 * @phpstan-type ReferralSettings array{
 *     referral_enabled: bool,
 *     referral_reward_event: RewardEvent,
 *     referral_welcome_discount_enabled: bool,
 *     referral_welcome_discount_type: DiscountType,
 *     referral_welcome_discount_value: int|float
 * }
 * @phpstan-type RewardEvent 'signup'|'first_purchase'
 * @phpstan-type DiscountType 'percentage'|'fixed'
 * @phpstan-type Claim array{
 *     id: int,
 *     customer: ClaimCustomer,
 *     tier: ClaimTier,
 *     coupon: ClaimCoupon,
 *     claimed_at: string
 * }
 * @phpstan-type ClaimCustomer array{
 *     id: int,
 *     name: string,
 *     email: string
 * }
 * @phpstan-type ClaimTier array{
 *     id: int,
 *     name: string,
 *     referrals_required: int
 * }
 * @phpstan-type ClaimCoupon array{
 *     id: int,
 *     code: string,
 *     times_used: int
 * }
 * @phpstan-type RefusedReferral array{
 *     id: int,
 *     customer: ClaimCustomer,
 *     referrer: ClaimCustomer,
 *     reason: 'already_referred'|'circular_referral'|'same_device'|'self_referral',
 *     explanation: string,
 *     created_at: string
 * }
 * @phpstan-type FraudDashboard array{
 *     stats: FraudStats,
 *     judged_month: JudgedMonth
 * }
 * @phpstan-type FraudStats array{
 *     today: DayFigures,
 *     this_week: PeriodFigures,
 *     this_month: PeriodFigures,
 *     pending_review: int,
 *     high_risk_today: int
 * }
 * @phpstan-type DayFigures array{
 *     blocked: int,
 *     flagged: int,
 *     allowed: int
 * }
 * @phpstan-type PeriodFigures array{
 *     blocked: int,
 *     flagged: int
 * }
 * @phpstan-type JudgedMonth array{
 *     since: string,
 *     orders: int,
 *     frauds: int,
 *     caught: int,
 *     recall: int|float|null
 * }
 * @phpstan-type SignalReport array{
 *     name: string,
 *     label: string,
 *     fired: int,
 *     right: int,
 *     wrong: int,
 *     precision: int|float|null
 * }
 * @phpstan-type FraudSettingsChanges array{
 *     fraud_detection_enabled?: bool,
 *     fraud_sensitivity_level?: FraudSensitivity,
 *     fraud_action?: FraudAction,
 *     fraud_block_vpn?: bool,
 *     fraud_block_proxy?: bool,
 *     fraud_block_datacenter?: bool,
 *     fraud_block_tor?: bool,
 *     fraud_block_sanctioned_countries?: bool,
 *     fraud_check_geo_mismatch?: bool,
 *     fraud_check_velocity?: bool,
 *     fraud_check_disposable_email?: bool,
 *     fraud_judge_at_payment?: bool,
 *     fraud_accounts_made_at_checkout?: bool,
 *     fraud_signal_points?: array<string, int>,
 *     fraud_velocity_limit_orders_per_ip?: int,
 *     fraud_velocity_limit_orders_per_email?: int,
 *     fraud_velocity_limit_declines?: int,
 *     fraud_velocity_window_minutes?: int,
 *     fraud_review_due_hours?: int,
 *     fraud_review_when_due?: FraudWhenDue,
 *     fraud_review_daily_budget?: int,
 *     fraud_custom_blocked_countries?: list<string>,
 *     fraud_whitelisted_ips?: list<string>,
 *     fraud_whitelisted_emails?: list<string>
 * }
 * @phpstan-type FraudSensitivity 'low'|'medium'|'high'
 * @phpstan-type FraudAction 'block'|'flag'|'verify'
 * @phpstan-type FraudWhenDue 'wait'|'release'|'cancel'
 * @phpstan-type TriedRuleBody array{
 *     id?: int|null,
 *     expression: string,
 *     action: FraudRuleAction,
 *     points?: int
 * }
 * @phpstan-type FraudRuleAction 'allow'|'block'|'verify'|'flag'|'points'
 * @phpstan-type Backtest array{
 *     checks: int,
 *     older_engine_checks: int,
 *     is_complete: bool,
 *     before: BacktestSide,
 *     after: BacktestSide,
 *     changed_count: int,
 *     changed: list<ChangedOrder>,
 *     rule: Tally|null
 * }
 * @phpstan-type BacktestSide array{
 *     actions: ActionCounts,
 *     precision: int|float|null,
 *     recall: int|float|null
 * }
 * @phpstan-type ActionCounts array{
 *     allowed: int,
 *     flagged: int,
 *     blocked: int,
 *     verification_required: int
 * }
 * @phpstan-type ChangedOrder array{
 *     check_id: int,
 *     order_id: int,
 *     order_number: string,
 *     score_before: int,
 *     score_after: int,
 *     action_before: FraudDecision,
 *     action_after: FraudDecision,
 *     review_outcome: string|null,
 *     truth: OrderOutcome|null,
 *     truth_source: TruthSource|null
 * }
 * @phpstan-type FraudDecision 'allowed'|'flagged'|'blocked'|'verification_required'
 * @phpstan-type OrderOutcome 'fraud'|'legitimate'
 * @phpstan-type TruthSource 'review'|'refund'|'early_warning'|'dispute'|'dispute_lost'
 * @phpstan-type Tally array{
 *     fired: int,
 *     right: int,
 *     wrong: int,
 *     precision: int|float|null
 * }
 * @phpstan-type Explanation array{
 *     risk_score: int,
 *     risk_level: RiskLevel,
 *     action_taken: FraudDecision,
 *     is_known_customer: bool,
 *     is_whitelisted: bool,
 *     signals: list<ExplainedSignal>,
 *     would_stop: list<string>
 * }
 * @phpstan-type RiskLevel 'low'|'medium'|'high'|'critical'
 * @phpstan-type ExplainedSignal array{
 *     name: string,
 *     label: string,
 *     points: int,
 *     fact: string|null,
 *     until: string|null
 * }
 * @phpstan-type ReviewOutcome 'legitimate'|'fraud'|'inconclusive'
 * @phpstan-type BlockKind 'customer'|'email'|'device'|'ip'|'instrument'|'player'
 * @phpstan-type Reviewed array{
 *     id: int,
 *     is_reviewed: bool,
 *     reviewed_by: int|null,
 *     reviewed_at: string|null,
 *     review_outcome: ReviewOutcome|null,
 *     review_notes: string|null
 * }
 * @phpstan-type FraudCheck array{
 *     id: int,
 *     order_id: int,
 *     customer_id: int,
 *     ip_address: string|null,
 *     risk_score: int,
 *     risk_level: RiskLevel,
 *     action_taken: FraudDecision,
 *     detected_country: string|null,
 *     billing_country: string|null,
 *     detected_city: string|null,
 *     is_vpn: bool,
 *     is_proxy: bool,
 *     is_datacenter: bool,
 *     is_tor: bool,
 *     is_sanctioned_country: bool,
 *     has_geo_mismatch: bool,
 *     has_velocity_violation: bool,
 *     is_disposable_email: bool,
 *     is_reviewed: bool,
 *     reviewed_by: int|null,
 *     reviewed_at: string|null,
 *     review_outcome: ReviewOutcome|null,
 *     created_at: string,
 *     order: CheckOrder,
 *     customer: CheckCustomer
 * }
 * @phpstan-type CheckOrder array{
 *     id: int,
 *     order_number: string
 * }
 * @phpstan-type CheckCustomer array{
 *     id: int,
 *     name: string
 * }
 * @phpstan-type CheckAnswer array{
 *     check: FraudCheckDetail,
 *     detected_signals: list<string>,
 *     risk_badge: Badge,
 *     action_badge: Badge
 * }
 * @phpstan-type FraudCheckDetail array{
 *     id: int,
 *     order_id: int,
 *     customer_id: int,
 *     ip_address: string|null,
 *     risk_score: int,
 *     risk_level: RiskLevel,
 *     action_taken: FraudDecision,
 *     detected_country: string|null,
 *     billing_country: string|null,
 *     detected_city: string|null,
 *     is_vpn: bool,
 *     is_proxy: bool,
 *     is_datacenter: bool,
 *     is_tor: bool,
 *     is_sanctioned_country: bool,
 *     has_geo_mismatch: bool,
 *     has_velocity_violation: bool,
 *     is_disposable_email: bool,
 *     is_reviewed: bool,
 *     reviewed_by: int|null,
 *     reviewed_at: string|null,
 *     review_outcome: ReviewOutcome|null,
 *     created_at: string,
 *     email: string,
 *     user_agent: string|null,
 *     signals: array<string, int>,
 *     facts: array<string, string>,
 *     asn_name: string|null,
 *     asn_number: int|null,
 *     review_notes: string|null,
 *     engine_version: int,
 *     probability: int|float,
 *     policy_version: int,
 *     rules: list<RuleHit>,
 *     truth: OrderOutcome|null,
 *     truth_source: TruthSource|null,
 *     truth_at: string|null,
 *     order: CheckOrderDetail,
 *     customer: CheckCustomerDetail
 * }
 * @phpstan-type RuleHit array{
 *     id: int,
 *     name: string,
 *     action: FraudRuleAction,
 *     mode: FraudRuleMode
 * }
 * @phpstan-type FraudRuleMode 'off'|'shadow'|'on'
 * @phpstan-type CheckOrderDetail array{
 *     id: int,
 *     order_number: string,
 *     status: OrderStatus,
 *     total: string
 * }
 * @phpstan-type OrderStatus 'pending'|'on_hold'|'paid'|'completed'|'partially_refunded'|'refunded'|'cancelled'
 * @phpstan-type CheckCustomerDetail array{
 *     id: int,
 *     name: string,
 *     email: string
 * }
 * @phpstan-type Badge array{
 *     label: string,
 *     color: string
 * }
 * @phpstan-type ReviewedCheck array{
 *     id: int,
 *     is_reviewed: bool,
 *     reviewed_by: int|null,
 *     reviewed_at: string|null,
 *     review_outcome: ReviewOutcome|null,
 *     review_notes: string|null,
 *     order: ReviewedOrder
 * }
 * @phpstan-type ReviewedOrder array{
 *     id: int,
 *     order_number: string,
 *     status: OrderStatus,
 *     next: CheckoutStep|null
 * }
 * @phpstan-type CheckoutStep 'pay'|'wait_for_review'|'verify'|'refused'|'refund'
 * @phpstan-type CheckReview array{
 *     outcome: ReviewOutcome,
 *     notes: string|null,
 *     reviewed_by: int,
 *     reviewed_at: string
 * }
 * @phpstan-type LinkedAccounts array{
 *     accounts: list<LinkedAccount>,
 *     edges: list<Edge>,
 *     hubs: list<Hub>,
 *     is_complete: bool
 * }
 * @phpstan-type LinkedAccount array{
 *     id: int,
 *     name: string,
 *     status: CustomerStatus,
 *     orders_count: int,
 *     total_spent: string,
 *     is_fraud: bool,
 *     is_disputed: bool,
 *     depth: int
 * }
 * @phpstan-type CustomerStatus 'active'|'blocked'
 * @phpstan-type Edge array{
 *     kind: LinkKind,
 *     value: string,
 *     customer_id: int,
 *     first_seen_at: string,
 *     last_seen_at: string
 * }
 * @phpstan-type LinkKind 'device'|'address'|'mailbox'|'instrument'|'player'|'referral'
 * @phpstan-type Hub array{
 *     kind: LinkKind,
 *     value: string
 * }
 * @phpstan-type Assigned array{
 *     id: int,
 *     owner_id: int|null,
 *     due_at: string|null
 * }
 * @phpstan-type FraudSettingsAnswer array{
 *     settings: FraudSettings,
 *     sanctioned_countries: list<string>,
 *     high_risk_countries: list<string>,
 *     missing_lists: list<string>
 * }
 * @phpstan-type FraudSettings array{
 *     fraud_detection_enabled?: bool,
 *     fraud_sensitivity_level?: FraudSensitivity,
 *     fraud_action?: FraudAction,
 *     fraud_block_vpn?: bool,
 *     fraud_block_proxy?: bool,
 *     fraud_block_datacenter?: bool,
 *     fraud_block_tor?: bool,
 *     fraud_block_sanctioned_countries?: bool,
 *     fraud_check_geo_mismatch?: bool,
 *     fraud_check_velocity?: bool,
 *     fraud_check_disposable_email?: bool,
 *     fraud_judge_at_payment?: bool,
 *     fraud_accounts_made_at_checkout?: bool,
 *     fraud_signal_points?: array<string, int>,
 *     fraud_velocity_limit_orders_per_ip?: int,
 *     fraud_velocity_limit_orders_per_email?: int,
 *     fraud_velocity_limit_declines?: int,
 *     fraud_velocity_window_minutes?: int,
 *     fraud_review_due_hours?: int,
 *     fraud_review_when_due?: FraudWhenDue,
 *     fraud_review_daily_budget?: int,
 *     fraud_custom_blocked_countries?: list<string>,
 *     fraud_whitelisted_ips_count?: int,
 *     fraud_whitelisted_emails_count?: int
 * }
 * @phpstan-type WhitelistedIps array{
 *     whitelisted_ips: list<string>
 * }
 * @phpstan-type WhitelistedEmails array{
 *     whitelisted_emails: list<string>
 * }
 * @phpstan-type BlockedCountries array{
 *     blocked_countries: list<string>
 * }
 * @phpstan-type FraudRule array{
 *     id: int,
 *     name: string,
 *     expression: string,
 *     action: FraudRuleAction,
 *     points: int,
 *     mode: FraudRuleMode,
 *     note: string|null,
 *     expires_at: string|null,
 *     hits: Tally,
 *     updated_by: int,
 *     created_at: string,
 *     updated_at: string
 * }
 * @phpstan-type FraudList array{
 *     id: int,
 *     name: string,
 *     kind: 'country'|'customer'|'device'|'domain'|'email'|'instrument'|'ip'|'player',
 *     note: string|null,
 *     entries_count: int,
 *     created_at: string
 * }
 * @phpstan-type ListEntry array{
 *     value: string,
 *     reason: string|null,
 *     added_by: int,
 *     expires_at: string|null,
 *     created_at: string
 * }
 * @phpstan-type SortDirection 'asc'|'desc'
 * @phpstan-type Customer array{
 *     id: int,
 *     email: string,
 *     name: string,
 *     username: string|null,
 *     external_id: string|null,
 *     country: string|null,
 *     status: CustomerStatus,
 *     status_reason: string|null,
 *     accepts_marketing: bool,
 *     consent_given_at: string|null,
 *     consent_withdrawn_at: string|null,
 *     email_status: MailboxStatus,
 *     referral_code: string,
 *     referred_by: CodeOwner|null,
 *     orders_count: int,
 *     total_spent: string,
 *     average_order_value: string,
 *     first_order_at: string|null,
 *     last_order_at: string|null,
 *     tags: list<string>,
 *     identities: list<Identity>,
 *     note: string|null,
 *     created_at: string,
 *     updated_at: string,
 *     erased_at: string|null
 * }
 * @phpstan-type MailboxStatus 'ok'|'bounced'|'complained'|'unsubscribed'
 * @phpstan-type Identity array{
 *     game: Game,
 *     id: string|null,
 *     name: string|null,
 *     verified_at: string|null
 * }
 * @phpstan-type Game 'minecraft'|'minecraft_bedrock'|'steam'|'rust'|'fivem'|'ark'|'roblox'|'discord'|'other'
 * @phpstan-type PlayerBody array{
 *     game: Game,
 *     id?: string|null,
 *     name?: string|null
 * }
 * @phpstan-type ChangedCustomer array{
 *     id: int,
 *     email: string,
 *     name: string,
 *     username: string|null,
 *     external_id: string|null,
 *     country: string|null,
 *     status: CustomerStatus,
 *     status_reason: string|null,
 *     accepts_marketing: bool,
 *     consent_given_at: string|null,
 *     consent_withdrawn_at: string|null,
 *     email_status: MailboxStatus,
 *     referral_code: string,
 *     referred_by: CodeOwner|null,
 *     orders_count: int,
 *     total_spent: string,
 *     average_order_value: string,
 *     first_order_at: string|null,
 *     last_order_at: string|null,
 *     tags: list<string>,
 *     identities: list<Identity>,
 *     note: string|null,
 *     created_at: string,
 *     updated_at: string,
 *     erased_at: string|null,
 *     would_stop: list<string>|null
 * }
 * @phpstan-type QueuedCheck array{
 *     id: int,
 *     risk_score: int,
 *     risk_level: RiskLevel,
 *     action_taken: FraudDecision,
 *     detected_signals: list<string>,
 *     order: CheckOrder,
 *     order_total: string,
 *     customer: CheckCustomer,
 *     owner_id: int|null,
 *     due_at: string|null,
 *     expected_loss: string,
 *     created_at: string
 * }
 * @phpstan-type Riskiest array{
 *     budget: int,
 *     checks: list<QueuedCheck>
 * }
 * @phpstan-type Webhook array{
 *     id: int,
 *     url: string,
 *     events: list<EventType>,
 *     is_active: bool,
 *     header_names: list<string>,
 *     filter: string|null,
 *     created_at: string
 * }
 * @phpstan-type EventType 'order.created'|'order.paid'|'order.completed'|'order.refunded'|'subscription.created'|'subscription.renewed'|'subscription.cancelled'|'product.created'|'product.updated'|'product.deleted'|'order.delivered'|'keys.low'|'command.failed'|'order.disputed'|'fraud.flagged'|'fraud.held'|'fraud.blocked'|'fraud.reviewed'|'order.cancelled'|'customer.created'|'customer.updated'|'customer.erased'|'ticket.created'|'ticket.replied'|'gift_card.created'|'gift_card.redeemed'|'coupon.used'
 * @phpstan-type EventSubscription 'order.created'|'order.paid'|'order.completed'|'order.refunded'|'subscription.created'|'subscription.renewed'|'subscription.cancelled'|'product.created'|'product.updated'|'product.deleted'|'order.delivered'|'keys.low'|'command.failed'|'order.disputed'|'fraud.flagged'|'fraud.held'|'fraud.blocked'|'fraud.reviewed'|'order.cancelled'|'customer.created'|'customer.updated'|'customer.erased'|'ticket.created'|'ticket.replied'|'gift_card.created'|'gift_card.redeemed'|'coupon.used'|'*'|'order.*'|'subscription.*'|'product.*'
 * @phpstan-type WebhookWithSecret array{
 *     id: int,
 *     url: string,
 *     events: list<EventType>,
 *     is_active: bool,
 *     header_names: list<string>,
 *     filter: string|null,
 *     secret: string,
 *     created_at: string
 * }
 * @phpstan-type TestResult array{
 *     delivered: bool,
 *     response_code: int|null,
 *     response_time_ms: int
 * }
 * @phpstan-type DeliveryStatus 'pending'|'delivered'|'failed'|'cancelled'
 * @phpstan-type Delivery array{
 *     id: string,
 *     webhook_id: int,
 *     event_id: int,
 *     event_type: EventType,
 *     status: DeliveryStatus,
 *     attempts_count: int,
 *     response_code: int|null,
 *     reason: string|null,
 *     created_at: string,
 *     next_attempt_at: string|null,
 *     finished_at: string|null
 * }
 * @phpstan-type DeliveryDetail array{
 *     delivery: Delivery,
 *     sent: Sent,
 *     attempts: list<Attempt>
 * }
 * @phpstan-type Sent array{
 *     url: string|null,
 *     headers: array<string, string>,
 *     body: string
 * }
 * @phpstan-type Attempt array{
 *     number: int,
 *     outcome: 'delivered'|'failed'|'interrupted'|'open',
 *     started_at: string,
 *     finished_at: string|null,
 *     response_code: int|null,
 *     response_time_ms: int|null,
 *     reason: string|null,
 *     response_excerpt: string|null
 * }
 * @phpstan-type Replay array{
 *     id: int,
 *     webhook_id: int,
 *     since: string,
 *     event_types: list<EventType>,
 *     total: int,
 *     done: int,
 *     created_at: string,
 *     finished_at: string|null
 * }
 * @phpstan-type EventFeed array{
 *     events: list<Event>,
 *     next_cursor: int,
 *     has_more: bool
 * }
 * @phpstan-type Event array{
 *     id: int,
 *     event_type: EventType,
 *     created_at: string,
 *     data: array<string, mixed>
 * }
 * @phpstan-type ProductStatus 'draft'|'active'|'archived'
 * @phpstan-type DeliveryType 'keys'|'file'|'command'|'manual'|'gift_card'
 * @phpstan-type BillingType 'one_time'|'recurring'
 * @phpstan-type Product array{
 *     id: int,
 *     name: string,
 *     slug: string,
 *     sku: string|null,
 *     description: string|null,
 *     delivery_type: DeliveryType,
 *     billing_type: BillingType,
 *     billing_interval: BillingInterval|null,
 *     billing_interval_count: int|null,
 *     status: ProductStatus,
 *     price: string,
 *     compare_at_price: string|null,
 *     currency: string,
 *     stock: int|null,
 *     stock_status: 'in_stock'|'low_stock'|'out_of_stock'|'unlimited',
 *     max_per_order: int|null,
 *     category: string|null,
 *     tags: list<string>,
 *     image_url: string|null,
 *     file_url: string|null,
 *     valid_days: int|null,
 *     keys_available: int|null,
 *     commands: list<ProductCommand>,
 *     sales_count: int,
 *     metadata: array<string, string|int|float|bool|null>,
 *     created_at: string,
 *     updated_at: string
 * }
 * @phpstan-type BillingInterval 'day'|'week'|'month'|'year'
 * @phpstan-type ProductCommand array{
 *     server_id: int,
 *     on: CommandCause,
 *     text: string,
 *     needs_player_online: bool,
 *     delay_minutes: int
 * }
 * @phpstan-type CommandCause 'paid'|'renewed'|'expired'|'refunded'|'disputed'
 * @phpstan-type KeysAdded array{
 *     added: int,
 *     already_known: int,
 *     stock: int
 * }
 * @phpstan-type KeyStatus 'available'|'assigned'|'replaced'|'revoked'|'withdrawn'
 * @phpstan-type ProductKey array{
 *     id: int,
 *     masked_key: string,
 *     status: KeyStatus,
 *     batch: string|null,
 *     order_id: int|null,
 *     item_id: int|null,
 *     assigned_at: string|null,
 *     revealed_at: string|null,
 *     created_at: string
 * }
 * @phpstan-type KeyBatch array{
 *     batch: string|null,
 *     unit_cost: string|null,
 *     added: int,
 *     available: int,
 *     assigned: int,
 *     replaced: int,
 *     revoked: int,
 *     withdrawn: int,
 *     created_at: string
 * }
 * @phpstan-type KeysWithdrawn array{
 *     withdrawn: int,
 *     already_assigned: list<AssignedKey>
 * }
 * @phpstan-type AssignedKey array{
 *     key_id: int,
 *     order_id: int
 * }
 * @phpstan-type RevealedKey array{
 *     id: int,
 *     key: string
 * }
 * @phpstan-type Order array{
 *     id: int,
 *     order_number: string,
 *     status: OrderStatus,
 *     customer: OrderCustomer,
 *     items: list<OrderItem>,
 *     subtotal: string,
 *     discount_total: string,
 *     total: string,
 *     gift_card_total: string,
 *     amount_due: string,
 *     refunded_total: string,
 *     currency: string,
 *     coupon_code: string|null,
 *     referral_code: string|null,
 *     payment_method: string|null,
 *     transaction_id: string|null,
 *     ip_address: string|null,
 *     billing_country: string|null,
 *     fraud: OrderFraud|null,
 *     cancel_reason: string|null,
 *     external_id: string|null,
 *     metadata: array<string, string|int|float|bool|null>,
 *     created_at: string,
 *     updated_at: string,
 *     paid_at: string|null,
 *     completed_at: string|null,
 *     cancelled_at: string|null,
 *     refunded_at: string|null,
 *     fulfillment_note: string|null,
 *     page_url: string|null,
 *     player: Player|null,
 *     payment: OrderPayment|null,
 *     tax_total: string|null,
 *     tax_rate: string|null,
 *     tax_country: string|null
 * }
 * @phpstan-type OrderCustomer array{
 *     id: int,
 *     name: string,
 *     email: string
 * }
 * @phpstan-type OrderItem array{
 *     id: int,
 *     product_id: int,
 *     product_name: string,
 *     sku: string|null,
 *     quantity: int,
 *     price: string,
 *     total: string,
 *     fulfilled_quantity: int
 * }
 * @phpstan-type OrderFraud array{
 *     check_id: int,
 *     risk_score: int,
 *     risk_level: RiskLevel,
 *     action_taken: FraudDecision
 * }
 * @phpstan-type Player array{
 *     game: Game,
 *     id: string|null,
 *     name: string|null
 * }
 * @phpstan-type OrderPayment array{
 *     country: string|null,
 *     funding: CardFunding|null,
 *     three_d_secure: ThreeDSecure|null,
 *     bin: string|null,
 *     instrument_id: string|null
 * }
 * @phpstan-type CardFunding 'credit'|'debit'|'prepaid'|'unknown'
 * @phpstan-type ThreeDSecure 'passed'|'failed'|'not_used'
 * @phpstan-type DeliveredBody array{
 *     item_id: int,
 *     quantity: int
 * }
 * @phpstan-type OrderGood array{
 *     item_id: int,
 *     product_id: int,
 *     kind: GoodKind,
 *     state: GoodState,
 *     masked: string|null,
 *     delivered_at: string|null,
 *     revealed_at: string|null,
 *     expires_at: string|null,
 *     server: string|null,
 *     needs_player_online: bool,
 *     command_id: int|null,
 *     output: string|null
 * }
 * @phpstan-type GoodKind 'key'|'file'|'command'|'gift_card'|'manual'
 * @phpstan-type GoodState 'waiting'|'delivered'|'failed'|'revoked'|'replaced'|'expired'
 * @phpstan-type ReplacedKey array{
 *     replaced_key_id: int,
 *     key_id: int
 * }
 * @phpstan-type Evidence array{
 *     order: Order,
 *     customer: EvidenceCustomer,
 *     network: EvidenceNetwork,
 *     device_id: string|null,
 *     player: Player|null,
 *     payment: EvidencePayment|null,
 *     goods: list<EvidenceGood>,
 *     emails: list<EvidenceEmail>,
 *     tickets: list<EvidenceTicket>,
 *     earlier_orders: list<EarlierOrder>,
 *     compelling_evidence: CompellingEvidence,
 *     created_at: string
 * }
 * @phpstan-type EvidenceCustomer array{
 *     id: int,
 *     name: string,
 *     email: string,
 *     created_at: string
 * }
 * @phpstan-type EvidenceNetwork array{
 *     ip_address: string|null,
 *     country: string|null
 * }
 * @phpstan-type EvidencePayment array{
 *     paid_at: string,
 *     amount: string,
 *     currency: string,
 *     method: string|null,
 *     transaction_id: string|null,
 *     country: string|null,
 *     funding: CardFunding|null,
 *     three_d_secure: ThreeDSecure|null
 * }
 * @phpstan-type EvidenceGood array{
 *     item_id: int,
 *     product_id: int,
 *     kind: GoodKind,
 *     state: GoodState,
 *     masked: string|null,
 *     delivered_at: string|null,
 *     revealed_at: string|null,
 *     expires_at: string|null,
 *     server: string|null,
 *     needs_player_online: bool,
 *     command_id: int|null,
 *     output: string|null,
 *     player: Player|null,
 *     handed_at: string|null,
 *     acknowledged_at: string|null,
 *     product_name: string,
 *     looks: list<Look>
 * }
 * @phpstan-type Look array{
 *     at: string,
 *     ip_address: string|null,
 *     user_agent: string|null
 * }
 * @phpstan-type EvidenceEmail array{
 *     kind: string,
 *     subject: string,
 *     to_email: string,
 *     status: string,
 *     at: string
 * }
 * @phpstan-type EvidenceTicket array{
 *     id: int,
 *     ticket_number: string,
 *     subject: string,
 *     created_at: string,
 *     messages: list<EvidenceMessage>
 * }
 * @phpstan-type EvidenceMessage array{
 *     author_type: AuthorType,
 *     body: string,
 *     at: string
 * }
 * @phpstan-type AuthorType 'customer'|'staff'|'system'
 * @phpstan-type EarlierOrder array{
 *     order_id: int,
 *     order_number: string,
 *     status: OrderStatus,
 *     total: string,
 *     currency: string,
 *     paid_at: string|null
 * }
 * @phpstan-type CompellingEvidence array{
 *     qualifies: bool,
 *     orders: list<MatchingOrder>,
 *     matches: list<EvidenceMatch>
 * }
 * @phpstan-type MatchingOrder array{
 *     order_id: int,
 *     order_number: string,
 *     paid_at: string,
 *     matches: list<EvidenceMatch>
 * }
 * @phpstan-type EvidenceMatch 'customer'|'email'|'player'|'ip_address'|'device'
 * @phpstan-type AnalyticsPeriod 'today'|'yesterday'|'last_7_days'|'last_30_days'|'last_90_days'|'this_month'|'last_month'|'this_year'
 * @phpstan-type AnalyticsInterval 'hour'|'day'|'week'|'month'
 * @phpstan-type Revenue array{
 *     period: Period,
 *     currency: string,
 *     totals: RevenueTotals,
 *     previous: RevenueTotals|null,
 *     change: RevenueChange|null,
 *     series: list<RevenuePoint>,
 *     other_currencies: list<Currency>
 * }
 * @phpstan-type Period array{
 *     from: string,
 *     to: string,
 *     interval: AnalyticsInterval,
 *     timezone: string
 * }
 * @phpstan-type RevenueTotals array{
 *     gross_revenue: string,
 *     refunds: string,
 *     net_revenue: string,
 *     discounts: string,
 *     gift_card_redeemed: string,
 *     orders_count: int,
 *     average_order_value: string,
 *     tax: string|null,
 *     net_of_tax: string|null
 * }
 * @phpstan-type RevenueChange array{
 *     gross_revenue: int|float|null,
 *     refunds: int|float|null,
 *     net_revenue: int|float|null,
 *     discounts: int|float|null,
 *     gift_card_redeemed: int|float|null,
 *     orders_count: int|float|null,
 *     average_order_value: int|float|null,
 *     tax: int|float|null,
 *     net_of_tax: int|float|null
 * }
 * @phpstan-type RevenuePoint array{
 *     date: string,
 *     gross_revenue: string,
 *     refunds: string,
 *     net_revenue: string,
 *     orders_count: int,
 *     tax: string|null,
 *     net_of_tax: string|null
 * }
 * @phpstan-type Currency array{
 *     gross_revenue: string,
 *     refunds: string,
 *     net_revenue: string,
 *     discounts: string,
 *     gift_card_redeemed: string,
 *     orders_count: int,
 *     average_order_value: string,
 *     tax: string|null,
 *     net_of_tax: string|null,
 *     currency: string
 * }
 * @phpstan-type Sales array{
 *     period: Period,
 *     totals: SalesTotals,
 *     previous: SalesTotals|null,
 *     change: SalesChange|null,
 *     by_status: array<string, int>,
 *     top_products: list<TopProduct>,
 *     top_customers: list<TopCustomer>,
 *     by_country: list<Country>,
 *     by_payment_method: list<PaymentMethod>,
 *     series: list<SalesPoint>
 * }
 * @phpstan-type SalesTotals array{
 *     orders_count: int,
 *     items_sold: int,
 *     completed_orders: int,
 *     refunded_orders: int,
 *     refund_rate: int|float,
 *     unique_customers: int,
 *     new_customers: int,
 *     returning_customers: int
 * }
 * @phpstan-type SalesChange array{
 *     orders_count: int|float|null,
 *     items_sold: int|float|null,
 *     completed_orders: int|float|null,
 *     refunded_orders: int|float|null,
 *     refund_rate: int|float|null,
 *     unique_customers: int|float|null,
 *     new_customers: int|float|null,
 *     returning_customers: int|float|null
 * }
 * @phpstan-type TopProduct array{
 *     product_id: int,
 *     product_name: string|null,
 *     orders_count: int,
 *     items_sold: int,
 *     gross_revenue: string
 * }
 * @phpstan-type TopCustomer array{
 *     id: int,
 *     name: string,
 *     email: string,
 *     orders_count: int,
 *     total_spent: string
 * }
 * @phpstan-type Country array{
 *     country: string|null,
 *     orders_count: int,
 *     gross_revenue: string
 * }
 * @phpstan-type PaymentMethod array{
 *     payment_method: string|null,
 *     orders_count: int,
 *     gross_revenue: string
 * }
 * @phpstan-type SalesPoint array{
 *     date: string,
 *     orders_count: int,
 *     items_sold: int,
 *     completed_orders: int,
 *     refunded_orders: int,
 *     new_customers: int
 * }
 * @phpstan-type TaxSum array{
 *     country: string|null,
 *     currency: string,
 *     orders_count: int,
 *     gross: string,
 *     tax: string,
 *     contradictions: int
 * }
 * @phpstan-type GiftCardStatus 'scheduled'|'active'|'redeemed'|'expired'|'revoked'
 * @phpstan-type GiftCard array{
 *     id: int,
 *     masked_code: string,
 *     initial_balance: string,
 *     balance: string,
 *     currency: string,
 *     status: GiftCardStatus,
 *     recipient_email: string|null,
 *     recipient_name: string|null,
 *     sender_name: string|null,
 *     message: string|null,
 *     customer_id: int|null,
 *     order_id: int|null,
 *     starts_at: string|null,
 *     expires_at: string|null,
 *     note: string|null,
 *     sent_at: string|null,
 *     send_count: int,
 *     last_used_at: string|null,
 *     revoked_at: string|null,
 *     revoke_reason: string|null,
 *     created_at: string,
 *     updated_at: string
 * }
 * @phpstan-type GiftCardStatistics array{
 *     total: int,
 *     by_status: GiftCardCounts,
 *     currencies: list<GiftCardCurrency>
 * }
 * @phpstan-type GiftCardCounts array{
 *     scheduled: int,
 *     active: int,
 *     redeemed: int,
 *     expired: int,
 *     revoked: int
 * }
 * @phpstan-type GiftCardCurrency array{
 *     currency: string,
 *     total: int,
 *     by_status: GiftCardCounts,
 *     total_issued_value: string,
 *     outstanding_balance: string,
 *     total_redeemed_value: string,
 *     expired_value: string,
 *     revoked_value: string,
 *     redemption_rate: int|float
 * }
 * @phpstan-type GiftCardDetail array{
 *     id: int,
 *     masked_code: string,
 *     initial_balance: string,
 *     balance: string,
 *     currency: string,
 *     status: GiftCardStatus,
 *     recipient_email: string|null,
 *     recipient_name: string|null,
 *     sender_name: string|null,
 *     message: string|null,
 *     customer_id: int|null,
 *     order_id: int|null,
 *     starts_at: string|null,
 *     expires_at: string|null,
 *     note: string|null,
 *     sent_at: string|null,
 *     send_count: int,
 *     last_used_at: string|null,
 *     revoked_at: string|null,
 *     revoke_reason: string|null,
 *     created_at: string,
 *     updated_at: string,
 *     transactions: list<GiftCardTransaction>
 * }
 * @phpstan-type GiftCardTransaction array{
 *     id: int,
 *     type: 'issue'|'redeem'|'refund'|'revoke',
 *     amount: string,
 *     balance_after: string,
 *     order_id: int|null,
 *     reference: string|null,
 *     created_at: string
 * }
 * @phpstan-type GiftCardValidation array{
 *     valid: bool,
 *     reason: string|null,
 *     gift_card: GiftCard|null,
 *     applicable_amount: string
 * }
 * @phpstan-type RedeemedGiftCard array{
 *     gift_card_id: int,
 *     masked_code: string,
 *     amount: string,
 *     balance: string,
 *     currency: string,
 *     transaction: GiftCardTransaction
 * }
 * @phpstan-type SentGiftCard array{
 *     sent_to: string,
 *     sent_at: string,
 *     send_count: int
 * }
 * @phpstan-type CouponState 'scheduled'|'active'|'used_up'|'expired'|'inactive'
 * @phpstan-type CouponOrigin 'tier'|'welcome'|'owner'|'creator'
 * @phpstan-type CouponDetails array{
 *     id: int,
 *     code: string,
 *     origin: CouponOrigin,
 *     state: CouponState,
 *     discount_type: DiscountType,
 *     discount_value: string,
 *     currency: string|null,
 *     product_ids: list<int>,
 *     categories: list<string>,
 *     min_total: string|null,
 *     first_order_only: bool,
 *     max_uses: int|null,
 *     max_uses_per_customer: int|null,
 *     starts_at: string|null,
 *     ends_at: string|null,
 *     is_active: bool,
 *     note: string|null,
 *     batch: string|null,
 *     customer_id: int|null,
 *     uses_count: int,
 *     reserved_count: int,
 *     created_at: string,
 *     updated_at: string
 * }
 * @phpstan-type GeneratedCoupons array{
 *     created: int,
 *     batch: string
 * }
 * @phpstan-type CouponUse array{
 *     order_id: int,
 *     customer_id: int,
 *     discount: string,
 *     state: CouponUseState,
 *     created_at: string
 * }
 * @phpstan-type CouponUseState 'reserved'|'used'
 * @phpstan-type Creator array{
 *     id: int,
 *     name: string,
 *     code: string,
 *     coupon_id: int,
 *     commission_percent: string,
 *     discount_type: DiscountType|null,
 *     discount_value: string|null,
 *     hold_days: int,
 *     customer_id: int|null,
 *     is_active: bool,
 *     balance: CreatorBalance,
 *     balances: list<CreatorBalance>,
 *     orders_count: int,
 *     created_at: string,
 *     updated_at: string
 * }
 * @phpstan-type CreatorBalance array{
 *     currency: string,
 *     held: string,
 *     due: string,
 *     paid: string
 * }
 * @phpstan-type CreatorEntry array{
 *     id: int,
 *     type: CreatorEntryType,
 *     amount: string,
 *     currency: string,
 *     order_id: int|null,
 *     reference: string|null,
 *     available_at: string,
 *     created_at: string
 * }
 * @phpstan-type CreatorEntryType 'commission'|'clawback'|'release'|'payout'
 * @phpstan-type TicketStatus 'open'|'pending'|'resolved'|'closed'
 * @phpstan-type TicketPriority 'low'|'normal'|'high'|'urgent'
 * @phpstan-type TicketCategory 'order'|'payment'|'delivery'|'account'|'refund'|'technical'|'other'
 * @phpstan-type Ticket array{
 *     id: int,
 *     ticket_number: string,
 *     subject: string,
 *     status: TicketStatus,
 *     priority: TicketPriority,
 *     category: TicketCategory,
 *     customer: OrderCustomer,
 *     order_id: int|null,
 *     assigned_to: Agent|null,
 *     messages_count: int,
 *     last_message_at: string,
 *     last_message_by: LastMessageBy,
 *     first_response_at: string|null,
 *     resolved_at: string|null,
 *     closed_at: string|null,
 *     reopened_count: int,
 *     created_at: string,
 *     updated_at: string
 * }
 * @phpstan-type Agent array{
 *     id: int,
 *     name: string
 * }
 * @phpstan-type LastMessageBy 'customer'|'staff'
 * @phpstan-type TicketStats array{
 *     total: int,
 *     by_status: array<string, int>,
 *     by_priority: array<string, int>,
 *     by_category: array<string, int>,
 *     unassigned: int,
 *     created_today: int,
 *     closed_today: int,
 *     average_first_response_minutes: int|float|null,
 *     median_first_response_minutes: int|float|null,
 *     average_resolution_minutes: int|float|null,
 *     median_resolution_minutes: int|float|null,
 *     by_agent: list<AgentFigures>
 * }
 * @phpstan-type AgentFigures array{
 *     user: Agent,
 *     assigned: int,
 *     by_status: array<string, int>,
 *     average_first_response_minutes: int|float|null,
 *     average_resolution_minutes: int|float|null
 * }
 * @phpstan-type TicketDetail array{
 *     id: int,
 *     ticket_number: string,
 *     subject: string,
 *     status: TicketStatus,
 *     priority: TicketPriority,
 *     category: TicketCategory,
 *     customer: OrderCustomer,
 *     order_id: int|null,
 *     assigned_to: Agent|null,
 *     messages_count: int,
 *     last_message_at: string,
 *     last_message_by: LastMessageBy,
 *     first_response_at: string|null,
 *     resolved_at: string|null,
 *     closed_at: string|null,
 *     reopened_count: int,
 *     created_at: string,
 *     updated_at: string,
 *     messages: list<TicketMessage>,
 *     earlier_before: int|null
 * }
 * @phpstan-type TicketMessage array{
 *     id: int,
 *     author_type: AuthorType,
 *     author_name: string,
 *     body: string,
 *     is_internal: bool,
 *     created_at: string
 * }
 * @phpstan-type PostedMessage array{
 *     id: int,
 *     author_type: AuthorType,
 *     author_name: string,
 *     body: string,
 *     is_internal: bool,
 *     created_at: string,
 *     ticket: Ticket
 * }
 * @phpstan-type CampaignStatus 'draft'|'scheduled'|'sending'|'sent'|'cancelled'|'failed'
 * @phpstan-type CampaignList array{
 *     id: int,
 *     name: string,
 *     subject: string,
 *     preview_text: string|null,
 *     from_name: string|null,
 *     reply_to: string|null,
 *     audience: Audience,
 *     status: CampaignStatus,
 *     scheduled_at: string|null,
 *     recipients_count: int,
 *     sent_count: int,
 *     failed_count: int,
 *     skipped_count: int,
 *     outbox_count: int,
 *     error: string|null,
 *     started_at: string|null,
 *     completed_at: string|null,
 *     duplicated_from_id: int|null,
 *     created_at: string,
 *     updated_at: string
 * }
 * @phpstan-type Audience array{
 *     type: AudienceType,
 *     customer_ids: list<int>,
 *     filters: Filters
 * }
 * @phpstan-type AudienceType 'all'|'segment'|'customers'
 * @phpstan-type Filters array{
 *     countries: list<string>|null,
 *     min_total_spent: string|null,
 *     min_orders: int|null,
 *     last_order_before: string|null,
 *     last_order_after: string|null,
 *     registered_from: string|null,
 *     registered_to: string|null,
 *     product_ids: list<int>|null,
 *     tags: list<string>|null,
 *     is_referrer: bool|null
 * }
 * @phpstan-type AudienceBody array{
 *     type: AudienceType,
 *     customer_ids?: list<int>,
 *     filters?: FiltersBody
 * }
 * @phpstan-type FiltersBody array{
 *     countries?: list<string>|null,
 *     min_total_spent?: string|int|float|null,
 *     min_orders?: int|null,
 *     last_order_before?: string|null,
 *     last_order_after?: string|null,
 *     registered_from?: string|null,
 *     registered_to?: string|null,
 *     product_ids?: list<int>|null,
 *     tags?: list<string>|null,
 *     is_referrer?: bool|null
 * }
 * @phpstan-type Campaign array{
 *     id: int,
 *     name: string,
 *     subject: string,
 *     preview_text: string|null,
 *     from_name: string|null,
 *     reply_to: string|null,
 *     audience: Audience,
 *     status: CampaignStatus,
 *     scheduled_at: string|null,
 *     recipients_count: int,
 *     sent_count: int,
 *     failed_count: int,
 *     skipped_count: int,
 *     outbox_count: int,
 *     error: string|null,
 *     started_at: string|null,
 *     completed_at: string|null,
 *     duplicated_from_id: int|null,
 *     created_at: string,
 *     updated_at: string,
 *     body_html: string|null,
 *     body_text: string|null,
 *     body_markdown: string|null
 * }
 * @phpstan-type CampaignStats array{
 *     recipients: int,
 *     pending: int,
 *     sent: int,
 *     failed: int,
 *     skipped: int,
 *     outbox: int,
 *     perhaps_twice: int,
 *     opened: int,
 *     clicked: int,
 *     unsubscribed: int,
 *     referral_clicks: int,
 *     progress: int|float,
 *     failure_rate: int|float,
 *     open_rate: int|float,
 *     click_rate: int|float,
 *     unsubscribe_rate: int|float
 * }
 * @phpstan-type RecipientsPreview array{
 *     total: int,
 *     excluded: Excluded,
 *     sample: list<Sample>
 * }
 * @phpstan-type Excluded array{
 *     not_opted_in: int,
 *     unsubscribed: int,
 *     bounced: int,
 *     blocked: int
 * }
 * @phpstan-type Sample array{
 *     id: int,
 *     name: string,
 *     email: string
 * }
 * @phpstan-type EmailPreview array{
 *     reader: Reader,
 *     from_name: string|null,
 *     reply_to: string|null,
 *     subject: string,
 *     html: string,
 *     text: string
 * }
 * @phpstan-type Reader array{
 *     id: int|null,
 *     name: string,
 *     email: string
 * }
 * @phpstan-type TestEmail array{
 *     sent_to: string,
 *     subject: string
 * }
 * @phpstan-type Alert array{
 *     id: int,
 *     name: string,
 *     channel: AlertChannel,
 *     target: string,
 *     triggers: list<AlertTrigger>,
 *     amount: string|null,
 *     minutes: int,
 *     limit_per_hour: int,
 *     muted_until: string|null,
 *     last_sent_at: string|null,
 *     error: string|null,
 *     created_at: string,
 *     updated_at: string
 * }
 * @phpstan-type AlertChannel 'discord'|'slack'|'email'|'webhook'
 * @phpstan-type AlertTrigger 'order_held'|'order_blocked'|'order_disputed'|'payment_unmatched'|'keys_missing'|'low_stock'|'command_failed'|'ticket_created'|'receiver_failing'|'backlog'|'server_silent'
 * @phpstan-type Server array{
 *     id: int,
 *     name: string,
 *     game: Game,
 *     last_seen_at: string|null,
 *     waiting: int,
 *     failed: int,
 *     created_at: string,
 *     updated_at: string
 * }
 * @phpstan-type NewServer array{
 *     server: Server,
 *     token: string
 * }
 * @phpstan-type ServerToken array{
 *     token: string
 * }
 * @phpstan-type Resync array{
 *     queued: int
 * }
 * @phpstan-type CommandStatus 'waiting'|'leased'|'done'|'failed'|'cancelled'
 * @phpstan-type Command array{
 *     id: int,
 *     server_id: int,
 *     order_id: int,
 *     item_id: int,
 *     cause: CommandCause,
 *     text: string,
 *     player: Player|null,
 *     needs_player_online: bool,
 *     status: CommandStatus,
 *     attempts: int,
 *     output: string|null,
 *     resent_from_id: int|null,
 *     due_at: string,
 *     done_at: string|null,
 *     created_at: string
 * }
 * @phpstan-type PaymentSource array{
 *     id: int,
 *     provider: PaymentProvider,
 *     name: string,
 *     url: string,
 *     is_active: bool,
 *     is_test: bool,
 *     last_event_at: string|null,
 *     created_at: string,
 *     updated_at: string
 * }
 * @phpstan-type PaymentProvider 'stripe'|'paypal'
 * @phpstan-type PaymentEventStatus 'waiting'|'applied'|'unmatched'|'ignored'
 * @phpstan-type PaymentEvent array{
 *     id: int,
 *     source_id: int,
 *     provider_event_id: string,
 *     type: string,
 *     operation: PaymentOperation|null,
 *     status: PaymentEventStatus,
 *     reason: PaymentEventReason|null,
 *     order_id: int|null,
 *     amount: string|null,
 *     currency: string|null,
 *     created_at: string,
 *     applied_at: string|null
 * }
 * @phpstan-type PaymentOperation 'paid'|'declined'|'refunded'|'dispute_opened'|'dispute_won'|'dispute_lost'|'early_warning'
 * @phpstan-type PaymentEventReason 'order_not_found'|'order_ambiguous'|'payment_missing'|'amount_differs'|'currency_differs'|'already_paid'|'already_recorded'|'order_cancelled'|'order_on_hold'|'test_mode'
 * @phpstan-type SignedUp array{
 *     customer: Customer,
 *     referral: Attribution|null,
 *     welcome_coupon: Coupon|null
 * }
 * @phpstan-type Attribution array{
 *     attributed: bool,
 *     reason: 'already_referred'|'circular_referral'|'program_disabled'|'same_device'|'self_referral'|'unknown_code'|null,
 *     explanation: string|null,
 *     referrer: CodeOwner|null,
 *     marks: list<string>
 * }
 * @phpstan-type Coupon array{
 *     id: int,
 *     code: string,
 *     discount_type: DiscountType,
 *     value: string,
 *     currency: string|null,
 *     times_used: int,
 *     expires_at: string
 * }
 * @phpstan-type CustomerExport array{
 *     exported_at: string,
 *     customer: Customer,
 *     former_emails: list<string>,
 *     orders: list<Order>,
 *     subscriptions: list<Subscription>,
 *     support_tickets: list<TicketDetail>,
 *     gift_cards: list<GiftCard>,
 *     referred: list<Referred>,
 *     claims: list<OwnClaim>,
 *     creators: list<Creator>,
 *     creator_ledger: list<CreatorEntry>,
 *     fraud_checks: list<ExportedCheck>,
 *     traces: list<Trace>,
 *     goods: list<ExportedGood>,
 *     payment_events: list<PaymentEvent>,
 *     emails: list<SentEmail>,
 *     changes: list<StaffChange>
 * }
 * @phpstan-type Subscription array{
 *     id: int,
 *     status: SubscriptionStatus,
 *     customer: OrderCustomer,
 *     product: SubscriptionProduct,
 *     price: string,
 *     currency: string,
 *     interval: BillingInterval,
 *     interval_count: int,
 *     current_period_start: string,
 *     current_period_end: string,
 *     cancel_at_period_end: bool,
 *     cancelled_at: string|null,
 *     ends_at: string|null,
 *     cancel_reason: string|null,
 *     renewals_count: int,
 *     latest_order_id: int|null,
 *     external_id: string|null,
 *     player: Player|null,
 *     created_at: string,
 *     updated_at: string
 * }
 * @phpstan-type SubscriptionStatus 'active'|'cancelled'|'expired'
 * @phpstan-type SubscriptionProduct array{
 *     id: int,
 *     name: string
 * }
 * @phpstan-type Referred array{
 *     customer_id: int,
 *     status: ReferralStatus,
 *     referred_at: string
 * }
 * @phpstan-type OwnClaim array{
 *     id: int,
 *     tier_id: int,
 *     coupon: Coupon,
 *     claimed_at: string
 * }
 * @phpstan-type ExportedCheck array{
 *     id: int,
 *     order_id: int,
 *     email: string,
 *     ip_address: string|null,
 *     user_agent: string|null,
 *     detected_country: string|null,
 *     detected_city: string|null,
 *     risk_score: int,
 *     risk_level: RiskLevel,
 *     action_taken: FraudDecision,
 *     review_outcome: ReviewOutcome|null,
 *     review_notes: string|null,
 *     created_at: string
 * }
 * @phpstan-type Trace array{
 *     kind: 'address'|'device'|'instrument'|'mailbox'|'player',
 *     value: string,
 *     first_seen_at: string,
 *     last_seen_at: string
 * }
 * @phpstan-type ExportedGood array{
 *     item_id: int,
 *     product_id: int,
 *     kind: GoodKind,
 *     state: GoodState,
 *     masked: string|null,
 *     delivered_at: string|null,
 *     revealed_at: string|null,
 *     expires_at: string|null,
 *     server: string|null,
 *     needs_player_online: bool,
 *     order_id: int,
 *     player: Player|null,
 *     output: string|null,
 *     looks: list<Look>
 * }
 * @phpstan-type SentEmail array{
 *     kind: string,
 *     to_email: string,
 *     subject: string,
 *     status: string,
 *     finished_at: string|null
 * }
 * @phpstan-type StaffChange array{
 *     action: string,
 *     before: string,
 *     after: string,
 *     created_at: string
 * }
 * @phpstan-type CustomerReferrals array{
 *     referral_code: string,
 *     total_referrals: int,
 *     successful_referrals: int,
 *     counted_referrals: int,
 *     tiers: list<TierProgress>,
 *     claims: list<OwnClaim>
 * }
 * @phpstan-type TierProgress array{
 *     id: int,
 *     name: string,
 *     description: string|null,
 *     formatted_reward: string,
 *     referrals_required: int,
 *     referrals_missing: int,
 *     is_reached: bool,
 *     is_claimed: bool
 * }
 * @phpstan-type OwnedGood array{
 *     item_id: int,
 *     product_id: int,
 *     kind: GoodKind,
 *     state: GoodState,
 *     masked: string|null,
 *     delivered_at: string|null,
 *     revealed_at: string|null,
 *     expires_at: string|null,
 *     server: string|null,
 *     needs_player_online: bool,
 *     order_id: int
 * }
 * @phpstan-type CommandBody array{
 *     server_id: int,
 *     on: CommandCause,
 *     text: string,
 *     needs_player_online?: bool,
 *     delay_minutes?: int
 * }
 * @phpstan-type CartLineBody array{
 *     product_id: int,
 *     quantity: int,
 *     price?: string|int|float|null
 * }
 * @phpstan-type PaymentBody array{
 *     fingerprint?: string|null,
 *     bin?: string|null,
 *     country?: string|null,
 *     funding?: CardFunding|null,
 *     three_d_secure?: ThreeDSecure|null
 * }
 * @phpstan-type PastRefundBody array{
 *     amount: string|int|float,
 *     reason?: string|null,
 *     created_at?: string|null
 * }
 * @phpstan-type PlacedOrder array{
 *     order: Order,
 *     next: CheckoutStep|null,
 *     fraud_check: OrderCheck|null
 * }
 * @phpstan-type OrderCheck array{
 *     id: int,
 *     risk_score: int,
 *     risk_level: RiskLevel,
 *     action_taken: FraudDecision,
 *     detected_signals: list<string>
 * }
 * @phpstan-type PaidWithBody array{
 *     fingerprint?: string|null,
 *     bin?: string|null,
 *     country?: string|null,
 *     funding?: CardFunding|null,
 *     three_d_secure?: ThreeDSecure|null,
 *     payer_email?: string|null
 * }
 * @phpstan-type PaidOrder array{
 *     id: int,
 *     order_number: string,
 *     status: OrderStatus,
 *     customer: OrderCustomer,
 *     items: list<OrderItem>,
 *     subtotal: string,
 *     discount_total: string,
 *     total: string,
 *     gift_card_total: string,
 *     amount_due: string,
 *     refunded_total: string,
 *     currency: string,
 *     coupon_code: string|null,
 *     referral_code: string|null,
 *     payment_method: string|null,
 *     transaction_id: string|null,
 *     ip_address: string|null,
 *     billing_country: string|null,
 *     fraud: OrderFraud|null,
 *     cancel_reason: string|null,
 *     external_id: string|null,
 *     metadata: array<string, string|int|float|bool|null>,
 *     created_at: string,
 *     updated_at: string,
 *     paid_at: string|null,
 *     completed_at: string|null,
 *     cancelled_at: string|null,
 *     refunded_at: string|null,
 *     fulfillment_note: string|null,
 *     page_url: string|null,
 *     player: Player|null,
 *     payment: OrderPayment|null,
 *     tax_total: string|null,
 *     tax_rate: string|null,
 *     tax_country: string|null,
 *     next: CheckoutStep|null
 * }
 * @phpstan-type RefundedOrder array{
 *     order: Order,
 *     refund: Refund
 * }
 * @phpstan-type Refund array{
 *     id: int,
 *     amount: string,
 *     payment_amount: string,
 *     gift_card_amount: string,
 *     unreturned_amount: string,
 *     unrecovered_amount: string,
 *     reason: string|null,
 *     reason_code: 'fraud'|null,
 *     created_at: string
 * }
 * @phpstan-type PaymentAttempt array{
 *     id: int,
 *     order_id: int,
 *     reason: string|null,
 *     external_id: string|null,
 *     at: string
 * }
 * @phpstan-type DisputeKind 'early_warning'|'dispute'|'dispute_won'|'dispute_lost'
 * @phpstan-type DisputeReason 'fraudulent'|'other'
 * @phpstan-type Dispute array{
 *     id: int,
 *     order_id: int,
 *     kind: DisputeKind,
 *     reason: DisputeReason,
 *     external_id: string|null,
 *     evidence_due_at: string|null,
 *     at: string,
 *     created_at: string
 * }
 * @phpstan-type HandedGood array{
 *     item_id: int,
 *     product_id: int,
 *     kind: GoodKind,
 *     state: GoodState,
 *     masked: string|null,
 *     delivered_at: string|null,
 *     revealed_at: string|null,
 *     expires_at: string|null,
 *     server: string|null,
 *     needs_player_online: bool,
 *     value: string|null
 * }
 * @phpstan-type PreviewLineBody array{
 *     product_id: int,
 *     quantity: int
 * }
 * @phpstan-type CouponPreview array{
 *     valid: bool,
 *     reason: CouponRejection|null,
 *     discount_total: string,
 *     total: string
 * }
 * @phpstan-type CouponRejection 'unknown'|'not_yours'|'scheduled'|'expired'|'inactive'|'used_up'|'used_by_customer'|'not_first_order'|'below_minimum'|'no_product'|'currency'
 * @phpstan-type PaidPeriod array{
 *     subscription: Subscription,
 *     order: Order
 * }
 * @phpstan-type GiftCardWithCode array{
 *     id: int,
 *     masked_code: string,
 *     initial_balance: string,
 *     balance: string,
 *     currency: string,
 *     status: GiftCardStatus,
 *     recipient_email: string|null,
 *     recipient_name: string|null,
 *     sender_name: string|null,
 *     message: string|null,
 *     customer_id: int|null,
 *     order_id: int|null,
 *     starts_at: string|null,
 *     expires_at: string|null,
 *     note: string|null,
 *     sent_at: string|null,
 *     send_count: int,
 *     last_used_at: string|null,
 *     revoked_at: string|null,
 *     revoke_reason: string|null,
 *     created_at: string,
 *     updated_at: string,
 *     code: string
 * }
 * @phpstan-type LeasedCommand array{
 *     id: int,
 *     cause: CommandCause,
 *     text: string,
 *     player: Player|null,
 *     needs_player_online: bool,
 *     attempt: int,
 *     leased_until: string
 * }
 * @phpstan-type ResultBody array{
 *     id: int,
 *     ok: bool,
 *     output?: string|null,
 *     retry?: bool
 * }
 * @phpstan-type RecordedResults array{
 *     recorded: int,
 *     unknown: int
 * }
 * @phpstan-type OrderCreatedDelivery array{
 *     id: string,
 *     event_type: 'order.created',
 *     created_at: string,
 *     data: OrderCreatedData
 * }
 * @phpstan-type OrderCreatedData array{
 *     order_id: int,
 *     order_number: string,
 *     customer_email: string,
 *     customer_name: string,
 *     total: string,
 *     currency: string,
 *     status: OrderStatus,
 *     items: list<ItemData>,
 *     created_at: string
 * }
 * @phpstan-type ItemData array{
 *     product_id: int,
 *     product_name: string,
 *     quantity: int,
 *     price: string
 * }
 * @phpstan-type OrderPaidDelivery array{
 *     id: string,
 *     event_type: 'order.paid',
 *     created_at: string,
 *     data: OrderData
 * }
 * @phpstan-type OrderData array{
 *     order_id: int,
 *     order_number: string,
 *     customer_email: string,
 *     customer_name: string,
 *     total: string,
 *     currency: string,
 *     status: OrderStatus,
 *     items: list<ItemData>
 * }
 * @phpstan-type OrderCompletedDelivery array{
 *     id: string,
 *     event_type: 'order.completed',
 *     created_at: string,
 *     data: OrderCompletedData
 * }
 * @phpstan-type OrderCompletedData array{
 *     order_id: int,
 *     order_number: string,
 *     customer_email: string,
 *     customer_name: string,
 *     total: string,
 *     currency: string,
 *     status: OrderStatus,
 *     items: list<ItemData>,
 *     completed_at: string
 * }
 * @phpstan-type OrderRefundedDelivery array{
 *     id: string,
 *     event_type: 'order.refunded',
 *     created_at: string,
 *     data: OrderRefundedData
 * }
 * @phpstan-type OrderRefundedData array{
 *     order_id: int,
 *     order_number: string,
 *     customer_email: string,
 *     customer_name: string,
 *     total: string,
 *     currency: string,
 *     status: OrderStatus,
 *     items: list<ItemData>,
 *     refund_id: int,
 *     refund_amount: string,
 *     refunded_total: string,
 *     is_partial: bool,
 *     reason: string|null,
 *     refunded_at: string
 * }
 * @phpstan-type SubscriptionCreatedDelivery array{
 *     id: string,
 *     event_type: 'subscription.created',
 *     created_at: string,
 *     data: SubscriptionData
 * }
 * @phpstan-type SubscriptionData array{
 *     subscription_id: int,
 *     customer_email: string,
 *     customer_name: string,
 *     product_id: int,
 *     product_name: string,
 *     price: string,
 *     currency: string,
 *     interval: BillingInterval,
 *     interval_count: int,
 *     status: SubscriptionStatus,
 *     current_period_start: string,
 *     current_period_end: string,
 *     order_id: int|null
 * }
 * @phpstan-type SubscriptionRenewedDelivery array{
 *     id: string,
 *     event_type: 'subscription.renewed',
 *     created_at: string,
 *     data: SubscriptionRenewedData
 * }
 * @phpstan-type SubscriptionRenewedData array{
 *     subscription_id: int,
 *     customer_email: string,
 *     customer_name: string,
 *     product_id: int,
 *     product_name: string,
 *     price: string,
 *     currency: string,
 *     interval: BillingInterval,
 *     interval_count: int,
 *     status: SubscriptionStatus,
 *     current_period_start: string,
 *     current_period_end: string,
 *     order_id: int|null,
 *     renewals_count: int
 * }
 * @phpstan-type SubscriptionCancelledDelivery array{
 *     id: string,
 *     event_type: 'subscription.cancelled',
 *     created_at: string,
 *     data: SubscriptionCancelledData
 * }
 * @phpstan-type SubscriptionCancelledData array{
 *     subscription_id: int,
 *     customer_email: string,
 *     customer_name: string,
 *     product_id: int,
 *     product_name: string,
 *     price: string,
 *     currency: string,
 *     interval: BillingInterval,
 *     interval_count: int,
 *     status: SubscriptionStatus,
 *     current_period_start: string,
 *     current_period_end: string,
 *     order_id: int|null,
 *     cancelled_at: string|null,
 *     ends_at: string|null,
 *     reason: string|null
 * }
 * @phpstan-type ProductCreatedDelivery array{
 *     id: string,
 *     event_type: 'product.created',
 *     created_at: string,
 *     data: ProductEvent
 * }
 * @phpstan-type ProductEvent array{
 *     product_id: int,
 *     product_name: string,
 *     slug: string,
 *     sku: string|null,
 *     price: string,
 *     currency: string,
 *     status: ProductStatus,
 *     stock: int|null
 * }
 * @phpstan-type ProductUpdatedDelivery array{
 *     id: string,
 *     event_type: 'product.updated',
 *     created_at: string,
 *     data: ProductUpdated
 * }
 * @phpstan-type ProductUpdated array{
 *     product_id: int,
 *     product_name: string,
 *     slug: string,
 *     sku: string|null,
 *     price: string,
 *     currency: string,
 *     status: ProductStatus,
 *     stock: int|null,
 *     changes: list<string>
 * }
 * @phpstan-type ProductDeletedDelivery array{
 *     id: string,
 *     event_type: 'product.deleted',
 *     created_at: string,
 *     data: ProductDeleted
 * }
 * @phpstan-type ProductDeleted array{
 *     product_id: int,
 *     product_name: string,
 *     slug: string,
 *     sku: string|null,
 *     price: string,
 *     currency: string,
 *     status: ProductStatus,
 *     stock: int|null,
 *     deleted_at: string
 * }
 * @phpstan-type OrderDeliveredDelivery array{
 *     id: string,
 *     event_type: 'order.delivered',
 *     created_at: string,
 *     data: OrderDeliveredData
 * }
 * @phpstan-type OrderDeliveredData array{
 *     order_id: int,
 *     order_number: string,
 *     customer_email: string,
 *     customer_name: string,
 *     total: string,
 *     currency: string,
 *     status: OrderStatus,
 *     items: list<ItemData>,
 *     item_id: int,
 *     kind: GoodKind,
 *     delivered_at: string
 * }
 * @phpstan-type KeysLowDelivery array{
 *     id: string,
 *     event_type: 'keys.low',
 *     created_at: string,
 *     data: KeysLowData
 * }
 * @phpstan-type KeysLowData array{
 *     product_id: int,
 *     product_name: string,
 *     stock: int
 * }
 * @phpstan-type CommandFailedDelivery array{
 *     id: string,
 *     event_type: 'command.failed',
 *     created_at: string,
 *     data: CommandFailedData
 * }
 * @phpstan-type CommandFailedData array{
 *     command_id: int,
 *     order_id: int,
 *     server_id: int,
 *     output: string|null
 * }
 * @phpstan-type OrderDisputedDelivery array{
 *     id: string,
 *     event_type: 'order.disputed',
 *     created_at: string,
 *     data: OrderDisputedData
 * }
 * @phpstan-type OrderDisputedData array{
 *     order_id: int,
 *     order_number: string,
 *     customer_email: string,
 *     customer_name: string,
 *     total: string,
 *     currency: string,
 *     status: OrderStatus,
 *     items: list<ItemData>,
 *     dispute_id: int,
 *     kind: DisputeKind,
 *     reason: DisputeReason,
 *     disputed_at: string
 * }
 * @phpstan-type FraudFlaggedDelivery array{
 *     id: string,
 *     event_type: 'fraud.flagged',
 *     created_at: string,
 *     data: FraudData
 * }
 * @phpstan-type FraudData array{
 *     check_id: int,
 *     order_id: int,
 *     order_number: string,
 *     order_status: OrderStatus,
 *     total: string,
 *     currency: string,
 *     customer_id: int,
 *     risk_score: int,
 *     risk_level: RiskLevel,
 *     action_taken: FraudDecision,
 *     detected_signals: list<string>
 * }
 * @phpstan-type FraudHeldDelivery array{
 *     id: string,
 *     event_type: 'fraud.held',
 *     created_at: string,
 *     data: FraudData
 * }
 * @phpstan-type FraudBlockedDelivery array{
 *     id: string,
 *     event_type: 'fraud.blocked',
 *     created_at: string,
 *     data: FraudData
 * }
 * @phpstan-type FraudReviewedDelivery array{
 *     id: string,
 *     event_type: 'fraud.reviewed',
 *     created_at: string,
 *     data: FraudReviewedData
 * }
 * @phpstan-type FraudReviewedData array{
 *     check_id: int,
 *     order_id: int,
 *     order_number: string,
 *     order_status: OrderStatus,
 *     total: string,
 *     currency: string,
 *     customer_id: int,
 *     risk_score: int,
 *     risk_level: RiskLevel,
 *     action_taken: FraudDecision,
 *     detected_signals: list<string>,
 *     review_outcome: ReviewOutcome|null,
 *     reviewed_by: int|null
 * }
 * @phpstan-type OrderCancelledDelivery array{
 *     id: string,
 *     event_type: 'order.cancelled',
 *     created_at: string,
 *     data: OrderCancelledData
 * }
 * @phpstan-type OrderCancelledData array{
 *     order_id: int,
 *     order_number: string,
 *     customer_email: string,
 *     customer_name: string,
 *     total: string,
 *     currency: string,
 *     status: OrderStatus,
 *     items: list<ItemData>,
 *     reason: string|null,
 *     cancelled_at: string
 * }
 * @phpstan-type CustomerCreatedDelivery array{
 *     id: string,
 *     event_type: 'customer.created',
 *     created_at: string,
 *     data: CustomerData
 * }
 * @phpstan-type CustomerData array{
 *     customer_id: int,
 *     external_id: string|null,
 *     customer_email: string,
 *     customer_name: string,
 *     username: string|null,
 *     country: string|null,
 *     status: CustomerStatus,
 *     accepts_marketing: bool,
 *     email_status: MailboxStatus,
 *     tags: list<string>
 * }
 * @phpstan-type CustomerUpdatedDelivery array{
 *     id: string,
 *     event_type: 'customer.updated',
 *     created_at: string,
 *     data: CustomerUpdatedData
 * }
 * @phpstan-type CustomerUpdatedData array{
 *     customer_id: int,
 *     external_id: string|null,
 *     customer_email: string,
 *     customer_name: string,
 *     username: string|null,
 *     country: string|null,
 *     status: CustomerStatus,
 *     accepts_marketing: bool,
 *     email_status: MailboxStatus,
 *     tags: list<string>,
 *     changes: list<string>
 * }
 * @phpstan-type CustomerErasedDelivery array{
 *     id: string,
 *     event_type: 'customer.erased',
 *     created_at: string,
 *     data: CustomerErasedData
 * }
 * @phpstan-type CustomerErasedData array{
 *     customer_id: int
 * }
 * @phpstan-type TicketCreatedDelivery array{
 *     id: string,
 *     event_type: 'ticket.created',
 *     created_at: string,
 *     data: TicketData
 * }
 * @phpstan-type TicketData array{
 *     ticket_id: int,
 *     ticket_number: string,
 *     customer_id: int,
 *     customer_email: string,
 *     customer_name: string,
 *     order_id: int|null,
 *     subject: string,
 *     status: TicketStatus,
 *     priority: TicketPriority,
 *     category: TicketCategory,
 *     message: string
 * }
 * @phpstan-type TicketRepliedDelivery array{
 *     id: string,
 *     event_type: 'ticket.replied',
 *     created_at: string,
 *     data: TicketRepliedData
 * }
 * @phpstan-type TicketRepliedData array{
 *     ticket_id: int,
 *     ticket_number: string,
 *     customer_id: int,
 *     customer_email: string,
 *     customer_name: string,
 *     order_id: int|null,
 *     subject: string,
 *     status: TicketStatus,
 *     priority: TicketPriority,
 *     category: TicketCategory,
 *     message: string,
 *     message_id: int,
 *     author_type: LastMessageBy,
 *     author_name: string
 * }
 * @phpstan-type GiftCardCreatedDelivery array{
 *     id: string,
 *     event_type: 'gift_card.created',
 *     created_at: string,
 *     data: GiftCardData
 * }
 * @phpstan-type GiftCardData array{
 *     gift_card_id: int,
 *     masked_code: string,
 *     balance: string,
 *     currency: string,
 *     order_id: int|null,
 *     customer_id: int|null,
 *     expires_at: string|null
 * }
 * @phpstan-type GiftCardRedeemedDelivery array{
 *     id: string,
 *     event_type: 'gift_card.redeemed',
 *     created_at: string,
 *     data: GiftCardRedeemedData
 * }
 * @phpstan-type GiftCardRedeemedData array{
 *     gift_card_id: int,
 *     masked_code: string,
 *     balance: string,
 *     currency: string,
 *     order_id: int|null,
 *     customer_id: int|null,
 *     expires_at: string|null,
 *     amount: string,
 *     reference: string|null
 * }
 * @phpstan-type CouponUsedDelivery array{
 *     id: string,
 *     event_type: 'coupon.used',
 *     created_at: string,
 *     data: CouponUsedData
 * }
 * @phpstan-type CouponUsedData array{
 *     coupon_id: int,
 *     coupon_code: string,
 *     discount: string,
 *     currency: string,
 *     order_id: int,
 *     order_number: string,
 *     customer_id: int
 * }
 * @phpstan-type WebhookTestDelivery array{
 *     id: string,
 *     event_type: 'webhook.test',
 *     created_at: string,
 *     data: TestData
 * }
 * @phpstan-type TestData array{
 *     webhook_id: int,
 *     message: string
 * }
 * @phpstan-type WebhookDelivery OrderCreatedDelivery|OrderPaidDelivery|OrderCompletedDelivery|OrderRefundedDelivery|SubscriptionCreatedDelivery|SubscriptionRenewedDelivery|SubscriptionCancelledDelivery|ProductCreatedDelivery|ProductUpdatedDelivery|ProductDeletedDelivery|OrderDeliveredDelivery|KeysLowDelivery|CommandFailedDelivery|OrderDisputedDelivery|FraudFlaggedDelivery|FraudHeldDelivery|FraudBlockedDelivery|FraudReviewedDelivery|OrderCancelledDelivery|CustomerCreatedDelivery|CustomerUpdatedDelivery|CustomerErasedDelivery|TicketCreatedDelivery|TicketRepliedDelivery|GiftCardCreatedDelivery|GiftCardRedeemedDelivery|CouponUsedDelivery|WebhookTestDelivery
 */
final class Types {}
