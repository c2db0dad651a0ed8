// Generated: what methods take and return, and what a webhook receives; written by `python -m tools.write_clients`.

export interface Alert {
  /** Identifies the alert. */
  id: number;
  /** The name, for the staff. */
  name: string;
  /** Where messages go. */
  channel: AlertChannel;
  /** The e-mail address, or the host of the URL; the rest is secret. */
  target: string;
  /** What the alert reports. */
  triggers: AlertTrigger[];
  /** Only orders with at least this total; null means all. */
  amount: string | null;
  /** How long a receiver must fail, or work must be late, before it is reported. */
  minutes: number;
  /** Messages per hour; the rest is summarised at the end of the hour. */
  limit_per_hour: number;
  /** Nothing is sent before this time; then one summary. */
  muted_until: string | null;
  /** When the last message was sent. */
  last_sent_at: string | null;
  /** Why the last attempt failed; null if it succeeded. */
  error: string | null;
  /** When, in UTC. */
  created_at: string;
  /** When, in UTC. */
  updated_at: string;
}

export type AlertChannel = "discord" | "slack" | "email" | "webhook";

export type AlertTrigger = "order_held" | "order_blocked" | "order_disputed" | "payment_unmatched" | "keys_missing" | "low_stock" | "command_failed" | "ticket_created" | "receiver_failing" | "backlog" | "server_silent";

export interface AlertBody {
  /** The name, for the staff. */
  name: string;
  /** Where messages go. */
  channel: AlertChannel;
  /** An e-mail address, or the URL of the channel's webhook; stored encrypted. */
  target: string;
  /** What the alert reports. */
  triggers: AlertTrigger[];
  /** Only orders with at least this total; null means all. */
  amount?: string | number | null;
  /** How long a receiver must fail, or work must be late, before it is reported. */
  minutes?: number;
  /** Messages per hour; the rest is summarised at the end of the hour. */
  limit_per_hour?: number;
  /** Nothing is sent before this time; then one summary. */
  muted_until?: string | null;
}

export interface AlertChanges {
  /** The name, for the staff. */
  name?: string;
  /** Where messages go. */
  channel?: AlertChannel;
  /** An e-mail address, or the URL of the channel's webhook; stored encrypted. */
  target?: string;
  /** What the alert reports. */
  triggers?: AlertTrigger[];
  /** Only orders with at least this total; null means all. */
  amount?: string | number | null;
  /** How long a receiver must fail, or work must be late, before it is reported. */
  minutes?: number;
  /** Messages per hour; the rest is summarised at the end of the hour. */
  limit_per_hour?: number;
  /** Nothing is sent before this time; then one summary. */
  muted_until?: string | null;
}

export interface GetRevenueQuery {
  /** A named period; `last_30_days` by default. */
  period?: AnalyticsPeriod;
  /** The first day; requires `to`. */
  from?: string;
  /** The last day, inclusive; requires `from`. */
  to?: string;
  /** The interval of the series; by default depends on the length of the period. */
  interval?: AnalyticsInterval;
  /** The time zone of the days: an IANA name. */
  timezone?: string;
  /** Only this product. */
  product_id?: number;
  /** Whether to add the preceding period of equal length. */
  compare?: boolean;
}

export type AnalyticsPeriod = "today" | "yesterday" | "last_7_days" | "last_30_days" | "last_90_days" | "this_month" | "last_month" | "this_year";

export type AnalyticsInterval = "hour" | "day" | "week" | "month";

export interface Revenue {
  period: Period;
  /** The store's currency. */
  currency: string;
  totals: RevenueTotals;
  previous: RevenueTotals | null;
  change: RevenueChange | null;
  series: RevenuePoint[];
  other_currencies: Currency[];
}

export interface Period {
  /** The first day. */
  from: string;
  /** The last day, inclusive. */
  to: string;
  /** The interval of the series. */
  interval: AnalyticsInterval;
  /** The time zone of the days. */
  timezone: string;
}

export interface RevenueTotals {
  /** The sum of paid orders, after discounts. */
  gross_revenue: string;
  /** The sum of refunds made in this period. */
  refunds: string;
  /** `gross_revenue` minus `refunds`. */
  net_revenue: string;
  /** The sum of coupon discounts. */
  discounts: string;
  /** The part that gift cards paid. */
  gift_card_redeemed: string;
  /** The number of paid orders. */
  orders_count: number;
  /** `gross_revenue` divided by `orders_count`. */
  average_order_value: string;
  /** The tax in `net_revenue`, as it was reported; null for a single product. */
  tax: string | null;
  /** `net_revenue` minus `tax`; null for a single product. */
  net_of_tax: string | null;
}

export interface RevenueChange {
  /** In percent; null if the previous value is zero. */
  gross_revenue: number | null;
  /** In percent; null if the previous value is zero. */
  refunds: number | null;
  /** In percent; null if the previous value is zero. */
  net_revenue: number | null;
  /** In percent; null if the previous value is zero. */
  discounts: number | null;
  /** In percent; null if the previous value is zero. */
  gift_card_redeemed: number | null;
  /** In percent; null if the previous value is zero. */
  orders_count: number | null;
  /** In percent; null if the previous value is zero. */
  average_order_value: number | null;
  /** In percent; null if the previous value is zero. */
  tax: number | null;
  /** In percent; null if the previous value is zero. */
  net_of_tax: number | null;
}

export interface RevenuePoint {
  /** The start: a day, or a UTC time for hours. */
  date: string;
  /** An amount in the reported currency. */
  gross_revenue: string;
  /** An amount in the reported currency. */
  refunds: string;
  /** An amount in the reported currency. */
  net_revenue: string;
  /** How many. */
  orders_count: number;
  /** The tax in `net_revenue`, as it was reported; null for a single product. */
  tax: string | null;
  /** `net_revenue` minus `tax`; null for a single product. */
  net_of_tax: string | null;
}

export interface Currency {
  /** The sum of paid orders, after discounts. */
  gross_revenue: string;
  /** The sum of refunds made in this period. */
  refunds: string;
  /** `gross_revenue` minus `refunds`. */
  net_revenue: string;
  /** The sum of coupon discounts. */
  discounts: string;
  /** The part that gift cards paid. */
  gift_card_redeemed: string;
  /** The number of paid orders. */
  orders_count: number;
  /** `gross_revenue` divided by `orders_count`. */
  average_order_value: string;
  /** The tax in `net_revenue`, as it was reported; null for a single product. */
  tax: string | null;
  /** `net_revenue` minus `tax`; null for a single product. */
  net_of_tax: string | null;
  /** ISO 4217. */
  currency: string;
}

export interface GetSalesQuery {
  /** A named period; `last_30_days` by default. */
  period?: AnalyticsPeriod;
  /** The first day; requires `to`. */
  from?: string;
  /** The last day, inclusive; requires `from`. */
  to?: string;
  /** The interval of the series; by default depends on the length of the period. */
  interval?: AnalyticsInterval;
  /** The time zone of the days: an IANA name. */
  timezone?: string;
  /** Only this product. */
  product_id?: number;
  /** Whether to add the preceding period of equal length. */
  compare?: boolean;
}

export interface Sales {
  period: Period;
  totals: SalesTotals;
  previous: SalesTotals | null;
  change: SalesChange | null;
  /** The current status of the orders placed in this period. */
  by_status: Record<string, number>;
  top_products: TopProduct[];
  top_customers: TopCustomer[];
  by_country: Country[];
  by_payment_method: PaymentMethod[];
  series: SalesPoint[];
}

export interface SalesTotals {
  /** Paid orders, in any currency. */
  orders_count: number;
  /** The number of items. */
  items_sold: number;
  /** Orders that were completed. */
  completed_orders: number;
  /** Orders that were refunded in full. */
  refunded_orders: number;
  /** `refunded_orders` divided by `orders_count`, in percent. */
  refund_rate: number;
  /** Different customers who paid. */
  unique_customers: number;
  /** Those with their first order. */
  new_customers: number;
  /** Those with earlier orders. */
  returning_customers: number;
}

export interface SalesChange {
  /** In percent; null if the previous value is zero. */
  orders_count: number | null;
  /** In percent; null if the previous value is zero. */
  items_sold: number | null;
  /** In percent; null if the previous value is zero. */
  completed_orders: number | null;
  /** In percent; null if the previous value is zero. */
  refunded_orders: number | null;
  /** In percent; null if the previous value is zero. */
  refund_rate: number | null;
  /** In percent; null if the previous value is zero. */
  unique_customers: number | null;
  /** In percent; null if the previous value is zero. */
  new_customers: number | null;
  /** In percent; null if the previous value is zero. */
  returning_customers: number | null;
}

export interface TopProduct {
  /** The product. */
  product_id: number;
  /** Its current name. */
  product_name: string | null;
  /** How many. */
  orders_count: number;
  /** The number of units sold. */
  items_sold: number;
  /** The sum of its lines, before discounts on the order. */
  gross_revenue: string;
}

export interface TopCustomer {
  /** Identifies the customer. */
  id: number;
  /** The customer's name. */
  name: string;
  /** The customer's e-mail address. */
  email: string;
  /** How many. */
  orders_count: number;
  /** In the store's currency, minus refunds of these orders. */
  total_spent: string;
}

export interface Country {
  /** ISO 3166-1 alpha-2; null if unknown. */
  country: string | null;
  /** How many. */
  orders_count: number;
  /** An amount in the reported currency. */
  gross_revenue: string;
}

export interface PaymentMethod {
  /** The store's name for it; null if unknown. */
  payment_method: string | null;
  /** How many. */
  orders_count: number;
  /** An amount in the reported currency. */
  gross_revenue: string;
}

export interface SalesPoint {
  /** The start: a day, or a UTC time for hours. */
  date: string;
  /** How many. */
  orders_count: number;
  /** How many. */
  items_sold: number;
  /** How many. */
  completed_orders: number;
  /** How many. */
  refunded_orders: number;
  /** How many. */
  new_customers: number;
}

export interface GetTaxesQuery {
  /** A quarter. */
  quarter?: string;
  /** The first day; requires `to`. */
  from?: string;
  /** The last day, inclusive; requires `from`. */
  to?: string;
}

export interface TaxSum {
  /** Where the tax is due; null if it was not reported. */
  country: string | null;
  /** ISO 4217. */
  currency: string;
  /** The number of paid orders. */
  orders_count: number;
  /** What was paid and not refunded, tax included. */
  gross: string;
  /** The tax in it, as it was reported. */
  tax: string;
  /** Orders whose countries differ: of the bill, the IP address and the card, as far as known. */
  contradictions: number;
}

export interface ListCommandsQuery {
  /** The page, from 1. */
  page?: number;
  /** The number of items per page. */
  per_page?: number;
  /** Only commands in this state. */
  status?: CommandStatus;
  /** Only commands of this server. */
  server_id?: number;
  /** Only commands of this order. */
  order_id?: number;
  /** Only commands of this customer. */
  customer_id?: number;
  /** The sort field. */
  sort?: "id";
  /** The sort direction. */
  order?: SortDirection;
}

export type CommandStatus = "waiting" | "leased" | "done" | "failed" | "cancelled";

export type SortDirection = "asc" | "desc";

export interface Command {
  /** Identifies the command. */
  id: number;
  /** The server that runs it. */
  server_id: number;
  /** The order. */
  order_id: number;
  /** The line of the order. */
  item_id: number;
  /** Why it was queued. */
  cause: CommandCause;
  /** What the server runs. */
  text: string;
  player: Player | null;
  /** Whether it waits until the player is online. */
  needs_player_online: boolean;
  /** What became of it. */
  status: CommandStatus;
  /** How often it was handed out. */
  attempts: number;
  /** What the server answered. */
  output: string | null;
  /** The command that it repeats. */
  resent_from_id: number | null;
  /** When it is handed out, at the earliest. */
  due_at: string;
  /** When it was done, failed or was cancelled. */
  done_at: string | null;
  /** When, in UTC. */
  created_at: string;
}

export type CommandCause = "paid" | "renewed" | "expired" | "refunded" | "disputed";

export interface Player {
  /** The game. */
  game: Game;
  /** The id in the game. */
  id: string | null;
  /** The name in the game. */
  name: string | null;
}

export type Game = "minecraft" | "minecraft_bedrock" | "steam" | "rust" | "fivem" | "ark" | "roblox" | "discord" | "other";

export interface ListCouponsQuery {
  /** The page, from 1. */
  page?: number;
  /** The number of items per page. */
  per_page?: number;
  /** Created on this UTC day or later. */
  from?: string;
  /** Created on this UTC day or earlier. */
  to?: string;
  /** The text to search for, case-insensitive. */
  search?: string;
  /** The sort direction. */
  order?: SortDirection;
  /** Only coupons in this state. */
  state?: CouponState;
  /** Only coupons made by this. */
  origin?: CouponOrigin;
  /** Only coupons of this batch. */
  batch?: string;
  /** The sort field. */
  sort?: "id" | "created_at" | "uses_count";
}

export type CouponState = "scheduled" | "active" | "used_up" | "expired" | "inactive";

export type CouponOrigin = "tier" | "welcome" | "owner" | "creator";

export interface CouponDetails {
  /** Identifies the coupon. */
  id: number;
  /** What buyers type at checkout. */
  code: string;
  /** Who made it: a tier, a welcome, the owner or a creator. */
  origin: CouponOrigin;
  /** Whether it can be used now; reservations count as uses. */
  state: CouponState;
  /** The type of the discount. */
  discount_type: DiscountType;
  /** Percent, or an amount in `currency`. */
  discount_value: string;
  /** The currency of a fixed discount. */
  currency: string | null;
  /** The products it discounts. */
  product_ids: number[];
  /** The categories it discounts. */
  categories: string[];
  /** The lowest subtotal of an order. */
  min_total: string | null;
  /** Whether it is for customers without a paid order. */
  first_order_only: boolean;
  /** How often it can be used; null: without a limit. */
  max_uses: number | null;
  /** The same for each customer. */
  max_uses_per_customer: number | null;
  /** Valid from. */
  starts_at: string | null;
  /** Valid until. */
  ends_at: string | null;
  /** Whether it is switched on. */
  is_active: boolean;
  /** For staff only. */
  note: string | null;
  /** Those that were generated together. */
  batch: string | null;
  /** The only customer who can use it: a coupon of a referral. */
  customer_id: number | null;
  /** Paid orders with it. */
  uses_count: number;
  /** Orders with it that wait for their payment. */
  reserved_count: number;
  /** When, in UTC. */
  created_at: string;
  /** When, in UTC. */
  updated_at: string;
}

export type DiscountType = "percentage" | "fixed";

export interface CouponBody {
  /** The type of the discount. */
  discount_type: DiscountType;
  /** Percent, at most 100, or an amount in `currency`. */
  discount_value: string | number;
  /** Of a fixed discount; by default the store's. */
  currency?: string | null;
  /** Only these products are discounted, and those of `categories`; by default all. */
  product_ids?: number[];
  /** Only products of these categories are discounted. */
  categories?: string[];
  /** The lowest subtotal of an order. */
  min_total?: string | number | null;
  /** Only for customers without a paid order. */
  first_order_only?: boolean;
  /** How often it can be used; null: without a limit. */
  max_uses?: number | null;
  /** The same for each customer. */
  max_uses_per_customer?: number | null;
  /** Valid from; null: at once. */
  starts_at?: string | null;
  /** Valid until; null: without an end. */
  ends_at?: string | null;
  /** Whether it is switched on. */
  is_active?: boolean;
  /** For staff only. */
  note?: string | null;
  /** 4 to 40 of A-Z, 0-9, - and _; stored in upper case, without blanks. By default generated. */
  code?: string | null;
}

export interface GenerateBody {
  /** The type of the discount. */
  discount_type: DiscountType;
  /** Percent, at most 100, or an amount in `currency`. */
  discount_value: string | number;
  /** Of a fixed discount; by default the store's. */
  currency?: string | null;
  /** Only these products are discounted, and those of `categories`; by default all. */
  product_ids?: number[];
  /** Only products of these categories are discounted. */
  categories?: string[];
  /** The lowest subtotal of an order. */
  min_total?: string | number | null;
  /** Only for customers without a paid order. */
  first_order_only?: boolean;
  /** How often it can be used; null: without a limit. */
  max_uses?: number | null;
  /** The same for each customer. */
  max_uses_per_customer?: number | null;
  /** Valid from; null: at once. */
  starts_at?: string | null;
  /** Valid until; null: without an end. */
  ends_at?: string | null;
  /** Whether it is switched on. */
  is_active?: boolean;
  /** For staff only. */
  note?: string | null;
  /** How many. */
  count: number;
  /** What their codes begin with, up to 20 characters. */
  prefix?: string;
}

export interface GeneratedCoupons {
  /** How many were made. */
  created: number;
  /** Their name in `GET /coupons?batch=`. */
  batch: string;
}

export interface CouponChanges {
  /** The type of the discount. */
  discount_type?: DiscountType;
  /** Percent, at most 100, or an amount in `currency`. */
  discount_value?: string | number;
  /** Of a fixed discount; by default the store's. */
  currency?: string | null;
  /** Only these products are discounted, and those of `categories`; by default all. */
  product_ids?: number[];
  /** Only products of these categories are discounted. */
  categories?: string[];
  /** The lowest subtotal of an order. */
  min_total?: string | number | null;
  /** Only for customers without a paid order. */
  first_order_only?: boolean;
  /** How often it can be used; null: without a limit. */
  max_uses?: number | null;
  /** The same for each customer. */
  max_uses_per_customer?: number | null;
  /** Valid from; null: at once. */
  starts_at?: string | null;
  /** Valid until; null: without an end. */
  ends_at?: string | null;
  /** Whether it is switched on. */
  is_active?: boolean;
  /** For staff only. */
  note?: string | null;
  /** 4 to 40 of A-Z, 0-9, - and _; stored in upper case, without blanks. By default generated. */
  code?: string | null;
}

export interface ListCouponUsesQuery {
  /** The page, from 1. */
  page?: number;
  /** The number of items per page. */
  per_page?: number;
}

export interface CouponUse {
  /** The order. */
  order_id: number;
  /** Who ordered. */
  customer_id: number;
  /** What it took off. */
  discount: string;
  /** `reserved` until the order is paid. */
  state: CouponUseState;
  /** When, in UTC. */
  created_at: string;
}

export type CouponUseState = "reserved" | "used";

export interface ListCreatorsQuery {
  /** The page, from 1. */
  page?: number;
  /** The number of items per page. */
  per_page?: number;
}

export interface Creator {
  /** Identifies the creator. */
  id: number;
  /** The name, for staff. */
  name: string;
  /** What buyers type at checkout. */
  code: string;
  /** The coupon of the code. */
  coupon_id: number;
  /** The share of an order's total. */
  commission_percent: string;
  /** What the code takes off; null: nothing. */
  discount_type: DiscountType | null;
  /** Percent, or an amount. */
  discount_value: string | null;
  /** How long a commission is held. */
  hold_days: number;
  /** The creator as a customer: own purchases earn nothing. */
  customer_id: number | null;
  /** Whether the code can be used. */
  is_active: boolean;
  balance: CreatorBalance;
  balances: CreatorBalance[];
  /** Orders that earned something. */
  orders_count: number;
  /** When, in UTC. */
  created_at: string;
  /** When, in UTC. */
  updated_at: string;
}

export interface CreatorBalance {
  /** The currency. */
  currency: string;
  /** Earned, and held for some days. */
  held: string;
  /** To be paid out; negative if too much was. */
  due: string;
  /** Paid out so far. */
  paid: string;
}

export interface CreatorBody {
  /** The name, for staff. */
  name: string;
  /** A coupon is made for it. */
  code: string;
  /** The share of an order's total. */
  commission_percent: string | number;
  /** What the code takes off; null: nothing. */
  discount_type?: DiscountType | null;
  /** Percent, or an amount. */
  discount_value?: string | number | null;
  /** How long a commission is held. */
  hold_days?: number;
  /** The creator as a customer: own purchases earn nothing. */
  customer_id?: number | null;
  /** Whether the code can be used. */
  is_active?: boolean;
}

export interface CreatorChanges {
  /** The name, for staff. */
  name?: string;
  /** A coupon is made for it. */
  code?: string;
  /** The share of an order's total. */
  commission_percent?: string | number;
  /** What the code takes off; null: nothing. */
  discount_type?: DiscountType | null;
  /** Percent, or an amount. */
  discount_value?: string | number | null;
  /** How long a commission is held. */
  hold_days?: number;
  /** The creator as a customer: own purchases earn nothing. */
  customer_id?: number | null;
  /** Whether the code can be used. */
  is_active?: boolean;
}

export interface ReadLedgerQuery {
  /** The page, from 1. */
  page?: number;
  /** The number of items per page. */
  per_page?: number;
}

export interface CreatorEntry {
  /** Identifies the entry. */
  id: number;
  /** A `clawback` takes back, a `release` gives back what was taken. */
  type: CreatorEntryType;
  /** Clawbacks and payouts are negative. */
  amount: string;
  /** The currency of the order. */
  currency: string;
  /** The order; null for a payout. */
  order_id: number | null;
  /** Of a payout. */
  reference: string | null;
  /** When, in UTC. */
  available_at: string;
  /** When, in UTC. */
  created_at: string;
}

export type CreatorEntryType = "commission" | "clawback" | "release" | "payout";

export interface PayoutBody {
  /** At most what is due. */
  amount: string | number;
  /** Of the transfer; makes it safe to repeat the call. */
  reference: string;
  /** By default the store's. */
  currency?: string | null;
}

export interface LinkedAccounts {
  accounts: LinkedAccount[];
  edges: Edge[];
  hubs: Hub[];
  /** False if more than 200 accounts are linked, or one has more than 20 things. */
  is_complete: boolean;
}

export interface LinkedAccount {
  /** Identifies the customer. */
  id: number;
  /** The customer's name. */
  name: string;
  /** A `blocked` customer cannot order. */
  status: CustomerStatus;
  /** Orders that were paid. */
  orders_count: number;
  /** The sum of their totals. */
  total_spent: string;
  /** Whether an order was fraud. */
  is_fraud: boolean;
  /** Whether a payment was disputed and the dispute not won. */
  is_disputed: boolean;
  /** The number of links from the requested account, which has 0. */
  depth: number;
}

export type CustomerStatus = "active" | "blocked";

export interface Edge {
  /** What is shared. */
  kind: LinkKind;
  /** The shared value: for an instrument its hash, for a referral the id of the referrer. */
  value: string;
  /** The account that used it. */
  customer_id: number;
  /** When, in UTC. */
  first_seen_at: string;
  /** When, in UTC. */
  last_seen_at: string;
}

export type LinkKind = "device" | "address" | "mailbox" | "instrument" | "player" | "referral";

export interface Hub {
  /** What is shared. */
  kind: LinkKind;
  /** The shared value: for an instrument its hash, for a referral the id of the referrer. */
  value: string;
}

export interface ListCustomersQuery {
  /** The page, from 1. */
  page?: number;
  /** The number of items per page. */
  per_page?: number;
  /** Created on this UTC day or later. */
  from?: string;
  /** Created on this UTC day or earlier. */
  to?: string;
  /** The text to search for, case-insensitive. */
  search?: string;
  /** The sort direction. */
  order?: SortDirection;
  /** The customer with this e-mail address. */
  email?: string;
  /** Only customers in this state. */
  status?: CustomerStatus;
  /** ISO 3166-1 alpha-2. */
  country?: string;
  /** Whether the customer accepts campaigns. */
  accepts_marketing?: boolean;
  /** Whether they have an order that was paid and not refunded in full. */
  has_orders?: boolean;
  /** The minimum total spent. */
  min_total_spent?: string | number;
  /** Only customers with this tag. */
  tag?: string;
  /** The customer who is this player, such as `steam:76561198000000000`. */
  identity?: string;
  /** The sort field; customers without orders count as earliest. */
  sort?: "id" | "created_at" | "name" | "email" | "orders_count" | "total_spent" | "last_order_at";
}

export interface Customer {
  /** Identifies the customer. */
  id: number;
  /** Unique, lower case. */
  email: string;
  /** The customer's name. */
  name: string;
  /** The name in the game. */
  username: string | null;
  /** The id of the customer in the store's own system. */
  external_id: string | null;
  /** ISO 3166-1 alpha-2. */
  country: string | null;
  /** A blocked customer cannot order. */
  status: CustomerStatus;
  /** Why the customer was blocked or unblocked. */
  status_reason: string | null;
  /** Whether the customer accepts campaigns. */
  accepts_marketing: boolean;
  /** When consent to campaigns was last given. */
  consent_given_at: string | null;
  /** When consent to campaigns was last withdrawn. */
  consent_withdrawn_at: string | null;
  /** Whether e-mails arrive. */
  email_status: MailboxStatus;
  /** The customer's own referral code. */
  referral_code: string;
  referred_by: CodeOwner | null;
  /** Paid orders that were not refunded in full. */
  orders_count: number;
  /** In the store's currency, minus refunds. */
  total_spent: string;
  /** `total_spent` divided by `orders_count`. */
  average_order_value: string;
  /** When the first order was paid. */
  first_order_at: string | null;
  /** When the latest order was paid. */
  last_order_at: string | null;
  /** Tags of the customer. */
  tags: string[];
  /** Extension: who they are in games. */
  identities: Identity[];
  /** For staff only. */
  note: string | null;
  /** When, in UTC. */
  created_at: string;
  /** When, in UTC. */
  updated_at: string;
  /** When the personal data was erased. */
  erased_at: string | null;
}

export type MailboxStatus = "ok" | "bounced" | "complained" | "unsubscribed";

export interface CodeOwner {
  /** Identifies the customer. */
  id: number;
  /** The customer's name. */
  name: string;
}

export interface Identity {
  /** The game. */
  game: Game;
  /** The id in the game. */
  id: string | null;
  /** The name in the game. */
  name: string | null;
  /** When a server first ran a command for this player; null before that. */
  verified_at: string | null;
}

export interface CustomerChanges {
  /** Unique in the store. */
  email?: string;
  /** The customer's name. */
  name?: string;
  /** The name in the game. */
  username?: string | null;
  /** The id of the customer in the store's own system. */
  external_id?: string | null;
  /** ISO 3166-1 alpha-2. */
  country?: string | null;
  /** Whether the customer accepts campaigns; the time of a change is recorded. */
  accepts_marketing?: boolean;
  /** Whether e-mails arrive; set `ok` after a bounce was resolved. */
  email_status?: MailboxStatus;
  /** Tags to find customers by; replaced as a whole. */
  tags?: string[];
  /** Extension: who they are in games, one per game; replaced as a whole. */
  identities?: PlayerBody[];
  /** For staff only. */
  note?: string | null;
  /** A blocked customer cannot order. */
  status?: CustomerStatus;
  /** The reason; required to block a customer. */
  status_reason?: string | null;
}

export interface PlayerBody {
  /** The game. */
  game: Game;
  /** The id in the game. */
  id?: string | null;
  /** The name in the game. */
  name?: string | null;
}

export interface ChangedCustomer {
  /** Identifies the customer. */
  id: number;
  /** Unique, lower case. */
  email: string;
  /** The customer's name. */
  name: string;
  /** The name in the game. */
  username: string | null;
  /** The id of the customer in the store's own system. */
  external_id: string | null;
  /** ISO 3166-1 alpha-2. */
  country: string | null;
  /** A blocked customer cannot order. */
  status: CustomerStatus;
  /** Why the customer was blocked or unblocked. */
  status_reason: string | null;
  /** Whether the customer accepts campaigns. */
  accepts_marketing: boolean;
  /** When consent to campaigns was last given. */
  consent_given_at: string | null;
  /** When consent to campaigns was last withdrawn. */
  consent_withdrawn_at: string | null;
  /** Whether e-mails arrive. */
  email_status: MailboxStatus;
  /** The customer's own referral code. */
  referral_code: string;
  referred_by: CodeOwner | null;
  /** Paid orders that were not refunded in full. */
  orders_count: number;
  /** In the store's currency, minus refunds. */
  total_spent: string;
  /** `total_spent` divided by `orders_count`. */
  average_order_value: string;
  /** When the first order was paid. */
  first_order_at: string | null;
  /** When the latest order was paid. */
  last_order_at: string | null;
  /** Tags of the customer. */
  tags: string[];
  /** Extension: who they are in games. */
  identities: Identity[];
  /** For staff only. */
  note: string | null;
  /** When, in UTC. */
  created_at: string;
  /** When, in UTC. */
  updated_at: string;
  /** When the personal data was erased. */
  erased_at: string | null;
  /** Extension: the signals and rules that would still stop the next order, if it is like the latest; null unless `status` was set to active. */
  would_stop: string[] | null;
}

export interface ListCampaignsQuery {
  /** The page, from 1. */
  page?: number;
  /** The number of items per page. */
  per_page?: number;
  /** Only campaigns in this state. */
  status?: CampaignStatus;
  /** Part of the name or the subject. */
  search?: string;
  /** Created on this UTC day or later. */
  from?: string;
  /** Created on this UTC day or earlier. */
  to?: string;
  /** The sort field. */
  sort?: "id" | "created_at" | "name";
  /** The sort direction. */
  order?: SortDirection;
}

export type CampaignStatus = "draft" | "scheduled" | "sending" | "sent" | "cancelled" | "failed";

export interface CampaignList {
  /** Identifies the campaign. */
  id: number;
  /** The name, for the staff. */
  name: string;
  /** The subject of the e-mails. */
  subject: string;
  /** What mail programs show next to the subject. */
  preview_text: string | null;
  /** The sender name; null means that of the store. */
  from_name: string | null;
  /** Where replies go. */
  reply_to: string | null;
  /** The audience. */
  audience: Audience;
  /** Its status. */
  status: CampaignStatus;
  /** The time, in UTC; null until then. */
  scheduled_at: string | null;
  /** The number of recipients; fixed when it starts. */
  recipients_count: number;
  /** E-mails that the mail server accepted. */
  sent_count: number;
  /** E-mails that the mail server rejected. */
  failed_count: number;
  /** Recipients who unsubscribed before their e-mail was sent. */
  skipped_count: number;
  /** E-mails that were not sent because there is no mail server. */
  outbox_count: number;
  /** What prevents sending, or why it failed. */
  error: string | null;
  /** The time, in UTC; null until then. */
  started_at: string | null;
  /** The time, in UTC; null until then. */
  completed_at: string | null;
  /** The campaign it was copied from. */
  duplicated_from_id: number | null;
  /** When, in UTC. */
  created_at: string;
  /** When, in UTC. */
  updated_at: string;
}

export interface Audience {
  /** Everyone, a segment, or a list of customers. */
  type: AudienceType;
  /** For the type customers. */
  customer_ids: number[];
  /** For the type segment; all given filters must match. */
  filters: Filters;
}

export type AudienceType = "all" | "segment" | "customers";

export interface Filters {
  /** Customers of these countries. */
  countries: string[] | null;
  /** Customers who spent at least this amount. */
  min_total_spent: string | null;
  /** Customers with at least this many paid orders. */
  min_orders: number | null;
  /** Customers whose last order is before this time. */
  last_order_before: string | null;
  /** Customers whose last order is at or after this time. */
  last_order_after: string | null;
  /** Customers who signed up at or after this time. */
  registered_from: string | null;
  /** Customers who signed up at or before this time. */
  registered_to: string | null;
  /** Customers who bought one of these products. */
  product_ids: number[] | null;
  /** Customers with one of these tags. */
  tags: string[] | null;
  /** Customers who have, or have not, referred someone. */
  is_referrer: boolean | null;
}

export interface CampaignBody {
  /** The name, for the staff. */
  name: string;
  /** One line; may contain placeholders. */
  subject: string;
  /** What mail programs show next to the subject. */
  preview_text?: string | null;
  /** The sender name; by default that of the store. */
  from_name?: string | null;
  /** Where replies go. */
  reply_to?: string | null;
  /** At most 500 KB; may contain placeholders. */
  body_html?: string | null;
  /** By default generated from the HTML. */
  body_text?: string | null;
  /** Instead of `body_html`: the e-mail in Markdown, at most 50 KB. HTML and text are generated when it is sent. */
  body_markdown?: string | null;
  /** The audience; by default everyone. */
  audience?: AudienceBody;
}

export interface AudienceBody {
  /** Everyone, a segment, or a list of customers. */
  type: AudienceType;
  /** Required if the type is customers. */
  customer_ids?: number[];
  /** Required if the type is segment. */
  filters?: FiltersBody;
}

export interface FiltersBody {
  /** Customers of these countries. */
  countries?: string[] | null;
  /** Customers who spent at least this amount. */
  min_total_spent?: string | number | null;
  /** Customers with at least this many paid orders. */
  min_orders?: number | null;
  /** Customers whose last order is before this time. */
  last_order_before?: string | null;
  /** Customers whose last order is at or after this time. */
  last_order_after?: string | null;
  /** Customers created at or after this time. */
  registered_from?: string | null;
  /** Customers created at or before this time. */
  registered_to?: string | null;
  /** Customers who bought one of these products. */
  product_ids?: number[] | null;
  /** Customers with one of these tags. */
  tags?: string[] | null;
  /** Customers who have, or have not, referred someone. */
  is_referrer?: boolean | null;
}

export interface Campaign {
  /** Identifies the campaign. */
  id: number;
  /** The name, for the staff. */
  name: string;
  /** The subject of the e-mails. */
  subject: string;
  /** What mail programs show next to the subject. */
  preview_text: string | null;
  /** The sender name; null means that of the store. */
  from_name: string | null;
  /** Where replies go. */
  reply_to: string | null;
  /** The audience. */
  audience: Audience;
  /** Its status. */
  status: CampaignStatus;
  /** The time, in UTC; null until then. */
  scheduled_at: string | null;
  /** The number of recipients; fixed when it starts. */
  recipients_count: number;
  /** E-mails that the mail server accepted. */
  sent_count: number;
  /** E-mails that the mail server rejected. */
  failed_count: number;
  /** Recipients who unsubscribed before their e-mail was sent. */
  skipped_count: number;
  /** E-mails that were not sent because there is no mail server. */
  outbox_count: number;
  /** What prevents sending, or why it failed. */
  error: string | null;
  /** The time, in UTC; null until then. */
  started_at: string | null;
  /** The time, in UTC; null until then. */
  completed_at: string | null;
  /** The campaign it was copied from. */
  duplicated_from_id: number | null;
  /** When, in UTC. */
  created_at: string;
  /** When, in UTC. */
  updated_at: string;
  /** The e-mail. */
  body_html: string | null;
  /** The e-mail as plain text; by default generated from the HTML. */
  body_text: string | null;
  /** The e-mail in Markdown; HTML and text are generated when it is sent. */
  body_markdown: string | null;
}

export interface CampaignChanges {
  /** The name, for the staff. */
  name?: string;
  /** One line; may contain placeholders. */
  subject?: string;
  /** What mail programs show next to the subject. */
  preview_text?: string | null;
  /** The sender name; by default that of the store. */
  from_name?: string | null;
  /** Where replies go. */
  reply_to?: string | null;
  /** At most 500 KB; may contain placeholders. */
  body_html?: string | null;
  /** By default generated from the HTML. */
  body_text?: string | null;
  /** Instead of `body_html`: the e-mail in Markdown, at most 50 KB. HTML and text are generated when it is sent. */
  body_markdown?: string | null;
  /** The audience; by default everyone. */
  audience?: AudienceBody;
}

export interface CampaignStats {
  /** The number of recipients. */
  recipients: number;
  /** Recipients who are still waiting. */
  pending: number;
  /** E-mails that the mail server accepted. */
  sent: number;
  /** E-mails that the mail server rejected. */
  failed: number;
  /** Recipients who unsubscribed before their e-mail was sent. */
  skipped: number;
  /** E-mails that were not sent because there is no mail server. */
  outbox: number;
  /** E-mails that were sent again because it is unknown whether they arrived. */
  perhaps_twice: number;
  /** Recipients who opened it, as far as mail programs report it. */
  opened: number;
  /** Recipients who clicked a link. */
  clicked: number;
  /** Recipients who unsubscribed through it. */
  unsubscribed: number;
  /** How often referral links in it were clicked, by anyone. */
  referral_clicks: number;
  /** Percentage of the recipients that are finished. */
  progress: number;
  /** Percentage of sent and failed. */
  failure_rate: number;
  /** Percentage of sent. */
  open_rate: number;
  /** Percentage of sent. */
  click_rate: number;
  /** Percentage of sent. */
  unsubscribe_rate: number;
}

export interface RecipientsPreview {
  /** Customers who would get the e-mail. */
  total: number;
  /** Excluded customers, each counted once. */
  excluded: Excluded;
  /** Up to ten of them. */
  sample: Sample[];
}

export interface Excluded {
  /** Customers who did not opt in. */
  not_opted_in: number;
  /** Customers who unsubscribed or complained. */
  unsubscribed: number;
  /** Customers whose mailbox does not exist. */
  bounced: number;
  /** Customers whom the store has blocked. */
  blocked: number;
}

export interface Sample {
  /** The customer. */
  id: number;
  /** The recipient's name. */
  name: string;
  /** Their e-mail address. */
  email: string;
}

export interface PreviewEmailQuery {
  /** The recipient; by default someone in the audience. */
  customer_id?: number;
}

export interface EmailPreview {
  /** The recipient it is rendered for. */
  reader: Reader;
  /** The sender name; null means that of the store. */
  from_name: string | null;
  /** Where replies go. */
  reply_to: string | null;
  /** The rendered subject. */
  subject: string;
  /** The rendered HTML. */
  html: string;
  /** The rendered plain text. */
  text: string;
}

export interface Reader {
  /** The customer; null if the audience is empty. */
  id: number | null;
  /** The recipient's name. */
  name: string;
  /** Their e-mail address. */
  email: string;
}

export interface TestBody {
  /** Any e-mail address. */
  email: string;
}

export interface TestEmail {
  /** The e-mail address. */
  sent_to: string;
  /** The subject. */
  subject: string;
}

export interface SendBody {
  /** In the future, at most a year ahead; by default now. */
  scheduled_at?: string | null;
}

export interface DuplicateBody {
  /** By default `NAME (copy)`. */
  name?: string | null;
}

export interface ListEventsQuery {
  /** The `next_cursor` of the previous response. */
  after?: number;
  /** The number of events to return. */
  limit?: number;
  /** Seconds to wait if there is no event yet. */
  wait?: number;
}

export interface EventFeed {
  events: Event[];
  /** Pass it as `after` in the next call. */
  next_cursor: number;
  /** Whether there are more events now. */
  has_more: boolean;
}

export interface Event {
  /** The cursor of this event. */
  id: number;
  /** The event's type. */
  event_type: EventType;
  /** When, in UTC. */
  created_at: string;
  /** The data of the deliveries. */
  data: Record<string, unknown>;
}

export type EventType = "order.created" | "order.paid" | "order.completed" | "order.refunded" | "subscription.created" | "subscription.renewed" | "subscription.cancelled" | "product.created" | "product.updated" | "product.deleted" | "order.delivered" | "keys.low" | "command.failed" | "order.disputed" | "fraud.flagged" | "fraud.held" | "fraud.blocked" | "fraud.reviewed" | "order.cancelled" | "customer.created" | "customer.updated" | "customer.erased" | "ticket.created" | "ticket.replied" | "gift_card.created" | "gift_card.redeemed" | "coupon.used";

export interface FraudDashboard {
  stats: FraudStats;
  judged_month: JudgedMonth;
}

export interface FraudStats {
  today: DayFigures;
  this_week: PeriodFigures;
  this_month: PeriodFigures;
  /** Checks that were not allowed and have no review. */
  pending_review: number;
  /** Checks of today with level high or critical. */
  high_risk_today: number;
}

export interface DayFigures {
  /** Orders that were blocked. */
  blocked: number;
  /** Orders that were flagged. */
  flagged: number;
  /** Orders that were allowed. */
  allowed: number;
}

export interface PeriodFigures {
  /** Orders that were blocked. */
  blocked: number;
  /** Orders that were flagged. */
  flagged: number;
}

export interface JudgedMonth {
  /** The start of the month, the newest one that is 90 days old. */
  since: string;
  /** Orders that were checked. */
  orders: number;
  /** Of these, orders that were fraud. */
  frauds: number;
  /** Of the frauds, orders that were not allowed. */
  caught: number;
  /** The share of frauds that was caught; null without frauds. */
  recall: number | null;
}

export interface SignalReport {
  /** The signal. */
  name: string;
  /** As text. */
  label: string;
  /** Checks in which it fired. */
  fired: number;
  /** Of these, known to be fraud; to be legitimate for a signal in favour. */
  right: number;
  /** Of these, known to be the opposite. */
  wrong: number;
  /** From 0 to 1; null if nothing is known. */
  precision: number | null;
}

export interface BacktestBody {
  /** Overrides of the current settings. */
  settings?: FraudSettingsChanges;
  /** A rule to test; `before` is then the result of the current settings without it. */
  rule?: TriedRuleBody | null;
  /** How many past days of checks to use. */
  days?: number;
}

export interface FraudSettingsChanges {
  /** Whether orders are judged. */
  fraud_detection_enabled?: boolean;
  /** The score from which the action applies: 80, 60, 40. */
  fraud_sensitivity_level?: FraudSensitivity;
  /** The action from that score on. */
  fraud_action?: FraudAction;
  /** Block VPNs regardless of the score. */
  fraud_block_vpn?: boolean;
  /** Block open proxies. */
  fraud_block_proxy?: boolean;
  /** Block hosting providers. */
  fraud_block_datacenter?: boolean;
  /** Block Tor exits. */
  fraud_block_tor?: boolean;
  /** Block countries under embargo. */
  fraud_block_sanctioned_countries?: boolean;
  /** Compare IP country and billing country. */
  fraud_check_geo_mismatch?: boolean;
  /** Check the velocity limits. */
  fraud_check_velocity?: boolean;
  /** Detect disposable mailboxes. */
  fraud_check_disposable_email?: boolean;
  /** Extension: judge an order again when its payment brings new facts. Where the outcome is worse, the order is paid, but held. */
  fraud_judge_at_payment?: boolean;
  /** Extension: checkout creates the account, so its first minute is not suspicious. */
  fraud_accounts_made_at_checkout?: boolean;
  /** Extension: adjustments to the points of signals, by name. Replaces the existing ones. */
  fraud_signal_points?: Record<string, number>;
  /** Orders per IP address in the window. */
  fraud_velocity_limit_orders_per_ip?: number;
  /** Orders per mailbox in the window. */
  fraud_velocity_limit_orders_per_email?: number;
  /** Extension: declined payments of an account, a device or an IP address in the window. */
  fraud_velocity_limit_declines?: number;
  /** The velocity window. */
  fraud_velocity_window_minutes?: number;
  /** Extension: how long a review may take. */
  fraud_review_due_hours?: number;
  /** Extension: what happens to a held order after that. */
  fraud_review_when_due?: FraudWhenDue;
  /** Extension: how many of the riskiest allowed orders of a day to review. */
  fraud_review_daily_budget?: number;
  /** Replaces the list. */
  fraud_custom_blocked_countries?: string[];
  /** Replaces the list. */
  fraud_whitelisted_ips?: string[];
  /** Replaces the list. */
  fraud_whitelisted_emails?: string[];
}

export type FraudSensitivity = "low" | "medium" | "high";

export type FraudAction = "block" | "flag" | "verify";

export type FraudWhenDue = "wait" | "release" | "cancel";

export interface TriedRuleBody {
  /** The rule that it replaces; null for a new one. */
  id?: number | null;
  /** The condition that orders must match. */
  expression: string;
  /** The action for matching orders. */
  action: FraudRuleAction;
  /** With the action `points`: the points added to the score. */
  points?: number;
}

export type FraudRuleAction = "allow" | "block" | "verify" | "flag" | "points";

export interface Backtest {
  /** Checks that were judged again. */
  checks: number;
  /** Of these, made by an older version of the engine, which knew less. */
  older_engine_checks: number;
  /** False if only the newest checks were used. */
  is_complete: boolean;
  before: BacktestSide;
  after: BacktestSide;
  /** Orders whose action would differ. */
  changed_count: number;
  /** The newest of them. */
  changed: ChangedOrder[];
  /** Orders that the rule matches; null without a rule. */
  rule: Tally | null;
}

export interface BacktestSide {
  actions: ActionCounts;
  /** From 0 to 1; null if nothing is known. */
  precision: number | null;
  /** From 0 to 1; null if nothing is known. */
  recall: number | null;
}

export interface ActionCounts {
  /** Orders that were allowed. */
  allowed: number;
  /** Orders that were flagged. */
  flagged: number;
  /** Orders that were blocked. */
  blocked: number;
  /** Orders that were held. */
  verification_required: number;
}

export interface ChangedOrder {
  /** The fraud check. */
  check_id: number;
  /** The order. */
  order_id: number;
  /** What customers see. */
  order_number: string;
  /** The original result. */
  score_before: number;
  /** The result with the new settings. */
  score_after: number;
  /** The action that was taken. */
  action_before: FraudDecision;
  /** The action that would have been taken. */
  action_after: FraudDecision;
  /** The outcome of the review. */
  review_outcome: string | null;
  /** The outcome of the order. */
  truth: OrderOutcome | null;
  /** Where the outcome comes from. */
  truth_source: TruthSource | null;
}

export type FraudDecision = "allowed" | "flagged" | "blocked" | "verification_required";

export type OrderOutcome = "fraud" | "legitimate";

export type TruthSource = "review" | "refund" | "early_warning" | "dispute" | "dispute_lost";

export interface Tally {
  /** Orders that it matched. */
  fired: number;
  /** Of these, known to be fraud. */
  right: number;
  /** Of these, known to be legitimate. */
  wrong: number;
  /** From 0 to 1; null if no outcome is known. */
  precision: number | null;
}

export interface ExplainBuyerQuery {
  /** The IP address of the order. */
  ip?: string;
  /** The buyer's e-mail address. */
  email?: string;
  /** Who would get it, such as `steam:76561198000000000`. */
  player?: string;
}

export interface Explanation {
  /** What an order would score now. */
  risk_score: number;
  /** Its level. */
  risk_level: RiskLevel;
  /** The action that would be taken. */
  action_taken: FraudDecision;
  /** Whether the e-mail address belongs to a customer. */
  is_known_customer: boolean;
  /** Whether the store trusts this buyer. */
  is_whitelisted: boolean;
  signals: ExplainedSignal[];
  /** The signals and rules that would stop an order; empty if none does. */
  would_stop: string[];
}

export type RiskLevel = "low" | "medium" | "high" | "critical";

export interface ExplainedSignal {
  /** The signal. */
  name: string;
  /** As text. */
  label: string;
  /** Its points. */
  points: number;
  /** What it saw; null for a rule. */
  fact: string | null;
  /** When it expires; null if it does not. */
  until: string | null;
}

export interface RingReviewBody {
  /** The checks. */
  check_ids: number[];
  /** The outcome of the orders. */
  outcome: ReviewOutcome;
  /** Notes, stored with the review. */
  notes?: string | null;
  /** With `fraud`: what to block from now on. */
  block?: BlockKind[];
}

export type ReviewOutcome = "legitimate" | "fraud" | "inconclusive";

export type BlockKind = "customer" | "email" | "device" | "ip" | "instrument" | "player";

export interface Reviewed {
  /** Identifies the check. */
  id: number;
  /** Always true. */
  is_reviewed: boolean;
  /** The user who reviewed it. */
  reviewed_by: number | null;
  /** When. */
  reviewed_at: string | null;
  /** The outcome of the review. */
  review_outcome: ReviewOutcome | null;
  /** The notes of the reviewer. */
  review_notes: string | null;
}

export interface CountryBody {
  /** ISO 3166-1 alpha-2. */
  country_code: string;
}

export interface BlockedCountries {
  /** All blocked countries, sorted. */
  blocked_countries: string[];
}

export interface ListFraudChecksQuery {
  /** The page, from 1. */
  page?: number;
  /** The number of items per page. */
  per_page?: number;
  /** Only checks with this level. */
  risk_level?: RiskLevel;
  /** Only checks with this action. */
  action_taken?: FraudDecision;
  /** Only checks with, or without, a review. */
  is_reviewed?: boolean;
  /** The first UTC day. */
  start_date?: string;
  /** The last UTC day, inclusive. */
  end_date?: string;
}

export interface FraudCheck {
  /** Identifies the check. */
  id: number;
  /** The order that was judged. */
  order_id: number;
  /** The customer. */
  customer_id: number;
  /** The IP address of the order. */
  ip_address: string | null;
  /** 0 to 100. */
  risk_score: number;
  /** `low` from 0, `medium` from 40, `high` from 60, `critical` from 80. */
  risk_level: RiskLevel;
  /** The action that was taken. */
  action_taken: FraudDecision;
  /** ISO 3166-1 alpha-2; null if unknown. */
  detected_country: string | null;
  /** ISO 3166-1 alpha-2; null if unknown. */
  billing_country: string | null;
  /** Null if unknown. */
  detected_city: string | null;
  /** The IP address belongs to a VPN. */
  is_vpn: boolean;
  /** The IP address belongs to an open proxy. */
  is_proxy: boolean;
  /** The IP address belongs to a hosting company. */
  is_datacenter: boolean;
  /** The IP address is a Tor exit. */
  is_tor: boolean;
  /** The IP country or the billing country is under embargo. */
  is_sanctioned_country: boolean;
  /** IP country and billing country differ. */
  has_geo_mismatch: boolean;
  /** The velocity limits are exceeded. */
  has_velocity_violation: boolean;
  /** The mailbox is disposable. */
  is_disposable_email: boolean;
  /** Whether it was reviewed. */
  is_reviewed: boolean;
  /** The user who reviewed it. */
  reviewed_by: number | null;
  /** When it was reviewed last. */
  reviewed_at: string | null;
  /** The outcome of the review. */
  review_outcome: ReviewOutcome | null;
  /** When, in UTC. */
  created_at: string;
  order: CheckOrder;
  customer: CheckCustomer;
}

export interface CheckOrder {
  /** Identifies the order. */
  id: number;
  /** What customers see. */
  order_number: string;
}

export interface CheckCustomer {
  /** Identifies the customer. */
  id: number;
  /** The customer's name. */
  name: string;
}

export interface CheckAnswer {
  check: FraudCheckDetail;
  /** Labels of the signals, the heaviest first. */
  detected_signals: string[];
  risk_badge: Badge;
  action_badge: Badge;
}

export interface FraudCheckDetail {
  /** Identifies the check. */
  id: number;
  /** The order that was judged. */
  order_id: number;
  /** The customer. */
  customer_id: number;
  /** The IP address of the order. */
  ip_address: string | null;
  /** 0 to 100. */
  risk_score: number;
  /** `low` from 0, `medium` from 40, `high` from 60, `critical` from 80. */
  risk_level: RiskLevel;
  /** The action that was taken. */
  action_taken: FraudDecision;
  /** ISO 3166-1 alpha-2; null if unknown. */
  detected_country: string | null;
  /** ISO 3166-1 alpha-2; null if unknown. */
  billing_country: string | null;
  /** Null if unknown. */
  detected_city: string | null;
  /** The IP address belongs to a VPN. */
  is_vpn: boolean;
  /** The IP address belongs to an open proxy. */
  is_proxy: boolean;
  /** The IP address belongs to a hosting company. */
  is_datacenter: boolean;
  /** The IP address is a Tor exit. */
  is_tor: boolean;
  /** The IP country or the billing country is under embargo. */
  is_sanctioned_country: boolean;
  /** IP country and billing country differ. */
  has_geo_mismatch: boolean;
  /** The velocity limits are exceeded. */
  has_velocity_violation: boolean;
  /** The mailbox is disposable. */
  is_disposable_email: boolean;
  /** Whether it was reviewed. */
  is_reviewed: boolean;
  /** The user who reviewed it. */
  reviewed_by: number | null;
  /** When it was reviewed last. */
  reviewed_at: string | null;
  /** The outcome of the review. */
  review_outcome: ReviewOutcome | null;
  /** When, in UTC. */
  created_at: string;
  /** The buyer's e-mail address at that time. */
  email: string;
  /** The browser's User-Agent. */
  user_agent: string | null;
  /** Points by signal name. */
  signals: Record<string, number>;
  /** Extension: what each signal saw, by name. */
  facts: Record<string, string>;
  /** The operator of the network; null if unknown. */
  asn_name: string | null;
  /** The autonomous system number. */
  asn_number: number | null;
  /** The notes of the reviewer. */
  review_notes: string | null;
  /** Extension: the version of the engine that judged. */
  engine_version: number;
  /** Extension: the probability of fraud, from the score and the base odds of this store. */
  probability: number;
  /** Extension: the version of the settings and rules it was judged with. */
  policy_version: number;
  /** Extension: the store's own rules that matched. */
  rules: RuleHit[];
  /** Extension: the outcome of the order. */
  truth: OrderOutcome | null;
  /** Extension: the source of the outcome. */
  truth_source: TruthSource | null;
  /** Extension: when the outcome became known. */
  truth_at: string | null;
  order: CheckOrderDetail;
  customer: CheckCustomerDetail;
}

export interface RuleHit {
  /** The rule. */
  id: number;
  /** Its name at that time. */
  name: string;
  /** Its action. */
  action: FraudRuleAction;
  /** In `shadow` mode it was only counted. */
  mode: FraudRuleMode;
}

export type FraudRuleMode = "off" | "shadow" | "on";

export interface CheckOrderDetail {
  /** Identifies the order. */
  id: number;
  /** What customers see. */
  order_number: string;
  /** The status of the order. */
  status: OrderStatus;
  /** The total. */
  total: string;
}

export type OrderStatus = "pending" | "on_hold" | "paid" | "completed" | "partially_refunded" | "refunded" | "cancelled";

export interface CheckCustomerDetail {
  /** Identifies the customer. */
  id: number;
  /** The customer's name. */
  name: string;
  /** The customer's e-mail address. */
  email: string;
}

export interface Badge {
  /** For people. */
  label: string;
  /** The colour of the badge. */
  color: string;
}

export interface ReviewBody {
  /** The outcome of the order. */
  outcome: ReviewOutcome;
  /** Notes, stored with the review. */
  notes?: string | null;
  /** With `legitimate`: trust the IP address from now on. An extension. */
  whitelist_ip?: boolean;
  /** With `legitimate`: trust the e-mail address from now on. An extension. */
  whitelist_email?: boolean;
  /** With `fraud`: what to block from now on. An extension. */
  block?: BlockKind[];
}

export interface ReviewedCheck {
  /** Identifies the check. */
  id: number;
  /** Always true. */
  is_reviewed: boolean;
  /** The user who reviewed it. */
  reviewed_by: number | null;
  /** When. */
  reviewed_at: string | null;
  /** The outcome of the review. */
  review_outcome: ReviewOutcome | null;
  /** The notes of the reviewer. */
  review_notes: string | null;
  order: ReviewedOrder;
}

export interface ReviewedOrder {
  /** Identifies the order. */
  id: number;
  /** What customers see. */
  order_number: string;
  /** The status of the order. */
  status: OrderStatus;
  /** What it waits for; `refund` if it is held and was fraud. */
  next: CheckoutStep | null;
}

export type CheckoutStep = "pay" | "wait_for_review" | "verify" | "refused" | "refund";

export interface CheckReview {
  /** The outcome of the review. */
  outcome: ReviewOutcome;
  /** The notes of the reviewer. */
  notes: string | null;
  /** The user who reviewed it. */
  reviewed_by: number;
  /** When, in UTC. */
  reviewed_at: string;
}

export interface AssignmentBody {
  /** A user, or null for nobody. */
  owner_id: number | null;
  /** The due time; by default it does not change. */
  due_at?: string | null;
}

export interface Assigned {
  /** Identifies the check. */
  id: number;
  /** The user it is assigned to. */
  owner_id: number | null;
  /** When the review is due. */
  due_at: string | null;
}

export interface ListReviewQueueQuery {
  /** The page, from 1. */
  page?: number;
  /** The number of items per page. */
  per_page?: number;
  /** Only checks with this level. */
  risk_level?: RiskLevel;
  /** Only checks with this action. */
  action_taken?: FraudDecision;
  /** Only checks assigned to this user. */
  owner_id?: number;
  /** The sort field. */
  sort?: "expected_loss" | "due_at" | "risk_score" | "created_at";
  /** The sort direction. */
  order?: SortDirection;
}

export interface QueuedCheck {
  /** Identifies the check. */
  id: number;
  /** 0 to 100. */
  risk_score: number;
  /** The risk level. */
  risk_level: RiskLevel;
  /** The action that was taken. */
  action_taken: FraudDecision;
  /** Labels of the signals, the heaviest first. */
  detected_signals: string[];
  order: CheckOrder;
  /** The total of the order. */
  order_total: string;
  customer: CheckCustomer;
  /** The user it is assigned to. */
  owner_id: number | null;
  /** When the review is due. */
  due_at: string | null;
  /** The average loss if the order goes through. */
  expected_loss: string;
  /** When, in UTC. */
  created_at: string;
}

export interface Riskiest {
  /** How many to review per day, from the settings. */
  budget: number;
  checks: QueuedCheck[];
}

export interface FraudSettingsAnswer {
  settings: FraudSettings;
  /** Under a comprehensive embargo. */
  sanctioned_countries: string[];
  /** Countries that count a few points. */
  high_risk_countries: string[];
  /** Extension: data without a loaded list, which is therefore never detected. */
  missing_lists: string[];
}

export interface FraudSettings {
  /** Whether orders are judged. */
  fraud_detection_enabled?: boolean;
  /** The score from which the action applies: 80, 60, 40. */
  fraud_sensitivity_level?: FraudSensitivity;
  /** The action from that score on. */
  fraud_action?: FraudAction;
  /** Block VPNs regardless of the score. */
  fraud_block_vpn?: boolean;
  /** Block open proxies. */
  fraud_block_proxy?: boolean;
  /** Block hosting providers. */
  fraud_block_datacenter?: boolean;
  /** Block Tor exits. */
  fraud_block_tor?: boolean;
  /** Block countries under embargo. */
  fraud_block_sanctioned_countries?: boolean;
  /** Compare IP country and billing country. */
  fraud_check_geo_mismatch?: boolean;
  /** Check the velocity limits. */
  fraud_check_velocity?: boolean;
  /** Detect disposable mailboxes. */
  fraud_check_disposable_email?: boolean;
  /** Extension: judge an order again when its payment brings new facts. */
  fraud_judge_at_payment?: boolean;
  /** Extension: checkout creates the account, so its first minute is not suspicious. */
  fraud_accounts_made_at_checkout?: boolean;
  /** Extension: adjustments to the points of signals, by name. */
  fraud_signal_points?: Record<string, number>;
  /** Orders per IP address, 1 to 100. */
  fraud_velocity_limit_orders_per_ip?: number;
  /** Orders per mailbox, 1 to 50. */
  fraud_velocity_limit_orders_per_email?: number;
  /** Extension: declined payments, 1 to 50. */
  fraud_velocity_limit_declines?: number;
  /** The velocity window, 15 to 1440 minutes. */
  fraud_velocity_window_minutes?: number;
  /** Extension: how long a review may take, 1 to 720. */
  fraud_review_due_hours?: number;
  /** Extension: what happens to a held order then. */
  fraud_review_when_due?: FraudWhenDue;
  /** Extension: how many of the riskiest allowed orders of a day to review, 0 to 1000. */
  fraud_review_daily_budget?: number;
  /** Countries blocked regardless of the score. */
  fraud_custom_blocked_countries?: string[];
  /** The number of trusted IP addresses. */
  fraud_whitelisted_ips_count?: number;
  /** The number of trusted e-mail addresses. */
  fraud_whitelisted_emails_count?: number;
}

export interface IpBody {
  /** IPv4 or IPv6. */
  ip: string;
}

export interface WhitelistedIps {
  /** All trusted IP addresses, sorted. */
  whitelisted_ips: string[];
}

export interface EmailBody {
  /** Case does not matter. */
  email: string;
}

export interface WhitelistedEmails {
  /** All trusted e-mail addresses, sorted. */
  whitelisted_emails: string[];
}

export interface FraudList {
  /** Identifies the list. */
  id: number;
  /** The name that rules use after an @. */
  name: string;
  /** The kind of its entries. */
  kind: "country" | "customer" | "device" | "domain" | "email" | "instrument" | "ip" | "player";
  /** What it is for. */
  note: string | null;
  /** How many entries it has. */
  entries_count: number;
  /** When, in UTC. */
  created_at: string;
}

export interface FraudListBody {
  /** The name that rules use after an @: lower-case letters, digits and underscores. */
  name: string;
  /** The kind of its entries. */
  kind: "email" | "domain" | "ip" | "device" | "instrument" | "player" | "country" | "customer";
  /** What it is for. */
  note?: string | null;
}

export interface ListFraudListEntriesQuery {
  /** The page, from 1. */
  page?: number;
  /** The number of items per page. */
  per_page?: number;
  /** Only this entry, in its stored form. */
  value?: string;
}

export interface ListEntry {
  /** The entry in its stored form; an instrument is a hash. */
  value: string;
  /** Why it exists. */
  reason: string | null;
  /** The user who added it. */
  added_by: number;
  /** When it expires; null means never. */
  expires_at: string | null;
  /** When, in UTC. */
  created_at: string;
}

export interface EntriesBody {
  /** The entries. */
  values: string[];
  /** Why they are added. */
  reason?: string | null;
  /** When they expire. */
  expires_at?: string | null;
}

export interface EntryBody {
  /** As it was sent, or in its stored form. */
  value: string;
}

export interface FraudRule {
  /** Identifies the rule. */
  id: number;
  /** The name of the rule. */
  name: string;
  /** The condition that orders must match. */
  expression: string;
  /** The action for matching orders. */
  action: FraudRuleAction;
  /** With the action `points`, the points added to the score; otherwise 0. */
  points: number;
  /** In `shadow` mode, matches are only counted. */
  mode: FraudRuleMode;
  /** Why it exists. */
  note: string | null;
  /** When it expires; null means never. */
  expires_at: string | null;
  /** Matches since the expression last changed. */
  hits: Tally;
  /** The user who changed it last. */
  updated_by: number;
  /** When, in UTC. */
  created_at: string;
  /** When, in UTC. */
  updated_at: string;
}

export interface FraudRuleBody {
  /** The name of the rule. */
  name: string;
  /** The condition that orders must match. */
  expression: string;
  /** The action for matching orders. */
  action: FraudRuleAction;
  /** With the action `points`: the points added to the score. */
  points?: number;
  /** In `shadow` mode, matches are only counted. */
  mode?: FraudRuleMode;
  /** Why it exists. */
  note?: string | null;
  /** When it expires. */
  expires_at?: string | null;
}

export interface FraudRuleChanges {
  /** The name of the rule. */
  name?: string;
  /** The condition that orders must match. */
  expression?: string;
  /** The action for matching orders. */
  action?: FraudRuleAction;
  /** With the action `points`: the points added to the score. */
  points?: number;
  /** In `shadow` mode, matches are only counted. */
  mode?: FraudRuleMode;
  /** Why it exists. */
  note?: string | null;
  /** When it expires. */
  expires_at?: string | null;
}

export interface TakeCommandsQuery {
  /** How many at most. */
  limit?: number;
  /** Seconds to wait for a command. */
  wait?: number;
  /** Ids of the players who are online, separated by commas. Commands that need a player are then handed out for these only; without it, all are. */
  online?: string;
}

export interface LeasedCommand {
  /** Identifies the command. */
  id: number;
  /** Why it was queued. */
  cause: CommandCause;
  /** What the server runs. */
  text: string;
  player: Player | null;
  /** Whether it may be run only while the player is online. */
  needs_player_online: boolean;
  /** 1 if it was never handed out before. */
  attempt: number;
  /** After this time it is handed out again, under the same id. */
  leased_until: string;
}

export interface ResultsBody {
  /** The results. */
  results: ResultBody[];
}

export interface ResultBody {
  /** The command. */
  id: number;
  /** Whether it succeeded. */
  ok: boolean;
  /** What the game answered; stored up to 2,000 characters. */
  output?: string | null;
  /** With `false` a failure is final: it may have been run, and staff decide. */
  retry?: boolean;
}

export interface RecordedResults {
  /** Results of commands of this server, also those reported before. */
  recorded: number;
  /** Results of commands that this server does not have. */
  unknown: number;
}

export interface ListGiftCardsQuery {
  /** The page, from 1. */
  page?: number;
  /** The number of items per page. */
  per_page?: number;
  /** Only cards in this state. */
  status?: GiftCardStatus;
  /** Only cards in this currency. */
  currency?: string;
  /** Only cards for this e-mail address. */
  recipient_email?: string;
  /** Only cards of this customer. */
  customer_id?: number;
  /** Only cards bought in this order. */
  order_id?: number;
  /** Part of the recipient's name or e-mail address, or the end of the code. */
  search?: string;
  /** Cards created on this UTC day or later. */
  from?: string;
  /** Cards created on this UTC day or earlier. */
  to?: string;
  /** The sort field. */
  sort?: "id" | "created_at" | "balance" | "expires_at";
  /** The sort direction. */
  order?: SortDirection;
}

export type GiftCardStatus = "scheduled" | "active" | "redeemed" | "expired" | "revoked";

export interface GiftCard {
  /** Identifies the gift card. */
  id: number;
  /** The masked code, which shows only its end. */
  masked_code: string;
  /** The initial balance. */
  initial_balance: string;
  /** The current balance. */
  balance: string;
  /** ISO 4217. */
  currency: string;
  /** The current status of the card. */
  status: GiftCardStatus;
  /** The recipient. */
  recipient_email: string | null;
  /** The recipient's name. */
  recipient_name: string | null;
  /** The sender. */
  sender_name: string | null;
  /** The message of the sender. */
  message: string | null;
  /** The customer it belongs to. */
  customer_id: number | null;
  /** The order it was bought in. */
  order_id: number | null;
  /** When it becomes valid; null means immediately. */
  starts_at: string | null;
  /** When it expires; null means never. */
  expires_at: string | null;
  /** A note for the staff. */
  note: string | null;
  /** When it was last e-mailed. */
  sent_at: string | null;
  /** How often it was e-mailed. */
  send_count: number;
  /** When it was last redeemed. */
  last_used_at: string | null;
  /** When it was revoked. */
  revoked_at: string | null;
  /** Why it was revoked. */
  revoke_reason: string | null;
  /** When, in UTC. */
  created_at: string;
  /** When, in UTC. */
  updated_at: string;
}

export interface GiftCardStatistics {
  /** All gift cards. */
  total: number;
  by_status: GiftCardCounts;
  currencies: GiftCardCurrency[];
}

export interface GiftCardCounts {
  /** Cards that are not valid yet. */
  scheduled: number;
  /** Cards that can be redeemed. */
  active: number;
  /** Cards with no balance left. */
  redeemed: number;
  /** Expired cards with a balance. */
  expired: number;
  /** Revoked cards. */
  revoked: number;
}

export interface GiftCardCurrency {
  /** ISO 4217. */
  currency: string;
  /** Gift cards in this currency. */
  total: number;
  by_status: GiftCardCounts;
  /** The sum of initial balances. */
  total_issued_value: string;
  /** What can still be redeemed, now or later. */
  outstanding_balance: string;
  /** The redeemed amount, minus refunds to cards. */
  total_redeemed_value: string;
  /** The balance of expired cards. */
  expired_value: string;
  /** The amount removed from cards that were revoked or refunded. */
  revoked_value: string;
  /** The redeemed share of the issued amount, in percent. */
  redemption_rate: number;
}

export interface GiftCardDetail {
  /** Identifies the gift card. */
  id: number;
  /** The masked code, which shows only its end. */
  masked_code: string;
  /** The initial balance. */
  initial_balance: string;
  /** The current balance. */
  balance: string;
  /** ISO 4217. */
  currency: string;
  /** The current status of the card. */
  status: GiftCardStatus;
  /** The recipient. */
  recipient_email: string | null;
  /** The recipient's name. */
  recipient_name: string | null;
  /** The sender. */
  sender_name: string | null;
  /** The message of the sender. */
  message: string | null;
  /** The customer it belongs to. */
  customer_id: number | null;
  /** The order it was bought in. */
  order_id: number | null;
  /** When it becomes valid; null means immediately. */
  starts_at: string | null;
  /** When it expires; null means never. */
  expires_at: string | null;
  /** A note for the staff. */
  note: string | null;
  /** When it was last e-mailed. */
  sent_at: string | null;
  /** How often it was e-mailed. */
  send_count: number;
  /** When it was last redeemed. */
  last_used_at: string | null;
  /** When it was revoked. */
  revoked_at: string | null;
  /** Why it was revoked. */
  revoke_reason: string | null;
  /** When, in UTC. */
  created_at: string;
  /** When, in UTC. */
  updated_at: string;
  /** Every change of the balance. */
  transactions: GiftCardTransaction[];
}

export interface GiftCardTransaction {
  /** Identifies the transaction. */
  id: number;
  /** What happened. */
  type: "issue" | "redeem" | "refund" | "revoke";
  /** Signed; the amounts of a card add up to its balance. */
  amount: string;
  /** The balance after the transaction. */
  balance_after: string;
  /** The order it belongs to. */
  order_id: number | null;
  /** The reference of the caller. */
  reference: string | null;
  /** When, in UTC. */
  created_at: string;
}

export interface ValidateBody {
  /** Case, spaces and hyphens do not matter. */
  code: string;
  /** The amount to pay. */
  amount?: string | number | null;
}

export interface GiftCardValidation {
  /** Whether it can be redeemed now. */
  valid: boolean;
  /** Why not: `not_found`, `scheduled`, `expired`, `revoked`, `redeemed` or `disputed`. */
  reason: string | null;
  gift_card: GiftCard | null;
  /** How much of the amount it can pay; without an amount, its balance. */
  applicable_amount: string;
}

export interface RedeemBody {
  /** At most the balance of the card. */
  amount: string | number;
  /** The order it is for; only recorded. */
  order_id?: number | null;
  /** The reference of the caller; makes it safe to repeat the call. */
  reference?: string | null;
}

export interface RedeemedGiftCard {
  /** The gift card. */
  gift_card_id: number;
  /** The masked code, which shows only its end. */
  masked_code: string;
  /** The redeemed amount. */
  amount: string;
  /** The remaining balance. */
  balance: string;
  /** ISO 4217. */
  currency: string;
  transaction: GiftCardTransaction;
}

export interface RevokeBody {
  /** Why it is revoked. */
  reason?: string | null;
}

export interface ResendBody {
  /** By default the e-mail address of the recipient. */
  email?: string | null;
}

export interface SentGiftCard {
  /** The e-mail address it was sent to. */
  sent_to: string;
  /** When, in UTC. */
  sent_at: string;
  /** How often it was e-mailed in total. */
  send_count: number;
}

export interface GiftCardChanges {
  /** The recipient. */
  recipient_email?: string | null;
  /** The recipient's name. */
  recipient_name?: string | null;
  /** The message of the sender. */
  message?: string | null;
  /** In the future; null means never. */
  expires_at?: string | null;
  /** A note for the staff. */
  note?: string | null;
}

export interface ListOrdersQuery {
  /** The page, from 1. */
  page?: number;
  /** The number of items per page. */
  per_page?: number;
  /** Created on this UTC day or later. */
  from?: string;
  /** Created on this UTC day or earlier. */
  to?: string;
  /** The text to search for, case-insensitive. */
  search?: string;
  /** The sort direction. */
  order?: SortDirection;
  /** Only orders in this state. */
  status?: OrderStatus;
  /** Only orders of this customer. */
  customer_id?: number;
  /** Only orders of the customer with this e-mail address. */
  email?: string;
  /** The order with this id in the store's own system. */
  external_id?: string;
  /** Only orders with this product. */
  product_id?: number;
  /** Only orders with this coupon. */
  coupon_code?: string;
  /** Only orders with this payment method. */
  payment_method?: string;
  /** The billing country, ISO 3166-1 alpha-2. */
  country?: string;
  /** At least this total. */
  min_total?: string | number;
  /** At most this total. */
  max_total?: string | number;
  /** Only orders with this risk level. */
  risk_level?: RiskLevel;
  /** The sort field; unpaid orders count as earliest. */
  sort?: "id" | "created_at" | "paid_at" | "total";
}

export interface Order {
  /** Identifies the order. */
  id: number;
  /** What customers see. */
  order_number: string;
  /** The status of the order. */
  status: OrderStatus;
  customer: OrderCustomer;
  items: OrderItem[];
  /** An amount in the order's currency. */
  subtotal: string;
  /** The coupon discount. */
  discount_total: string;
  /** An amount in the order's currency. */
  total: string;
  /** The amount a gift card pays. */
  gift_card_total: string;
  /** What is left to pay; `0.00` once it is paid or cancelled. */
  amount_due: string;
  /** The sum of refunds. */
  refunded_total: string;
  /** ISO 4217. */
  currency: string;
  /** The coupon that was used. */
  coupon_code: string | null;
  /** The referral code of the customer's referrer. */
  referral_code: string | null;
  /** As sent by the store. */
  payment_method: string | null;
  /** The payment provider's id. */
  transaction_id: string | null;
  /** The IP address of the order. */
  ip_address: string | null;
  /** ISO 3166-1 alpha-2. */
  billing_country: string | null;
  fraud: OrderFraud | null;
  /** Why it was cancelled. */
  cancel_reason: string | null;
  /** The id of the order in the store's own system. */
  external_id: string | null;
  /** Custom data of the store. */
  metadata: Record<string, string | number | boolean | null>;
  /** When, in UTC. */
  created_at: string;
  /** When, in UTC. */
  updated_at: string;
  /** When it was paid; also set while the payment is held. */
  paid_at: string | null;
  /** When everything was delivered. */
  completed_at: string | null;
  /** When it was cancelled. */
  cancelled_at: string | null;
  /** When it was last refunded. */
  refunded_at: string | null;
  /** The note from fulfilment. */
  fulfillment_note: string | null;
  /** The buyer's page; only in the Store API, and only with a public URL. */
  page_url: string | null;
  /** Extension: who gets it, if not the buyer. */
  player: Player | null;
  /** Extension: what is known of the payment method. */
  payment: OrderPayment | null;
  /** Extension: the tax in the total, as the checkout reported it. */
  tax_total: string | null;
  /** Extension: in per cent. */
  tax_rate: string | null;
  /** Extension: where it is due, ISO 3166-1 alpha-2. */
  tax_country: string | null;
}

export interface OrderCustomer {
  /** Identifies the customer. */
  id: number;
  /** The customer's name. */
  name: string;
  /** The customer's e-mail address. */
  email: string;
}

export interface OrderItem {
  /** Identifies the line. */
  id: number;
  /** The product. */
  product_id: number;
  /** The name at the time of the order. */
  product_name: string;
  /** The sku at the time of the order. */
  sku: string | null;
  /** How many. */
  quantity: number;
  /** An amount in the order's currency. */
  price: string;
  /** An amount in the order's currency. */
  total: string;
  /** The delivered quantity. */
  fulfilled_quantity: number;
}

export interface OrderFraud {
  /** The fraud check. */
  check_id: number;
  /** 0 to 100. */
  risk_score: number;
  /** The risk level. */
  risk_level: RiskLevel;
  /** The decision. */
  action_taken: FraudDecision;
}

export interface OrderPayment {
  /** The country that issued the card. */
  country: string | null;
  /** The type of the card. */
  funding: CardFunding | null;
  /** The result of the bank's challenge. */
  three_d_secure: ThreeDSecure | null;
  /** The first digits of the card. */
  bin: string | null;
  /** The same for the same card; a hash. */
  instrument_id: string | null;
}

export type CardFunding = "credit" | "debit" | "prepaid" | "unknown";

export type ThreeDSecure = "passed" | "failed" | "not_used";

export interface FulfillBody {
  /** Only these lines; by default everything that is left. */
  items?: DeliveredBody[] | null;
  /** Stored with the order. */
  note?: string | null;
}

export interface DeliveredBody {
  /** The line: `id` in the order's `items`. */
  item_id: number;
  /** The quantity delivered now. */
  quantity: number;
}

export interface OrderGood {
  /** The line of the order. */
  item_id: number;
  /** The product. */
  product_id: number;
  /** What it is. */
  kind: GoodKind;
  /** What became of it. */
  state: GoodState;
  /** The end of a key or of a gift card's code. */
  masked: string | null;
  /** When it was delivered. */
  delivered_at: string | null;
  /** When the buyer first looked at it. */
  revealed_at: string | null;
  /** When it ends; null means never. */
  expires_at: string | null;
  /** The game server that gives it, if one does. */
  server: string | null;
  /** Whether the server gives it only while the player is online. */
  needs_player_online: boolean;
  /** The command that gives it, if one does. */
  command_id: number | null;
  /** What the server answered. */
  output: string | null;
}

export type GoodKind = "key" | "file" | "command" | "gift_card" | "manual";

export type GoodState = "waiting" | "delivered" | "failed" | "revoked" | "replaced" | "expired";

export interface ReplaceKeyBody {
  /** The key of that line. */
  key_id: number;
  /** Why, for the supplier. */
  reason: string;
}

export interface ReplacedKey {
  /** The key that does not work. */
  replaced_key_id: number;
  /** The key that was given instead. */
  key_id: number;
}

export interface ReadEvidenceQuery {
  /** As it was when this dispute was opened; by default as it is now. */
  dispute_id?: number;
}

export interface Evidence {
  order: Order;
  customer: EvidenceCustomer;
  network: EvidenceNetwork;
  /** The device of the order. */
  device_id: string | null;
  /** Who gets it, if not the buyer. */
  player: Player | null;
  /** Null before the payment. */
  payment: EvidencePayment | null;
  /** What was handed over. */
  goods: EvidenceGood[];
  /** E-mails to the buyer since the order. */
  emails: EvidenceEmail[];
  /** Tickets about the order. */
  tickets: EvidenceTicket[];
  /** Earlier paid orders of the customer. */
  earlier_orders: EarlierOrder[];
  compelling_evidence: CompellingEvidence;
  /** When, in UTC. */
  created_at: string;
}

export interface EvidenceCustomer {
  /** Identifies the customer. */
  id: number;
  /** The customer's name. */
  name: string;
  /** The customer's e-mail address. */
  email: string;
  /** When, in UTC. */
  created_at: string;
}

export interface EvidenceNetwork {
  /** The IP address of the order. */
  ip_address: string | null;
  /** Its country, ISO 3166-1 alpha-2. */
  country: string | null;
}

export interface EvidencePayment {
  /** When, in UTC. */
  paid_at: string;
  /** The amount paid without a gift card. */
  amount: string;
  /** ISO 4217. */
  currency: string;
  /** As sent by the store. */
  method: string | null;
  /** The payment provider's id. */
  transaction_id: string | null;
  /** The country of the card. */
  country: string | null;
  /** Credit, debit or prepaid. */
  funding: CardFunding | null;
  /** What 3-D Secure answered. */
  three_d_secure: ThreeDSecure | null;
}

export interface EvidenceGood {
  /** The line of the order. */
  item_id: number;
  /** The product. */
  product_id: number;
  /** What it is. */
  kind: GoodKind;
  /** What became of it. */
  state: GoodState;
  /** The end of a key or of a gift card's code. */
  masked: string | null;
  /** When it was delivered. */
  delivered_at: string | null;
  /** When the buyer first looked at it. */
  revealed_at: string | null;
  /** When it ends; null means never. */
  expires_at: string | null;
  /** The game server that gives it, if one does. */
  server: string | null;
  /** Whether the server gives it only while the player is online. */
  needs_player_online: boolean;
  /** The command that gives it, if one does. */
  command_id: number | null;
  /** What the server answered. */
  output: string | null;
  /** The player that a command gave it to. */
  player: Player | null;
  /** When the store first read it, for its own pages. */
  handed_at: string | null;
  /** When the server reported that it was done; null if staff declared it delivered. */
  acknowledged_at: string | null;
  /** The name at the time of the order. */
  product_name: string;
  /** When the buyer looked at it on the page of the order. */
  looks: Look[];
}

export interface Look {
  /** When, in UTC. */
  at: string;
  /** From where. */
  ip_address: string | null;
  /** With which browser. */
  user_agent: string | null;
}

export interface EvidenceEmail {
  /** What it was about. */
  kind: string;
  /** Its subject. */
  subject: string;
  /** To whom. */
  to_email: string;
  /** `sent` if the mail server took it. */
  status: string;
  /** When, in UTC. */
  at: string;
}

export interface EvidenceTicket {
  /** Identifies the ticket. */
  id: number;
  /** What customers see. */
  ticket_number: string;
  /** Its subject. */
  subject: string;
  /** When, in UTC. */
  created_at: string;
  /** Without internal notes; the oldest first. */
  messages: EvidenceMessage[];
}

export interface EvidenceMessage {
  /** Who wrote it. */
  author_type: AuthorType;
  /** What was written. */
  body: string;
  /** When, in UTC. */
  at: string;
}

export type AuthorType = "customer" | "staff" | "system";

export interface EarlierOrder {
  /** The order. */
  order_id: number;
  /** What customers see. */
  order_number: string;
  /** The status of the order. */
  status: OrderStatus;
  /** Its total. */
  total: string;
  /** ISO 4217. */
  currency: string;
  /** When it was paid. */
  paid_at: string | null;
}

export interface CompellingEvidence {
  /** Whether at least two earlier orders count. */
  qualifies: boolean;
  /** Undisputed orders of the same instrument, paid 120 to 365 days before, that share the IP address or the device and one more. */
  orders: MatchingOrder[];
  /** What all of them share with this order. */
  matches: EvidenceMatch[];
}

export interface MatchingOrder {
  /** The order. */
  order_id: number;
  /** What customers see. */
  order_number: string;
  /** When, in UTC. */
  paid_at: string;
  /** What it shares with the disputed order. */
  matches: EvidenceMatch[];
}

export type EvidenceMatch = "customer" | "email" | "player" | "ip_address" | "device";

export interface ListPaymentEventsQuery {
  /** The page, from 1. */
  page?: number;
  /** The number of items per page. */
  per_page?: number;
  /** Only events in this state. */
  status?: PaymentEventStatus;
  /** Only events of this source. */
  source_id?: number;
  /** Only events of this order. */
  order_id?: number;
  /** Only events of this type. */
  type?: string;
  /** The sort field. */
  sort?: "id";
  /** The sort direction. */
  order?: SortDirection;
}

export type PaymentEventStatus = "waiting" | "applied" | "unmatched" | "ignored";

export interface PaymentEvent {
  /** Identifies the event. */
  id: number;
  /** The source. */
  source_id: number;
  /** The provider's id of the event. */
  provider_event_id: string;
  /** The provider's type of the event. */
  type: string;
  /** What it does to an order; null if nothing. */
  operation: PaymentOperation | null;
  /** What became of it. */
  status: PaymentEventStatus;
  /** Why, where there is more to say. */
  reason: PaymentEventReason | null;
  /** The order it was applied to, or compared with. */
  order_id: number | null;
  /** The amount that the provider reports. */
  amount: string | null;
  /** ISO 4217. */
  currency: string | null;
  /** When, in UTC. */
  created_at: string;
  /** When it was applied. */
  applied_at: string | null;
}

export type PaymentOperation = "paid" | "declined" | "refunded" | "dispute_opened" | "dispute_won" | "dispute_lost" | "early_warning";

export type PaymentEventReason = "order_not_found" | "order_ambiguous" | "payment_missing" | "amount_differs" | "currency_differs" | "already_paid" | "already_recorded" | "order_cancelled" | "order_on_hold" | "test_mode";

export interface MatchBody {
  /** The order. */
  order_id: number;
  /** Also if the amount or the currency differs. */
  accept_difference?: boolean;
}

export interface PaymentSource {
  /** Identifies the source. */
  id: number;
  /** The payment provider. */
  provider: PaymentProvider;
  /** The name, for staff. */
  name: string;
  /** To enter at the provider; only a path if the store has no public URL. */
  url: string;
  /** Whether its events are accepted. */
  is_active: boolean;
  /** Whether events of the provider's test mode are applied. */
  is_test: boolean;
  /** When the last event came, to the minute. */
  last_event_at: string | null;
  /** When, in UTC. */
  created_at: string;
  /** When, in UTC. */
  updated_at: string;
}

export type PaymentProvider = "stripe" | "paypal";

export interface PaymentSourceBody {
  /** The name, for staff. */
  name: string;
  /** Stripe: the signing secret of the endpoint. PayPal: the webhook id. Never shown again. */
  secret: string;
  /** Whether events of the provider's test mode are applied. */
  is_test?: boolean;
  /** The payment provider. */
  provider: PaymentProvider;
}

export interface PaymentSourceChanges {
  /** The name, for staff. */
  name?: string;
  /** Stripe: the signing secret of the endpoint. PayPal: the webhook id. Never shown again. */
  secret?: string;
  /** Whether events of the provider's test mode are applied. */
  is_test?: boolean;
  /** Whether its events are accepted. */
  is_active?: boolean;
}

export interface ListProductsQuery {
  /** The page, from 1. */
  page?: number;
  /** The number of items per page. */
  per_page?: number;
  /** Created on this UTC day or later. */
  from?: string;
  /** Created on this UTC day or earlier. */
  to?: string;
  /** The text to search for, case-insensitive. */
  search?: string;
  /** The sort direction. */
  order?: SortDirection;
  /** Only products in this state. */
  status?: ProductStatus;
  /** Only products with this delivery type. */
  delivery_type?: DeliveryType;
  /** Only products with this billing type. */
  billing_type?: BillingType;
  /** Only products in this category. */
  category?: string;
  /** Only products with this tag. */
  tag?: string;
  /** Whether the product is in stock; unlimited counts as in stock. */
  in_stock?: boolean;
  /** At least this price. */
  min_price?: string | number;
  /** At most this price. */
  max_price?: string | number;
  /** The sort field; an unlimited stock counts as the largest. */
  sort?: "id" | "name" | "price" | "stock" | "sales_count" | "created_at" | "updated_at";
}

export type ProductStatus = "draft" | "active" | "archived";

export type DeliveryType = "keys" | "file" | "command" | "manual" | "gift_card";

export type BillingType = "one_time" | "recurring";

export interface Product {
  /** Identifies the product. */
  id: number;
  /** What customers see. */
  name: string;
  /** Unique; generated from the name at creation, does not change with the name. */
  slug: string;
  /** The stock keeping unit, unique. */
  sku: string | null;
  /** The description. */
  description: string | null;
  /** How it is delivered. */
  delivery_type: DeliveryType;
  /** Paid once or every period. */
  billing_type: BillingType;
  /** Unit of the period; null if paid once. */
  billing_interval: BillingInterval | null;
  /** Units in a period; null if paid once. */
  billing_interval_count: number | null;
  /** Only active products can be bought. */
  status: ProductStatus;
  /** The unit price. */
  price: string;
  /** A higher price, shown struck through. */
  compare_at_price: string | null;
  /** Currency of the prices. */
  currency: string;
  /** The stock; null means unlimited. */
  stock: number | null;
  /** The stock level; low is 1 to 5. */
  stock_status: "in_stock" | "low_stock" | "out_of_stock" | "unlimited";
  /** The maximum quantity per order; null means no limit. */
  max_per_order: number | null;
  /** The category. */
  category: string | null;
  /** Tags to find it by. */
  tags: string[];
  /** The URL of its image. */
  image_url: string | null;
  /** Extension: what a `file` product hands over. */
  file_url: string | null;
  /** Extension: for how long it is valid; null means forever. */
  valid_days: number | null;
  /** Extension: keys that are not sold, with those reserved; null for other delivery types. */
  keys_available: number | null;
  /** Extension: what it runs on game servers. */
  commands: ProductCommand[];
  /** The number of units sold. */
  sales_count: number;
  /** Custom data of the store. */
  metadata: Record<string, string | number | boolean | null>;
  /** When, in UTC. */
  created_at: string;
  /** When, in UTC. */
  updated_at: string;
}

export type BillingInterval = "day" | "week" | "month" | "year";

export interface ProductCommand {
  /** The server that runs it. */
  server_id: number;
  /** When it is run. */
  on: CommandCause;
  /** The command, with variables. */
  text: string;
  /** Whether it waits until the player is online. */
  needs_player_online: boolean;
  /** How long it waits first. */
  delay_minutes: number;
}

export interface KeysBody {
  /** The keys. */
  keys: string[];
  /** The name of the delivery. */
  batch?: string | null;
  /** What one key cost, in the product's currency. */
  unit_cost?: string | number | null;
}

export interface KeysAdded {
  /** How many keys are new. */
  added: number;
  /** How many were skipped: the product had them, or they came twice. */
  already_known: number;
  /** The stock afterwards. */
  stock: number;
}

export interface ListKeysQuery {
  /** The page, from 1. */
  page?: number;
  /** The number of items per page. */
  per_page?: number;
  /** Only keys with this status. */
  status?: KeyStatus;
  /** Only keys of this batch. */
  batch?: string;
  /** Only keys of this order. */
  order_id?: number;
  /** The sort field. */
  sort?: "id";
  /** The sort direction. */
  order?: SortDirection;
}

export type KeyStatus = "available" | "assigned" | "replaced" | "revoked" | "withdrawn";

export interface ProductKey {
  /** Identifies the key. */
  id: number;
  /** The key with all but its end hidden. */
  masked_key: string;
  /** Whether it can be sold, or what became of it. */
  status: KeyStatus;
  /** The batch it was added with. */
  batch: string | null;
  /** The order it was sold in. */
  order_id: number | null;
  /** The line of that order. */
  item_id: number | null;
  /** When it was sold. */
  assigned_at: string | null;
  /** When the buyer first looked at it. */
  revealed_at: string | null;
  /** When, in UTC. */
  created_at: string;
}

export interface KeyBatch {
  /** The batch; null for keys that were added without one. */
  batch: string | null;
  /** What one key cost, in the product's currency. */
  unit_cost: string | null;
  /** All keys of the batch. */
  added: number;
  /** Those that can be sold. */
  available: number;
  /** Those that buyers have. */
  assigned: number;
  /** Those that were replaced by another. */
  replaced: number;
  /** Those of refunded and fraudulent orders. */
  revoked: number;
  /** Those taken back before they were sold. */
  withdrawn: number;
  /** When, in UTC. */
  created_at: string;
}

export interface WithdrawBody {
  /** All keys of this batch. */
  batch?: string | null;
  /** These keys. */
  key_ids?: number[] | null;
}

export interface KeysWithdrawn {
  /** How many were taken from the stock. */
  withdrawn: number;
  /** Those that buyers already have. */
  already_assigned: AssignedKey[];
}

export interface AssignedKey {
  /** The key. */
  key_id: number;
  /** The order of the buyer who has it. */
  order_id: number;
}

export interface RevealedKey {
  /** Identifies the key. */
  id: number;
  /** The whole key. */
  key: string;
}

export interface ListReferralsQuery {
  /** The page, from 1. */
  page?: number;
  /** The number of items per page. */
  per_page?: number;
  /** Only referrals in this state. */
  status?: ReferralStatus;
  /** Part of a name or e-mail address, case-insensitive. */
  search?: string;
}

export type ReferralStatus = "pending" | "successful";

export interface Referral {
  /** Identifies the referred customer. */
  id: number;
  /** The referred customer's name. */
  name: string;
  /** The referred customer's e-mail address. */
  email: string;
  /** When, in UTC. */
  referred_at: string;
  referrer: Referrer;
  /** `successful` once there is a paid order. */
  status: ReferralStatus;
  /** When the first order was paid. */
  first_order_at: string | null;
}

export interface Referrer {
  /** Identifies the customer. */
  id: number;
  /** The customer's name. */
  name: string;
  /** The customer's e-mail address. */
  email: string;
  /** The referrer's code. */
  referral_code: string;
}

export interface Statistics {
  /** All referred customers. */
  total_referrals: number;
  /** Those with a purchase. */
  successful_referrals: number;
  /** Percentage of referrals that converted. */
  conversion_rate: number;
  /** The number of claims. */
  rewards_claimed: number;
  /** The sum of discounts from used referral coupons in the store's currency. */
  total_coupons_value: number;
}

export interface ListLeaderboardQuery {
  /** The number of entries to return. */
  limit?: number;
}

export interface Leaderboard {
  /** Identifies the customer. */
  id: number;
  /** The customer's name. */
  name: string;
  /** Referrals that count. */
  referral_count: number;
}

export interface ListTopReferrersQuery {
  /** The number of entries to return. */
  limit?: number;
}

export interface TopReferrer {
  /** Identifies the customer. */
  id: number;
  /** The customer's name. */
  name: string;
  /** The customer's e-mail address. */
  email: string;
  /** The referrer's code. */
  referral_code: string;
  /** All customers who registered with the code. */
  total_referrals: number;
  /** Those with a purchase. */
  successful_referrals: number;
  /** The claimed tiers. */
  rewards_claimed: number;
}

export interface CodeBody {
  /** Case and spaces do not matter. */
  code: string;
}

export interface CodeValidation {
  /** Whether the code can be used now. */
  valid: boolean;
  referrer?: CodeOwner;
  /** Only present if the code is not valid. */
  error?: string;
}

export interface ListClaimsQuery {
  /** The page, from 1. */
  page?: number;
  /** The number of items per page. */
  per_page?: number;
}

export interface Claim {
  /** Identifies the claim. */
  id: number;
  customer: ClaimCustomer;
  tier: ClaimTier;
  coupon: ClaimCoupon;
  /** When, in UTC. */
  claimed_at: string;
}

export interface ClaimCustomer {
  /** Identifies the customer. */
  id: number;
  /** The customer's name. */
  name: string;
  /** The customer's e-mail address. */
  email: string;
}

export interface ClaimTier {
  /** Identifies the tier. */
  id: number;
  /** What customers see. */
  name: string;
  /** Referrals needed to unlock the tier. */
  referrals_required: number;
}

export interface ClaimCoupon {
  /** Identifies the coupon. */
  id: number;
  /** What the customer types at checkout. */
  code: string;
  /** 0 or 1: a coupon is used once. */
  times_used: number;
}

export interface ListRefusedReferralsQuery {
  /** The page, from 1. */
  page?: number;
  /** The number of items per page. */
  per_page?: number;
}

export interface RefusedReferral {
  /** Identifies the rejection. */
  id: number;
  customer: ClaimCustomer;
  referrer: ClaimCustomer;
  /** A stable code. */
  reason: "already_referred" | "circular_referral" | "same_device" | "self_referral";
  /** The reason as a sentence. */
  explanation: string;
  /** When, in UTC. */
  created_at: string;
}

export interface ReferralSettings {
  /** Whether codes work and sign-ups are attributed. */
  referral_enabled: boolean;
  /** When a referral counts. */
  referral_reward_event: RewardEvent;
  /** Whether a referred customer receives a coupon at sign-up. */
  referral_welcome_discount_enabled: boolean;
  /** The type of the discount. */
  referral_welcome_discount_type: DiscountType;
  /** Percent, or an amount in the store's currency. */
  referral_welcome_discount_value: number;
}

export type RewardEvent = "signup" | "first_purchase";

export interface ReferralSettingsChanges {
  /** Whether codes work and sign-ups are attributed. */
  referral_enabled?: boolean;
  /** When a referral counts. */
  referral_reward_event?: RewardEvent;
  /** Whether a referred customer receives a coupon at sign-up. */
  referral_welcome_discount_enabled?: boolean;
  /** The type of the discount. */
  referral_welcome_discount_type?: DiscountType;
  /** Percent (at most 100), or an amount in the store's currency. */
  referral_welcome_discount_value?: string | number;
}

export interface Tier {
  /** Identifies the tier. */
  id: number;
  /** What customers see. */
  name: string;
  /** The description of the tier. */
  description: string | null;
  /** Referrals needed to unlock the tier. */
  referrals_required: number;
  /** The type of the reward. */
  reward_type: RewardType;
  /** Percent, or an amount in `reward_currency`. */
  reward_value: string;
  /** Currency of a fixed discount; null for percentages. */
  reward_currency: string | null;
  /** How long a claimed coupon is valid. */
  coupon_validity_days: number;
  /** Only active tiers can be claimed. */
  is_active: boolean;
  /** The position in the list, lowest first. */
  sort_order: number;
  /** The reward as text. */
  formatted_reward: string;
  /** The number of claims. */
  claims_count: number;
  /** When, in UTC. */
  created_at: string;
  /** When, in UTC. */
  updated_at: string;
}

export type RewardType = "percentage_discount" | "fixed_discount";

export interface TierBody {
  /** What customers see. */
  name: string;
  /** The description of the tier. */
  description?: string | null;
  /** Referrals needed to unlock the tier. */
  referrals_required: number;
  /** The type of the reward. */
  reward_type: RewardType;
  /** Percent (at most 100), or an amount in `reward_currency`. */
  reward_value: string | number;
  /** Currency of a fixed discount; by default the store's. Percentages have none. */
  reward_currency?: string | null;
  /** How long a claimed coupon is valid. */
  coupon_validity_days?: number;
  /** Only active tiers can be claimed. */
  is_active?: boolean;
  /** The position in the list, lowest first. */
  sort_order?: number;
}

export interface TierChanges {
  /** What customers see. */
  name?: string;
  /** The description of the tier. */
  description?: string | null;
  /** Referrals needed to unlock the tier. */
  referrals_required?: number;
  /** The type of the reward. */
  reward_type?: RewardType;
  /** Percent (at most 100), or an amount in `reward_currency`. */
  reward_value?: string | number;
  /** Currency of a fixed discount; by default the store's. Percentages have none. */
  reward_currency?: string | null;
  /** How long a claimed coupon is valid. */
  coupon_validity_days?: number;
  /** Only active tiers can be claimed. */
  is_active?: boolean;
  /** The position in the list, lowest first. */
  sort_order?: number;
}

export interface ToggledTier {
  /** Identifies the tier. */
  id: number;
  /** What customers see. */
  name: string;
  /** Whether the tier can be claimed now. */
  is_active: boolean;
  /** The reward as text. */
  formatted_reward: string;
}

export interface Server {
  /** Identifies the server. */
  id: number;
  /** The name, for staff and buyers. */
  name: string;
  /** The game, which says what players' names and ids look like. */
  game: Game;
  /** When it last asked for commands, to the minute. */
  last_seen_at: string | null;
  /** Commands that wait or are being run, counted up to 10,000. */
  waiting: number;
  /** Commands that failed for good, counted up to 10,000. */
  failed: number;
  /** When, in UTC. */
  created_at: string;
  /** When, in UTC. */
  updated_at: string;
}

export interface ServerBody {
  /** The name, for staff and buyers. */
  name: string;
  /** Says what players' names and ids look like. */
  game: Game;
}

export interface NewServer {
  server: Server;
  /** Shown only now. It reads the server's own queue and nothing else. */
  token: string;
}

export interface ServerChanges {
  /** The name, for staff and buyers. */
  name?: string;
  /** Says what players' names and ids look like. */
  game?: Game;
}

export interface ServerToken {
  /** Shown only now. It reads the server's own queue and nothing else. */
  token: string;
}

export interface ResyncBody {
  /** Only what this player got: their id. */
  player?: string | null;
  /** Only what was paid since then. */
  since?: string | null;
}

export interface Resync {
  /** How many commands were queued. */
  queued: number;
}

export interface PreviewBody {
  /** What the buyer typed. */
  code: string;
  /** The buyer; without one, what depends on the buyer is not checked. */
  customer_id?: number | null;
  /** The lines of the cart. */
  items: PreviewLineBody[];
}

export interface PreviewLineBody {
  /** The product. */
  product_id: number;
  /** How many. */
  quantity: number;
}

export interface CouponPreview {
  /** Whether an order with it would be accepted. */
  valid: boolean;
  /** Why not, as a stable code. */
  reason: CouponRejection | null;
  /** What it takes off. */
  discount_total: string;
  /** What is left to pay. */
  total: string;
}

export type CouponRejection = "unknown" | "not_yours" | "scheduled" | "expired" | "inactive" | "used_up" | "used_by_customer" | "not_first_order" | "below_minimum" | "no_product" | "currency";

export interface SignUpBody {
  /** Unique in the store. */
  email: string;
  /** The customer's name. */
  name: string;
  /** The name in the game. */
  username?: string | null;
  /** The id of the customer in the store's own system. */
  external_id?: string | null;
  /** The referrer's code. An unknown one does not prevent the sign-up. */
  referral_code?: string | null;
  /** ISO 3166-1 alpha-2. */
  country?: string | null;
  /** The IP address they register from. */
  ip_address?: string | null;
  /** The storefront's identifier of the device. */
  device_id?: string | null;
  /** Whether the customer accepts campaigns. */
  accepts_marketing?: boolean;
  /** When they registered, for history; needs the scope `store:import`. */
  created_at?: string | null;
}

export interface SignedUp {
  customer: Customer;
  referral: Attribution | null;
  welcome_coupon: Coupon | null;
}

export interface Attribution {
  /** Whether the referral counts for the referrer. */
  attributed: boolean;
  /** Why not, as a stable code. */
  reason: "already_referred" | "circular_referral" | "program_disabled" | "same_device" | "self_referral" | "unknown_code" | null;
  /** Why not, as a sentence. */
  explanation: string | null;
  referrer: CodeOwner | null;
  /** What looks suspicious but is not rejected. */
  marks: string[];
}

export interface Coupon {
  /** Identifies the coupon. */
  id: number;
  /** What the customer types at checkout. */
  code: string;
  /** The type of the discount. */
  discount_type: DiscountType;
  /** Percent, or an amount in `currency`. */
  value: string;
  /** Currency of a fixed discount. */
  currency: string | null;
  /** 0 or 1: a coupon is used once. */
  times_used: number;
  /** When, in UTC. */
  expires_at: string;
}

export interface FindCustomersQuery {
  /** The page, from 1. */
  page?: number;
  /** The number of items per page. */
  per_page?: number;
  /** The customer with this external id. */
  external_id?: string;
  /** The customer with this e-mail address. */
  email?: string;
  /** The customer who is this player, such as `steam:76561198000000000`. */
  identity?: string;
}

export interface CustomerExport {
  /** When, in UTC. */
  exported_at: string;
  customer: Customer;
  /** E-mail addresses that the customer had before. */
  former_emails: string[];
  orders: Order[];
  subscriptions: Subscription[];
  /** Each with all its messages, notes included. */
  support_tickets: TicketDetail[];
  /** Owned by the customer, or sent to their e-mail address. */
  gift_cards: GiftCard[];
  /** Customers who registered with this customer's code. */
  referred: Referred[];
  claims: OwnClaim[];
  /** What the customer is as a creator. */
  creators: Creator[];
  /** What they earned and were paid. */
  creator_ledger: CreatorEntry[];
  fraud_checks: ExportedCheck[];
  traces: Trace[];
  /** What the orders handed over; keys are masked. */
  goods: ExportedGood[];
  /** What payment providers reported about the orders. */
  payment_events: PaymentEvent[];
  emails: SentEmail[];
  /** Changes made by staff. */
  changes: StaffChange[];
}

export interface Subscription {
  /** Identifies the subscription. */
  id: number;
  /** The status of the subscription. */
  status: SubscriptionStatus;
  customer: OrderCustomer;
  product: SubscriptionProduct;
  /** The price per period; it does not change with the price of the product. */
  price: string;
  /** ISO 4217. */
  currency: string;
  /** Unit of the period. */
  interval: BillingInterval;
  /** Units in a period. */
  interval_count: number;
  /** When the latest paid period starts. */
  current_period_start: string;
  /** When it ends and the next one starts. */
  current_period_end: string;
  /** Whether it is cancelled at the end of its period. */
  cancel_at_period_end: boolean;
  /** When it was cancelled. */
  cancelled_at: string | null;
  /** When it ends or ended. */
  ends_at: string | null;
  /** Why it was cancelled. */
  cancel_reason: string | null;
  /** How often it was renewed. */
  renewals_count: number;
  /** The order that paid the latest period. */
  latest_order_id: number | null;
  /** The id of the subscription in the store's own system. */
  external_id: string | null;
  /** Extension: who gets it, if not the buyer. */
  player: Player | null;
  /** When, in UTC. */
  created_at: string;
  /** When, in UTC. */
  updated_at: string;
}

export type SubscriptionStatus = "active" | "cancelled" | "expired";

export interface SubscriptionProduct {
  /** Identifies the product. */
  id: number;
  /** The name at the time of subscribing. */
  name: string;
}

export interface TicketDetail {
  /** Identifies the ticket. */
  id: number;
  /** What customers see. */
  ticket_number: string;
  /** What it is about. */
  subject: string;
  /** `open`: waiting for the staff. `pending`: waiting for the customer. */
  status: TicketStatus;
  /** The priority. */
  priority: TicketPriority;
  /** The category. */
  category: TicketCategory;
  customer: OrderCustomer;
  /** The order it is about. */
  order_id: number | null;
  /** The user it is assigned to. */
  assigned_to: Agent | null;
  /** Messages that the customer sees. */
  messages_count: number;
  /** When the last of these was written. */
  last_message_at: string;
  /** Who wrote it. */
  last_message_by: LastMessageBy;
  /** When the staff first replied. */
  first_response_at: string | null;
  /** When it was resolved or closed. */
  resolved_at: string | null;
  /** When it was closed. */
  closed_at: string | null;
  /** How often it was reopened after it was resolved or closed. */
  reopened_count: number;
  /** When, in UTC. */
  created_at: string;
  /** When, in UTC. */
  updated_at: string;
  /** The newest messages, in chronological order. */
  messages: TicketMessage[];
  /** Send it as `before` to get earlier messages; null if there are none. */
  earlier_before: number | null;
}

export type TicketStatus = "open" | "pending" | "resolved" | "closed";

export type TicketPriority = "low" | "normal" | "high" | "urgent";

export type TicketCategory = "order" | "payment" | "delivery" | "account" | "refund" | "technical" | "other";

export interface Agent {
  /** Identifies the user. */
  id: number;
  /** The user's name. */
  name: string;
}

export type LastMessageBy = "customer" | "staff";

export interface TicketMessage {
  /** Identifies the message. */
  id: number;
  /** Who wrote it; `system` records who did what. */
  author_type: AuthorType;
  /** The author's name at that time. */
  author_name: string;
  /** Plain text. */
  body: string;
  /** Only for staff. */
  is_internal: boolean;
  /** When, in UTC. */
  created_at: string;
}

export interface Referred {
  /** A customer who registered with the code. */
  customer_id: number;
  /** Whether they have a purchase. */
  status: ReferralStatus;
  /** When, in UTC. */
  referred_at: string;
}

export interface OwnClaim {
  /** Identifies the claim. */
  id: number;
  /** The claimed tier. */
  tier_id: number;
  coupon: Coupon;
  /** When, in UTC. */
  claimed_at: string;
}

export interface ExportedCheck {
  /** Identifies the check. */
  id: number;
  /** The order that was judged. */
  order_id: number;
  /** The e-mail address at that time. */
  email: string;
  /** The IP address of the order. */
  ip_address: string | null;
  /** The browser's User-Agent. */
  user_agent: string | null;
  /** ISO 3166-1 alpha-2. */
  detected_country: string | null;
  /** Null if unknown. */
  detected_city: string | null;
  /** 0 to 100. */
  risk_score: number;
  /** The risk level. */
  risk_level: RiskLevel;
  /** The action that was taken. */
  action_taken: FraudDecision;
  /** The outcome of the review. */
  review_outcome: ReviewOutcome | null;
  /** The notes of the reviewer. */
  review_notes: string | null;
  /** When, in UTC. */
  created_at: string;
}

export interface Trace {
  /** What it is. */
  kind: "address" | "device" | "instrument" | "mailbox" | "player";
  /** As it is stored; a payment instrument is a hash. */
  value: string;
  /** When, in UTC. */
  first_seen_at: string;
  /** When, in UTC. */
  last_seen_at: string;
}

export interface ExportedGood {
  /** The line of the order. */
  item_id: number;
  /** The product. */
  product_id: number;
  /** What it is. */
  kind: GoodKind;
  /** What became of it. */
  state: GoodState;
  /** The end of a key or of a gift card's code. */
  masked: string | null;
  /** When it was delivered. */
  delivered_at: string | null;
  /** When the buyer first looked at it. */
  revealed_at: string | null;
  /** When it ends; null means never. */
  expires_at: string | null;
  /** The game server that gives it, if one does. */
  server: string | null;
  /** Whether the server gives it only while the player is online. */
  needs_player_online: boolean;
  /** The order it was bought in. */
  order_id: number;
  /** The player that a command gave it to. */
  player: Player | null;
  /** What the game server answered. */
  output: string | null;
  /** When the buyer looked at it on the page of the order. */
  looks: Look[];
}

export interface SentEmail {
  /** `campaign`, or what it was about. */
  kind: string;
  /** The recipient. */
  to_email: string;
  /** Its subject. */
  subject: string;
  /** How sending it ended. */
  status: string;
  /** When sending it ended. */
  finished_at: string | null;
}

export interface StaffChange {
  /** The action that was taken. */
  action: string;
  /** JSON of the fields before. */
  before: string;
  /** JSON of the fields after. */
  after: string;
  /** When, in UTC. */
  created_at: string;
}

export interface CustomerReferrals {
  /** The customer's own referral code. */
  referral_code: string;
  /** All customers who registered with the code. */
  total_referrals: number;
  /** Those with a purchase. */
  successful_referrals: number;
  /** Those that currently count towards tiers. */
  counted_referrals: number;
  tiers: TierProgress[];
  claims: OwnClaim[];
}

export interface TierProgress {
  /** Identifies the tier. */
  id: number;
  /** What customers see. */
  name: string;
  /** The description of the tier. */
  description: string | null;
  /** The reward as text. */
  formatted_reward: string;
  /** Referrals needed to unlock the tier. */
  referrals_required: number;
  /** How many referrals are missing. */
  referrals_missing: number;
  /** Whether the tier is reached. */
  is_reached: boolean;
  /** Whether it was claimed. */
  is_claimed: boolean;
}

export interface ClaimBody {
  /** The tier. */
  tier_id: number;
}

export interface ListCustomerGoodsQuery {
  /** The page, from 1. */
  page?: number;
  /** The number of items per page. */
  per_page?: number;
  /** Whether they are delivered, and neither expired nor taken back. */
  active?: boolean;
}

export interface OwnedGood {
  /** The line of the order. */
  item_id: number;
  /** The product. */
  product_id: number;
  /** What it is. */
  kind: GoodKind;
  /** What became of it. */
  state: GoodState;
  /** The end of a key or of a gift card's code. */
  masked: string | null;
  /** When it was delivered. */
  delivered_at: string | null;
  /** When the buyer first looked at it. */
  revealed_at: string | null;
  /** When it ends; null means never. */
  expires_at: string | null;
  /** The game server that gives it, if one does. */
  server: string | null;
  /** Whether the server gives it only while the player is online. */
  needs_player_online: boolean;
  /** The order it was bought in. */
  order_id: number;
}

export interface NewGiftCardBody {
  /** 0.01 to 10000.00. */
  initial_balance: string | number;
  /** By default the store's currency. */
  currency?: string | null;
  /** The recipient. */
  recipient_email?: string | null;
  /** The recipient's name. */
  recipient_name?: string | null;
  /** The sender. */
  sender_name?: string | null;
  /** The message of the sender. */
  message?: string | null;
  /** The customer it belongs to. */
  customer_id?: number | null;
  /** When it becomes valid; by default immediately. */
  starts_at?: string | null;
  /** When it expires; by default never. */
  expires_at?: string | null;
  /** A note for the staff. */
  note?: string | null;
  /** A custom code: 8 to 64 letters and digits with hyphens between them. By default generated. */
  code?: string | null;
}

export interface GiftCardWithCode {
  /** Identifies the gift card. */
  id: number;
  /** The masked code, which shows only its end. */
  masked_code: string;
  /** The initial balance. */
  initial_balance: string;
  /** The current balance. */
  balance: string;
  /** ISO 4217. */
  currency: string;
  /** The current status of the card. */
  status: GiftCardStatus;
  /** The recipient. */
  recipient_email: string | null;
  /** The recipient's name. */
  recipient_name: string | null;
  /** The sender. */
  sender_name: string | null;
  /** The message of the sender. */
  message: string | null;
  /** The customer it belongs to. */
  customer_id: number | null;
  /** The order it was bought in. */
  order_id: number | null;
  /** When it becomes valid; null means immediately. */
  starts_at: string | null;
  /** When it expires; null means never. */
  expires_at: string | null;
  /** A note for the staff. */
  note: string | null;
  /** When it was last e-mailed. */
  sent_at: string | null;
  /** How often it was e-mailed. */
  send_count: number;
  /** When it was last redeemed. */
  last_used_at: string | null;
  /** When it was revoked. */
  revoked_at: string | null;
  /** Why it was revoked. */
  revoke_reason: string | null;
  /** When, in UTC. */
  created_at: string;
  /** When, in UTC. */
  updated_at: string;
  /** The full code; shown only now. */
  code: string;
}

export interface OrderBody {
  /** Extension: the tax in the total; it is never computed. */
  tax_total?: string | number | null;
  /** Extension: in per cent. */
  tax_rate?: string | null;
  /** Extension: where the tax is due, ISO 3166-1 alpha-2. */
  tax_country?: string | null;
  /** The customer. */
  customer_id: number;
  /** The lines of the order. */
  items: CartLineBody[];
  /** The IP address of the buyer. */
  ip_address: string;
  /** ISO 3166-1 alpha-2. */
  billing_country?: string | null;
  /** The browser's User-Agent. */
  user_agent?: string | null;
  /** The storefront's identifier of the device. */
  device_id?: string | null;
  /** A coupon that this customer can use; gift cards are not discounted. */
  coupon_code?: string | null;
  /** A gift card that pays as much as its balance allows, except for gift cards. */
  gift_card_code?: string | null;
  /** Extension: who gets it, if not the buyer. */
  player?: PlayerBody | null;
  /** Extension: what the payment provider reports about the payment method. */
  payment?: PaymentBody | null;
  /** The id in the store's own system; sending it again returns the same order. */
  external_id?: string | null;
  /** Stored with the order unchanged. */
  metadata?: Record<string, string | number | boolean | null>;
  /** History: when it was placed; needs `store:import`. */
  created_at?: string | null;
  /** History: when it was paid; needs `store:import`. */
  paid_at?: string | null;
  /** History: when it was delivered; needs `store:import`. */
  completed_at?: string | null;
  /** History: when it was cancelled; needs `store:import`. */
  cancelled_at?: string | null;
  /** History: the final status; needs `store:import`. A missing time is that of the step before. Without it, times and refunds decide. */
  status?: "paid" | "completed" | "partially_refunded" | "refunded" | "cancelled" | null;
  /** History: the discount of the whole order; needs `store:import`. */
  discount?: string | number | null;
  /** History: by default the currency of the products; needs `store:import`. */
  currency?: string | null;
  /** History: the refunds; needs `store:import`. A refunded order without any was refunded in full. */
  refunds?: PastRefundBody[];
  /** The payment method, for history or an order with nothing due. */
  payment_method?: string | null;
}

export interface CartLineBody {
  /** The product. */
  product_id: number;
  /** How many. */
  quantity: number;
  /** History: the unit price at that time, by default the current price; needs `store:import`. */
  price?: string | number | null;
}

export interface PaymentBody {
  /** The provider's fingerprint of the card; stored as a hash. */
  fingerprint?: string | null;
  /** The first digits of the card. */
  bin?: string | null;
  /** The country that issued the card. */
  country?: string | null;
  /** The type of the card. */
  funding?: CardFunding | null;
  /** The result of the bank's challenge. */
  three_d_secure?: ThreeDSecure | null;
}

export interface PastRefundBody {
  /** The refunded amount. */
  amount: string | number;
  /** Why. */
  reason?: string | null;
  /** When it was refunded; by default at the order's last step. */
  created_at?: string | null;
}

export interface PlacedOrder {
  order: Order;
  /** What the checkout must do now: take the payment, wait for a review, verify the customer, or stop. Null if the order is already paid. */
  next: CheckoutStep | null;
  fraud_check: OrderCheck | null;
}

export interface OrderCheck {
  /** The fraud check. */
  id: number;
  /** 0 to 100. */
  risk_score: number;
  /** The risk level. */
  risk_level: RiskLevel;
  /** The decision. */
  action_taken: FraudDecision;
  /** Labels of the signals, the heaviest first. */
  detected_signals: string[];
}

export interface FindOrdersQuery {
  /** The page, from 1. */
  page?: number;
  /** The number of items per page. */
  per_page?: number;
  /** The order with this external id. */
  external_id?: string;
}

export interface PayBody {
  /** The store's name for it. */
  payment_method?: string | null;
  /** The provider's id. */
  transaction_id?: string | null;
  /** Extension: what the provider reports about it. */
  payment?: PaidWithBody | null;
}

export interface PaidWithBody {
  /** The provider's fingerprint of the card; stored as a hash. */
  fingerprint?: string | null;
  /** The first digits of the card. */
  bin?: string | null;
  /** The country that issued the card. */
  country?: string | null;
  /** The type of the card. */
  funding?: CardFunding | null;
  /** The result of the bank's challenge. */
  three_d_secure?: ThreeDSecure | null;
  /** The e-mail address of who paid. */
  payer_email?: string | null;
}

export interface PaidOrder {
  /** Identifies the order. */
  id: number;
  /** What customers see. */
  order_number: string;
  /** The status of the order. */
  status: OrderStatus;
  customer: OrderCustomer;
  items: OrderItem[];
  /** An amount in the order's currency. */
  subtotal: string;
  /** The coupon discount. */
  discount_total: string;
  /** An amount in the order's currency. */
  total: string;
  /** The amount a gift card pays. */
  gift_card_total: string;
  /** What is left to pay; `0.00` once it is paid or cancelled. */
  amount_due: string;
  /** The sum of refunds. */
  refunded_total: string;
  /** ISO 4217. */
  currency: string;
  /** The coupon that was used. */
  coupon_code: string | null;
  /** The referral code of the customer's referrer. */
  referral_code: string | null;
  /** As sent by the store. */
  payment_method: string | null;
  /** The payment provider's id. */
  transaction_id: string | null;
  /** The IP address of the order. */
  ip_address: string | null;
  /** ISO 3166-1 alpha-2. */
  billing_country: string | null;
  fraud: OrderFraud | null;
  /** Why it was cancelled. */
  cancel_reason: string | null;
  /** The id of the order in the store's own system. */
  external_id: string | null;
  /** Custom data of the store. */
  metadata: Record<string, string | number | boolean | null>;
  /** When, in UTC. */
  created_at: string;
  /** When, in UTC. */
  updated_at: string;
  /** When it was paid; also set while the payment is held. */
  paid_at: string | null;
  /** When everything was delivered. */
  completed_at: string | null;
  /** When it was cancelled. */
  cancelled_at: string | null;
  /** When it was last refunded. */
  refunded_at: string | null;
  /** The note from fulfilment. */
  fulfillment_note: string | null;
  /** The buyer's page; only in the Store API, and only with a public URL. */
  page_url: string | null;
  /** Extension: who gets it, if not the buyer. */
  player: Player | null;
  /** Extension: what is known of the payment method. */
  payment: OrderPayment | null;
  /** Extension: the tax in the total, as the checkout reported it. */
  tax_total: string | null;
  /** Extension: in per cent. */
  tax_rate: string | null;
  /** Extension: where it is due, ISO 3166-1 alpha-2. */
  tax_country: string | null;
  /** Null if it is paid; `wait_for_review` if the payment is held, and `refund` once it was fraud. */
  next: CheckoutStep | null;
}

export interface RefundBody {
  /** By default everything that is left. */
  amount?: string | number | null;
  /** Why it is refunded. */
  reason?: string | null;
  /** Extension: `fraud` labels the order as fraud. */
  reason_code?: "fraud" | null;
  /** Also refund what was already spent from gift cards bought in the order. */
  allow_unrecovered?: boolean;
}

export interface RefundedOrder {
  order: Order;
  refund: Refund;
}

export interface Refund {
  /** Identifies the refund. */
  id: number;
  /** An amount in the order's currency. */
  amount: string;
  /** The amount refunded to the payment method. */
  payment_amount: string;
  /** The amount put back on the gift card. */
  gift_card_amount: string;
  /** The amount a revoked gift card had paid; it was not put back. */
  unreturned_amount: string;
  /** The amount refunded although it was already spent from gift cards bought in the order. */
  unrecovered_amount: string;
  /** Why it was refunded. */
  reason: string | null;
  /** Extension: `fraud` if it was fraud. */
  reason_code: "fraud" | null;
  /** When, in UTC. */
  created_at: string;
}

export interface CancelBody {
  /** Why it is cancelled. */
  reason?: string | null;
}

export interface PaymentAttemptBody {
  /** The provider's reason. */
  reason?: string | null;
  /** The payment method that was tried. It is not stored: a declined card may be anyone's. */
  payment?: PaymentBody | null;
  /** The id in the store's own system; sending it again for the order returns the same record. */
  external_id?: string | null;
  /** History: when it was declined; needs `store:import`. */
  at?: string | null;
}

export interface PaymentAttempt {
  /** Identifies the attempt. */
  id: number;
  /** The order. */
  order_id: number;
  /** The provider's reason. */
  reason: string | null;
  /** The id of the attempt in the store's own system. */
  external_id: string | null;
  /** When, in UTC. */
  at: string;
}

export interface DisputeBody {
  /** `early_warning` before a dispute, `dispute`, or the outcome of a dispute. */
  kind: DisputeKind;
  /** `fraudulent` if the card holder did not make the purchase. */
  reason: DisputeReason;
  /** When it happened; by default now. */
  at?: string | null;
  /** Until when the provider takes evidence, if it says so. */
  evidence_due_at?: string | null;
  /** The id in the store's own system; sending it again for the order returns the same record. */
  external_id?: string | null;
}

export type DisputeKind = "early_warning" | "dispute" | "dispute_won" | "dispute_lost";

export type DisputeReason = "fraudulent" | "other";

export interface Dispute {
  /** Identifies the report. */
  id: number;
  /** The order whose payment is disputed. */
  order_id: number;
  /** What happened. */
  kind: DisputeKind;
  /** Why the payment is disputed. */
  reason: DisputeReason;
  /** The id of the dispute in the store's own system. */
  external_id: string | null;
  /** Until when the provider takes evidence; null if unknown. */
  evidence_due_at: string | null;
  /** When, in UTC. */
  at: string;
  /** When, in UTC. */
  created_at: string;
}

export interface HandedGood {
  /** The line of the order. */
  item_id: number;
  /** The product. */
  product_id: number;
  /** What it is. */
  kind: GoodKind;
  /** What became of it. */
  state: GoodState;
  /** The end of a key or of a gift card's code. */
  masked: string | null;
  /** When it was delivered. */
  delivered_at: string | null;
  /** When the buyer first looked at it. */
  revealed_at: string | null;
  /** When it ends; null means never. */
  expires_at: string | null;
  /** The game server that gives it, if one does. */
  server: string | null;
  /** Whether the server gives it only while the player is online. */
  needs_player_online: boolean;
  /** The key, or the URL of the file; null unless it is delivered. */
  value: string | null;
}

export interface ProductBody {
  /** What customers see. */
  name: string;
  /** The stock keeping unit, unique. */
  sku?: string | null;
  /** The description. */
  description?: string | null;
  /** How it is delivered. */
  delivery_type?: DeliveryType;
  /** Paid once or every period. */
  billing_type?: BillingType;
  /** Unit of the period; required if recurring, null if paid once. */
  billing_interval?: BillingInterval | null;
  /** Units in a period; required if recurring, null if paid once. */
  billing_interval_count?: number | null;
  /** Only active products can be bought. */
  status?: ProductStatus;
  /** The unit price. */
  price: string | number;
  /** A price higher than `price`, shown struck through. */
  compare_at_price?: string | number | null;
  /** Currency of the prices; by default the store's currency. */
  currency?: string | null;
  /** The stock; null means unlimited. The stock of a product with keys cannot be set. */
  stock?: number | null;
  /** The maximum quantity per order; null means no limit. */
  max_per_order?: number | null;
  /** The category. */
  category?: string | null;
  /** Distinct tags to find it by. */
  tags?: string[];
  /** The URL of its image. */
  image_url?: string | null;
  /** Extension: what a `file` product hands over with the payment; https. */
  file_url?: string | null;
  /** Extension: for how long it is valid after its delivery; null means forever. */
  valid_days?: number | null;
  /** Extension: what a `command` product runs on game servers; replaced as a whole. */
  commands?: CommandBody[];
  /** Custom data of the store, at most 16 KB; replaced as a whole. */
  metadata?: Record<string, string | number | boolean | null>;
}

export interface CommandBody {
  /** The server. */
  server_id: number;
  /** When it is run. */
  on: CommandCause;
  /** One line. Variables: `{player_name}`, `{player_id}`, `{customer_id}`, `{order_number}`, `{product}`, `{quantity}`. */
  text: string;
  /** Whether it waits until the player is online. */
  needs_player_online?: boolean;
  /** How long it waits before it is handed out. */
  delay_minutes?: number;
}

export interface ProductChanges {
  /** What customers see. */
  name?: string;
  /** The stock keeping unit, unique. */
  sku?: string | null;
  /** The description. */
  description?: string | null;
  /** How it is delivered. */
  delivery_type?: DeliveryType;
  /** Paid once or every period. */
  billing_type?: BillingType;
  /** Unit of the period; required if recurring, null if paid once. */
  billing_interval?: BillingInterval | null;
  /** Units in a period; required if recurring, null if paid once. */
  billing_interval_count?: number | null;
  /** Only active products can be bought. */
  status?: ProductStatus;
  /** The unit price. */
  price?: string | number;
  /** A price higher than `price`, shown struck through. */
  compare_at_price?: string | number | null;
  /** Currency of the prices; by default the store's currency. */
  currency?: string | null;
  /** The stock; null means unlimited. The stock of a product with keys cannot be set. */
  stock?: number | null;
  /** The maximum quantity per order; null means no limit. */
  max_per_order?: number | null;
  /** The category. */
  category?: string | null;
  /** Distinct tags to find it by. */
  tags?: string[];
  /** The URL of its image. */
  image_url?: string | null;
  /** Extension: what a `file` product hands over with the payment; https. */
  file_url?: string | null;
  /** Extension: for how long it is valid after its delivery; null means forever. */
  valid_days?: number | null;
  /** Extension: what a `command` product runs on game servers; replaced as a whole. */
  commands?: CommandBody[];
  /** Custom data of the store, at most 16 KB; replaced as a whole. */
  metadata?: Record<string, string | number | boolean | null>;
}

export interface SubscriptionBody {
  /** The customer. */
  customer_id: number;
  /** A product with recurring billing. */
  product_id: number;
  /** The id in the store's own system, unique. */
  external_id?: string | null;
  /** Extension: who gets it in the game, if not the buyer. */
  player?: PlayerBody | null;
}

export interface PaidPeriod {
  subscription: Subscription;
  order: Order;
}

export interface ListSubscriptionsQuery {
  /** The page, from 1. */
  page?: number;
  /** The number of items per page. */
  per_page?: number;
  /** Only subscriptions of this customer. */
  customer_id?: number;
  /** Only subscriptions in this state. */
  status?: SubscriptionStatus;
  /** The subscription with this external id. */
  external_id?: string;
}

export interface SubscriptionCancelBody {
  /** Whether it ends with the paid period or now. */
  at_period_end?: boolean;
  /** Why it is cancelled. */
  reason?: string | null;
}

export interface TicketBody {
  /** The customer. */
  customer_id: number;
  /** What it is about. */
  subject: string;
  /** Plain text. */
  message: string;
  /** The priority. */
  priority?: TicketPriority;
  /** The category. */
  category?: TicketCategory;
  /** The customer's order it is about. */
  order_id?: number | null;
}

export interface CustomerMessageBody {
  /** Plain text. */
  message: string;
}

export interface PostedMessage {
  /** Identifies the message. */
  id: number;
  /** Who wrote it; `system` records who did what. */
  author_type: AuthorType;
  /** The author's name at that time. */
  author_name: string;
  /** Plain text. */
  body: string;
  /** Only for staff. */
  is_internal: boolean;
  /** When, in UTC. */
  created_at: string;
  ticket: Ticket;
}

export interface Ticket {
  /** Identifies the ticket. */
  id: number;
  /** What customers see. */
  ticket_number: string;
  /** What it is about. */
  subject: string;
  /** `open`: waiting for the staff. `pending`: waiting for the customer. */
  status: TicketStatus;
  /** The priority. */
  priority: TicketPriority;
  /** The category. */
  category: TicketCategory;
  customer: OrderCustomer;
  /** The order it is about. */
  order_id: number | null;
  /** The user it is assigned to. */
  assigned_to: Agent | null;
  /** Messages that the customer sees. */
  messages_count: number;
  /** When the last of these was written. */
  last_message_at: string;
  /** Who wrote it. */
  last_message_by: LastMessageBy;
  /** When the staff first replied. */
  first_response_at: string | null;
  /** When it was resolved or closed. */
  resolved_at: string | null;
  /** When it was closed. */
  closed_at: string | null;
  /** How often it was reopened after it was resolved or closed. */
  reopened_count: number;
  /** When, in UTC. */
  created_at: string;
  /** When, in UTC. */
  updated_at: string;
}

export interface ListSupportTicketsQuery {
  /** The page, from 1. */
  page?: number;
  /** The number of items per page. */
  per_page?: number;
  /** Only tickets in this state. */
  status?: TicketStatus;
  /** Only tickets of this priority. */
  priority?: TicketPriority;
  /** Only tickets of this category. */
  category?: TicketCategory;
  /** A user's id, `me` (the token's user) or `none`. */
  assigned_to?: number | "me" | "none";
  /** Only tickets of this customer. */
  customer_id?: number;
  /** Only tickets about this order. */
  order_id?: number;
  /** Opened on this UTC day or later. */
  from?: string;
  /** Opened on this UTC day or earlier. */
  to?: string;
  /** A ticket number, or part of a subject, name or e-mail address, case-insensitive. */
  search?: string;
  /** The sort field. */
  sort?: "id" | "created_at" | "last_message_at";
  /** The sort direction. */
  order?: SortDirection;
}

export interface TicketStats {
  /** All tickets. */
  total: number;
  /** Tickets by status. */
  by_status: Record<string, number>;
  /** Tickets by priority. */
  by_priority: Record<string, number>;
  /** Tickets by category. */
  by_category: Record<string, number>;
  /** Unassigned tickets. */
  unassigned: number;
  /** Tickets opened on this UTC day. */
  created_today: number;
  /** Tickets closed on this UTC day that still are. */
  closed_today: number;
  /** From opening to the first reply. */
  average_first_response_minutes: number | null;
  /** The median of the same time. */
  median_first_response_minutes: number | null;
  /** From opening to being resolved or closed. */
  average_resolution_minutes: number | null;
  /** The median of the same time. */
  median_resolution_minutes: number | null;
  by_agent: AgentFigures[];
}

export interface AgentFigures {
  user: Agent;
  /** Tickets assigned to this user. */
  assigned: number;
  /** These tickets by status. */
  by_status: Record<string, number>;
  /** Of these tickets. */
  average_first_response_minutes: number | null;
  /** Of these tickets. */
  average_resolution_minutes: number | null;
}

export interface GetSupportTicketQuery {
  /** The `earlier_before` of the previous response. */
  before?: number;
  /** The number of messages to return. */
  limit?: number;
}

export interface StatusBody {
  /** The new state. */
  status: TicketStatus;
}

export interface MessageBody {
  /** Plain text. */
  message: string;
  /** A note only for staff. */
  is_internal?: boolean;
}

export interface CloseBody {
  /** Sent to the customer before closing. */
  message?: string | null;
}

export interface AssignBody {
  /** A user, or null for nobody. */
  user_id: number | null;
}

export interface Webhook {
  /** Identifies the webhook. */
  id: number;
  /** Where deliveries are sent. */
  url: string;
  /** The event types it is subscribed to. */
  events: EventType[];
  /** Nothing is sent while it is false. */
  is_active: boolean;
  /** Extension: the additional headers, without values. */
  header_names: string[];
  /** Extension: only events that fit are sent. */
  filter: string | null;
  /** When, in UTC. */
  created_at: string;
}

export interface WebhookBody {
  /** An HTTPS URL with a public host. */
  url: string;
  /** The event types; `order.*` means all order events of the specification, `*` all its events. Wildcards are stored and shown as the individual types. */
  events: EventSubscription[];
  /** Extension: headers that every request has in addition, all of them; `null` keeps the value that a header has. Values are never shown again. */
  headers?: Record<string, string | null>;
  /** Extension: only events that fit are sent, in the language of fraud rules, with `amount`, `currency`, `product`, `product_name` and `quantity`. */
  filter?: string | null;
}

export type EventSubscription = "order.created" | "order.paid" | "order.completed" | "order.refunded" | "subscription.created" | "subscription.renewed" | "subscription.cancelled" | "product.created" | "product.updated" | "product.deleted" | "order.delivered" | "keys.low" | "command.failed" | "order.disputed" | "fraud.flagged" | "fraud.held" | "fraud.blocked" | "fraud.reviewed" | "order.cancelled" | "customer.created" | "customer.updated" | "customer.erased" | "ticket.created" | "ticket.replied" | "gift_card.created" | "gift_card.redeemed" | "coupon.used" | "*" | "order.*" | "subscription.*" | "product.*";

export interface WebhookWithSecret {
  /** Identifies the webhook. */
  id: number;
  /** Where deliveries are sent. */
  url: string;
  /** The event types it is subscribed to. */
  events: EventType[];
  /** Nothing is sent while it is false. */
  is_active: boolean;
  /** Extension: the additional headers, without values. */
  header_names: string[];
  /** Extension: only events that fit are sent. */
  filter: string | null;
  /** Signs every delivery; shown only now. */
  secret: string;
  /** When, in UTC. */
  created_at: string;
}

export interface WebhookChanges {
  /** An HTTPS URL with a public host. */
  url?: string;
  /** The event types; `order.*` means all order events of the specification, `*` all its events. Wildcards are stored and shown as the individual types. */
  events?: EventSubscription[];
  /** Extension: headers that every request has in addition, all of them; `null` keeps the value that a header has. Values are never shown again. */
  headers?: Record<string, string | null>;
  /** Extension: only events that fit are sent, in the language of fraud rules, with `amount`, `currency`, `product`, `product_name` and `quantity`. */
  filter?: string | null;
  /** Nothing is sent while it is false. */
  is_active?: boolean;
}

export interface TestResult {
  /** Whether the receiver responded with 2xx. */
  delivered: boolean;
  /** The status of the response; null if there was none. */
  response_code: number | null;
  /** How long it took. */
  response_time_ms: number;
}

export interface ListDeliveriesQuery {
  /** The page, from 1. */
  page?: number;
  /** The number of items per page. */
  per_page?: number;
  /** Only deliveries in this state. */
  status?: DeliveryStatus;
  /** Only deliveries of this type. */
  event_type?: EventType;
  /** The first UTC day. */
  from?: string;
  /** The sort field. */
  sort?: "created_at";
  /** The sort direction. */
  order?: SortDirection;
  /** The last UTC day, inclusive. */
  to?: string;
}

export type DeliveryStatus = "pending" | "delivered" | "failed" | "cancelled";

export interface Delivery {
  /** Identifies the delivery. */
  id: string;
  /** The webhook. */
  webhook_id: number;
  /** The event. */
  event_id: number;
  /** The event's type. */
  event_type: EventType;
  /** The status of the delivery. */
  status: DeliveryStatus;
  /** Requests made so far. */
  attempts_count: number;
  /** The status of the latest response. */
  response_code: number | null;
  /** Why the latest attempt failed, as a sentence. */
  reason: string | null;
  /** When, in UTC. */
  created_at: string;
  /** When it is sent next; null if it has ended. */
  next_attempt_at: string | null;
  /** The time, in UTC; null until then. */
  finished_at: string | null;
}

export interface DeliveryDetail {
  delivery: Delivery;
  /** What was sent to the receiver. */
  sent: Sent;
  attempts: Attempt[];
}

export interface Sent {
  /** The current URL of the webhook. */
  url: string | null;
  /** The headers that are the same for each attempt, without signatures and times. */
  headers: Record<string, string>;
  /** The exact text; the signature covers its bytes. */
  body: string;
}

export interface Attempt {
  /** From 1. */
  number: number;
  /** The result. */
  outcome: "delivered" | "failed" | "interrupted" | "open";
  /** When, in UTC. */
  started_at: string;
  /** The time, in UTC; null until then. */
  finished_at: string | null;
  /** The status of the response. */
  response_code: number | null;
  /** How long it took. */
  response_time_ms: number | null;
  /** Why it failed, as a sentence. */
  reason: string | null;
  /** The beginning of the response. */
  response_excerpt: string | null;
}

export interface ReplayBody {
  /** The start of the events to replay. */
  since: string;
  /** Only these types; by default those of the subscription. */
  event_types?: EventSubscription[] | null;
}

export interface Replay {
  /** Identifies the replay. */
  id: number;
  /** The webhook. */
  webhook_id: number;
  /** When, in UTC. */
  since: string;
  /** The event types. */
  event_types: EventType[];
  /** Events to send again. */
  total: number;
  /** Events queued again so far. */
  done: number;
  /** When, in UTC. */
  created_at: string;
  /** The time, in UTC; null until then. */
  finished_at: string | null;
}

export interface OrderCreatedDelivery {
  /** Identifies the delivery. */
  id: string;
  /** What happened. */
  event_type: "order.created";
  /** When it happened, in UTC. */
  created_at: string;
  data: OrderCreatedData;
}

export interface OrderCreatedData {
  /** Identifies the order. */
  order_id: number;
  /** What customers see. */
  order_number: string;
  /** The customer's e-mail address. */
  customer_email: string;
  /** The customer's name. */
  customer_name: string;
  /** What the order costs, after discounts. */
  total: string;
  /** ISO 4217. */
  currency: string;
  /** The order's status after the event. */
  status: OrderStatus;
  items: ItemData[];
  /** When, in UTC. */
  created_at: string;
}

export interface ItemData {
  /** The product. */
  product_id: number;
  /** The name at the time of the order. */
  product_name: string;
  /** The quantity. */
  quantity: number;
  /** The unit price. */
  price: string;
}

export interface OrderPaidDelivery {
  /** Identifies the delivery. */
  id: string;
  /** What happened. */
  event_type: "order.paid";
  /** When it happened, in UTC. */
  created_at: string;
  data: OrderData;
}

export interface OrderData {
  /** Identifies the order. */
  order_id: number;
  /** What customers see. */
  order_number: string;
  /** The customer's e-mail address. */
  customer_email: string;
  /** The customer's name. */
  customer_name: string;
  /** What the order costs, after discounts. */
  total: string;
  /** ISO 4217. */
  currency: string;
  /** The order's status after the event. */
  status: OrderStatus;
  items: ItemData[];
}

export interface OrderCompletedDelivery {
  /** Identifies the delivery. */
  id: string;
  /** What happened. */
  event_type: "order.completed";
  /** When it happened, in UTC. */
  created_at: string;
  data: OrderCompletedData;
}

export interface OrderCompletedData {
  /** Identifies the order. */
  order_id: number;
  /** What customers see. */
  order_number: string;
  /** The customer's e-mail address. */
  customer_email: string;
  /** The customer's name. */
  customer_name: string;
  /** What the order costs, after discounts. */
  total: string;
  /** ISO 4217. */
  currency: string;
  /** The order's status after the event. */
  status: OrderStatus;
  items: ItemData[];
  /** When, in UTC. */
  completed_at: string;
}

export interface OrderRefundedDelivery {
  /** Identifies the delivery. */
  id: string;
  /** What happened. */
  event_type: "order.refunded";
  /** When it happened, in UTC. */
  created_at: string;
  data: OrderRefundedData;
}

export interface OrderRefundedData {
  /** Identifies the order. */
  order_id: number;
  /** What customers see. */
  order_number: string;
  /** The customer's e-mail address. */
  customer_email: string;
  /** The customer's name. */
  customer_name: string;
  /** What the order costs, after discounts. */
  total: string;
  /** ISO 4217. */
  currency: string;
  /** The order's status after the event. */
  status: OrderStatus;
  items: ItemData[];
  /** Identifies the refund. */
  refund_id: number;
  /** The amount of this refund. */
  refund_amount: string;
  /** The sum of all refunds of the order. */
  refunded_total: string;
  /** Whether something is left to refund. */
  is_partial: boolean;
  /** The reason given by the store. */
  reason: string | null;
  /** When, in UTC. */
  refunded_at: string;
}

export interface SubscriptionCreatedDelivery {
  /** Identifies the delivery. */
  id: string;
  /** What happened. */
  event_type: "subscription.created";
  /** When it happened, in UTC. */
  created_at: string;
  data: SubscriptionData;
}

export interface SubscriptionData {
  /** Identifies the subscription. */
  subscription_id: number;
  /** The customer's e-mail address. */
  customer_email: string;
  /** The customer's name. */
  customer_name: string;
  /** The product. */
  product_id: number;
  /** The name at the time of subscribing. */
  product_name: string;
  /** The price per period. */
  price: string;
  /** ISO 4217. */
  currency: string;
  /** Unit of the period. */
  interval: BillingInterval;
  /** Units in a period. */
  interval_count: number;
  /** The subscription's status after the event. */
  status: SubscriptionStatus;
  /** When the latest paid period starts. */
  current_period_start: string;
  /** When it ends and the next one starts. */
  current_period_end: string;
  /** The order that paid the latest period. */
  order_id: number | null;
}

export interface SubscriptionRenewedDelivery {
  /** Identifies the delivery. */
  id: string;
  /** What happened. */
  event_type: "subscription.renewed";
  /** When it happened, in UTC. */
  created_at: string;
  data: SubscriptionRenewedData;
}

export interface SubscriptionRenewedData {
  /** Identifies the subscription. */
  subscription_id: number;
  /** The customer's e-mail address. */
  customer_email: string;
  /** The customer's name. */
  customer_name: string;
  /** The product. */
  product_id: number;
  /** The name at the time of subscribing. */
  product_name: string;
  /** The price per period. */
  price: string;
  /** ISO 4217. */
  currency: string;
  /** Unit of the period. */
  interval: BillingInterval;
  /** Units in a period. */
  interval_count: number;
  /** The subscription's status after the event. */
  status: SubscriptionStatus;
  /** When the latest paid period starts. */
  current_period_start: string;
  /** When it ends and the next one starts. */
  current_period_end: string;
  /** The order that paid the latest period. */
  order_id: number | null;
  /** How often it was renewed. */
  renewals_count: number;
}

export interface SubscriptionCancelledDelivery {
  /** Identifies the delivery. */
  id: string;
  /** What happened. */
  event_type: "subscription.cancelled";
  /** When it happened, in UTC. */
  created_at: string;
  data: SubscriptionCancelledData;
}

export interface SubscriptionCancelledData {
  /** Identifies the subscription. */
  subscription_id: number;
  /** The customer's e-mail address. */
  customer_email: string;
  /** The customer's name. */
  customer_name: string;
  /** The product. */
  product_id: number;
  /** The name at the time of subscribing. */
  product_name: string;
  /** The price per period. */
  price: string;
  /** ISO 4217. */
  currency: string;
  /** Unit of the period. */
  interval: BillingInterval;
  /** Units in a period. */
  interval_count: number;
  /** The subscription's status after the event. */
  status: SubscriptionStatus;
  /** When the latest paid period starts. */
  current_period_start: string;
  /** When it ends and the next one starts. */
  current_period_end: string;
  /** The order that paid the latest period. */
  order_id: number | null;
  /** When it was cancelled. */
  cancelled_at: string | null;
  /** When it ends or ended. */
  ends_at: string | null;
  /** Why it was cancelled. */
  reason: string | null;
}

export interface ProductCreatedDelivery {
  /** Identifies the delivery. */
  id: string;
  /** What happened. */
  event_type: "product.created";
  /** When it happened, in UTC. */
  created_at: string;
  data: ProductEvent;
}

export interface ProductEvent {
  /** Identifies the product. */
  product_id: number;
  /** What customers see. */
  product_name: string;
  /** Unique; generated from the name at creation. */
  slug: string;
  /** The stock keeping unit, unique. */
  sku: string | null;
  /** The unit price. */
  price: string;
  /** Currency of the price. */
  currency: string;
  /** Only active products can be bought. */
  status: ProductStatus;
  /** The stock; null means unlimited. */
  stock: number | null;
}

export interface ProductUpdatedDelivery {
  /** Identifies the delivery. */
  id: string;
  /** What happened. */
  event_type: "product.updated";
  /** When it happened, in UTC. */
  created_at: string;
  data: ProductUpdated;
}

export interface ProductUpdated {
  /** Identifies the product. */
  product_id: number;
  /** What customers see. */
  product_name: string;
  /** Unique; generated from the name at creation. */
  slug: string;
  /** The stock keeping unit, unique. */
  sku: string | null;
  /** The unit price. */
  price: string;
  /** Currency of the price. */
  currency: string;
  /** Only active products can be bought. */
  status: ProductStatus;
  /** The stock; null means unlimited. */
  stock: number | null;
  /** The names of the fields that changed. */
  changes: string[];
}

export interface ProductDeletedDelivery {
  /** Identifies the delivery. */
  id: string;
  /** What happened. */
  event_type: "product.deleted";
  /** When it happened, in UTC. */
  created_at: string;
  data: ProductDeleted;
}

export interface ProductDeleted {
  /** Identifies the product. */
  product_id: number;
  /** What customers see. */
  product_name: string;
  /** Unique; generated from the name at creation. */
  slug: string;
  /** The stock keeping unit, unique. */
  sku: string | null;
  /** The unit price. */
  price: string;
  /** Currency of the price. */
  currency: string;
  /** Only active products can be bought. */
  status: ProductStatus;
  /** The stock; null means unlimited. */
  stock: number | null;
  /** When, in UTC. */
  deleted_at: string;
}

export interface OrderDeliveredDelivery {
  /** Identifies the delivery. */
  id: string;
  /** What happened. */
  event_type: "order.delivered";
  /** When it happened, in UTC. */
  created_at: string;
  data: OrderDeliveredData;
}

export interface OrderDeliveredData {
  /** Identifies the order. */
  order_id: number;
  /** What customers see. */
  order_number: string;
  /** The customer's e-mail address. */
  customer_email: string;
  /** The customer's name. */
  customer_name: string;
  /** What the order costs, after discounts. */
  total: string;
  /** ISO 4217. */
  currency: string;
  /** The order's status after the event. */
  status: OrderStatus;
  items: ItemData[];
  /** The line. */
  item_id: number;
  /** What was delivered. */
  kind: GoodKind;
  /** When, in UTC. */
  delivered_at: string;
}

export interface KeysLowDelivery {
  /** Identifies the delivery. */
  id: string;
  /** What happened. */
  event_type: "keys.low";
  /** When it happened, in UTC. */
  created_at: string;
  data: KeysLowData;
}

export interface KeysLowData {
  /** Identifies the product. */
  product_id: number;
  /** What customers see. */
  product_name: string;
  /** How many keys can still be sold. */
  stock: number;
}

export interface CommandFailedDelivery {
  /** Identifies the delivery. */
  id: string;
  /** What happened. */
  event_type: "command.failed";
  /** When it happened, in UTC. */
  created_at: string;
  data: CommandFailedData;
}

export interface CommandFailedData {
  /** Identifies the command. */
  command_id: number;
  /** The order. */
  order_id: number;
  /** The server. */
  server_id: number;
  /** What the server answered. */
  output: string | null;
}

export interface OrderDisputedDelivery {
  /** Identifies the delivery. */
  id: string;
  /** What happened. */
  event_type: "order.disputed";
  /** When it happened, in UTC. */
  created_at: string;
  data: OrderDisputedData;
}

export interface OrderDisputedData {
  /** Identifies the order. */
  order_id: number;
  /** What customers see. */
  order_number: string;
  /** The customer's e-mail address. */
  customer_email: string;
  /** The customer's name. */
  customer_name: string;
  /** What the order costs, after discounts. */
  total: string;
  /** ISO 4217. */
  currency: string;
  /** The order's status after the event. */
  status: OrderStatus;
  items: ItemData[];
  /** Identifies the report. */
  dispute_id: number;
  /** What happened. */
  kind: DisputeKind;
  /** Why the payment is disputed. */
  reason: DisputeReason;
  /** When, in UTC. */
  disputed_at: string;
}

export interface FraudFlaggedDelivery {
  /** Identifies the delivery. */
  id: string;
  /** What happened. */
  event_type: "fraud.flagged";
  /** When it happened, in UTC. */
  created_at: string;
  data: FraudData;
}

export interface FraudData {
  /** Identifies the fraud check. */
  check_id: number;
  /** The order that was judged. */
  order_id: number;
  /** What customers see. */
  order_number: string;
  /** The order's status after the event. */
  order_status: OrderStatus;
  /** What the order costs, after discounts. */
  total: string;
  /** ISO 4217. */
  currency: string;
  /** The customer. */
  customer_id: number;
  /** 0 to 100. */
  risk_score: number;
  /** The risk level. */
  risk_level: RiskLevel;
  /** The action that was taken. */
  action_taken: FraudDecision;
  /** Labels of the signals, the heaviest first. */
  detected_signals: string[];
}

export interface FraudHeldDelivery {
  /** Identifies the delivery. */
  id: string;
  /** What happened. */
  event_type: "fraud.held";
  /** When it happened, in UTC. */
  created_at: string;
  data: FraudData;
}

export interface FraudBlockedDelivery {
  /** Identifies the delivery. */
  id: string;
  /** What happened. */
  event_type: "fraud.blocked";
  /** When it happened, in UTC. */
  created_at: string;
  data: FraudData;
}

export interface FraudReviewedDelivery {
  /** Identifies the delivery. */
  id: string;
  /** What happened. */
  event_type: "fraud.reviewed";
  /** When it happened, in UTC. */
  created_at: string;
  data: FraudReviewedData;
}

export interface FraudReviewedData {
  /** Identifies the fraud check. */
  check_id: number;
  /** The order that was judged. */
  order_id: number;
  /** What customers see. */
  order_number: string;
  /** The order's status after the event. */
  order_status: OrderStatus;
  /** What the order costs, after discounts. */
  total: string;
  /** ISO 4217. */
  currency: string;
  /** The customer. */
  customer_id: number;
  /** 0 to 100. */
  risk_score: number;
  /** The risk level. */
  risk_level: RiskLevel;
  /** The action that was taken. */
  action_taken: FraudDecision;
  /** Labels of the signals, the heaviest first. */
  detected_signals: string[];
  /** The outcome of the review; null if it was overdue. */
  review_outcome: ReviewOutcome | null;
  /** The reviewer; null if the review was overdue. */
  reviewed_by: number | null;
}

export interface OrderCancelledDelivery {
  /** Identifies the delivery. */
  id: string;
  /** What happened. */
  event_type: "order.cancelled";
  /** When it happened, in UTC. */
  created_at: string;
  data: OrderCancelledData;
}

export interface OrderCancelledData {
  /** Identifies the order. */
  order_id: number;
  /** What customers see. */
  order_number: string;
  /** The customer's e-mail address. */
  customer_email: string;
  /** The customer's name. */
  customer_name: string;
  /** What the order costs, after discounts. */
  total: string;
  /** ISO 4217. */
  currency: string;
  /** The order's status after the event. */
  status: OrderStatus;
  items: ItemData[];
  /** The reason given by the store; `fraud` after a review. */
  reason: string | null;
  /** When, in UTC. */
  cancelled_at: string;
}

export interface CustomerCreatedDelivery {
  /** Identifies the delivery. */
  id: string;
  /** What happened. */
  event_type: "customer.created";
  /** When it happened, in UTC. */
  created_at: string;
  data: CustomerData;
}

export interface CustomerData {
  /** Identifies the customer. */
  customer_id: number;
  /** The id of the customer in the store's own system. */
  external_id: string | null;
  /** The customer's e-mail address. */
  customer_email: string;
  /** The customer's name. */
  customer_name: string;
  /** The name in the game. */
  username: string | null;
  /** ISO 3166-1 alpha-2. */
  country: string | null;
  /** A blocked customer cannot order. */
  status: CustomerStatus;
  /** Whether the customer accepts campaigns. */
  accepts_marketing: boolean;
  /** Whether e-mails arrive. */
  email_status: MailboxStatus;
  /** Tags of the customer. */
  tags: string[];
}

export interface CustomerUpdatedDelivery {
  /** Identifies the delivery. */
  id: string;
  /** What happened. */
  event_type: "customer.updated";
  /** When it happened, in UTC. */
  created_at: string;
  data: CustomerUpdatedData;
}

export interface CustomerUpdatedData {
  /** Identifies the customer. */
  customer_id: number;
  /** The id of the customer in the store's own system. */
  external_id: string | null;
  /** The customer's e-mail address. */
  customer_email: string;
  /** The customer's name. */
  customer_name: string;
  /** The name in the game. */
  username: string | null;
  /** ISO 3166-1 alpha-2. */
  country: string | null;
  /** A blocked customer cannot order. */
  status: CustomerStatus;
  /** Whether the customer accepts campaigns. */
  accepts_marketing: boolean;
  /** Whether e-mails arrive. */
  email_status: MailboxStatus;
  /** Tags of the customer. */
  tags: string[];
  /** The names of the fields that changed. */
  changes: string[];
}

export interface CustomerErasedDelivery {
  /** Identifies the delivery. */
  id: string;
  /** What happened. */
  event_type: "customer.erased";
  /** When it happened, in UTC. */
  created_at: string;
  data: CustomerErasedData;
}

export interface CustomerErasedData {
  /** Identifies the customer. */
  customer_id: number;
}

export interface TicketCreatedDelivery {
  /** Identifies the delivery. */
  id: string;
  /** What happened. */
  event_type: "ticket.created";
  /** When it happened, in UTC. */
  created_at: string;
  data: TicketData;
}

export interface TicketData {
  /** Identifies the ticket. */
  ticket_id: number;
  /** What customers see. */
  ticket_number: string;
  /** The customer. */
  customer_id: number;
  /** The customer's e-mail address. */
  customer_email: string;
  /** The customer's name. */
  customer_name: string;
  /** The order it is about. */
  order_id: number | null;
  /** What it is about. */
  subject: string;
  /** The ticket's status after the event. */
  status: TicketStatus;
  /** The priority. */
  priority: TicketPriority;
  /** The category. */
  category: TicketCategory;
  /** What was written, as plain text. */
  message: string;
}

export interface TicketRepliedDelivery {
  /** Identifies the delivery. */
  id: string;
  /** What happened. */
  event_type: "ticket.replied";
  /** When it happened, in UTC. */
  created_at: string;
  data: TicketRepliedData;
}

export interface TicketRepliedData {
  /** Identifies the ticket. */
  ticket_id: number;
  /** What customers see. */
  ticket_number: string;
  /** The customer. */
  customer_id: number;
  /** The customer's e-mail address. */
  customer_email: string;
  /** The customer's name. */
  customer_name: string;
  /** The order it is about. */
  order_id: number | null;
  /** What it is about. */
  subject: string;
  /** The ticket's status after the event. */
  status: TicketStatus;
  /** The priority. */
  priority: TicketPriority;
  /** The category. */
  category: TicketCategory;
  /** What was written, as plain text. */
  message: string;
  /** Identifies the message. */
  message_id: number;
  /** Who wrote it. */
  author_type: LastMessageBy;
  /** The author's name at that time. */
  author_name: string;
}

export interface GiftCardCreatedDelivery {
  /** Identifies the delivery. */
  id: string;
  /** What happened. */
  event_type: "gift_card.created";
  /** When it happened, in UTC. */
  created_at: string;
  data: GiftCardData;
}

export interface GiftCardData {
  /** Identifies the gift card. */
  gift_card_id: number;
  /** The masked code, which shows only its end. */
  masked_code: string;
  /** The balance after the event. */
  balance: string;
  /** ISO 4217. */
  currency: string;
  /** The order that bought it, or that it paid for. */
  order_id: number | null;
  /** The customer it belongs to. */
  customer_id: number | null;
  /** When it expires; null means never. */
  expires_at: string | null;
}

export interface GiftCardRedeemedDelivery {
  /** Identifies the delivery. */
  id: string;
  /** What happened. */
  event_type: "gift_card.redeemed";
  /** When it happened, in UTC. */
  created_at: string;
  data: GiftCardRedeemedData;
}

export interface GiftCardRedeemedData {
  /** Identifies the gift card. */
  gift_card_id: number;
  /** The masked code, which shows only its end. */
  masked_code: string;
  /** The balance after the event. */
  balance: string;
  /** ISO 4217. */
  currency: string;
  /** The order that bought it, or that it paid for. */
  order_id: number | null;
  /** The customer it belongs to. */
  customer_id: number | null;
  /** When it expires; null means never. */
  expires_at: string | null;
  /** The amount that was redeemed. */
  amount: string;
  /** The reference of the caller. */
  reference: string | null;
}

export interface CouponUsedDelivery {
  /** Identifies the delivery. */
  id: string;
  /** What happened. */
  event_type: "coupon.used";
  /** When it happened, in UTC. */
  created_at: string;
  data: CouponUsedData;
}

export interface CouponUsedData {
  /** Identifies the coupon. */
  coupon_id: number;
  /** What the buyer typed at checkout. */
  coupon_code: string;
  /** What it took off. */
  discount: string;
  /** ISO 4217. */
  currency: string;
  /** The order that was paid. */
  order_id: number;
  /** What customers see. */
  order_number: string;
  /** The customer. */
  customer_id: number;
}

export interface WebhookTestDelivery {
  /** Identifies the delivery. */
  id: string;
  /** What happened. */
  event_type: "webhook.test";
  /** When it happened, in UTC. */
  created_at: string;
  data: TestData;
}

export interface TestData {
  /** The webhook that is tested. */
  webhook_id: number;
  /** A message. */
  message: string;
}

export type WebhookDelivery =
  | OrderCreatedDelivery
  | OrderPaidDelivery
  | OrderCompletedDelivery
  | OrderRefundedDelivery
  | SubscriptionCreatedDelivery
  | SubscriptionRenewedDelivery
  | SubscriptionCancelledDelivery
  | ProductCreatedDelivery
  | ProductUpdatedDelivery
  | ProductDeletedDelivery
  | OrderDeliveredDelivery
  | KeysLowDelivery
  | CommandFailedDelivery
  | OrderDisputedDelivery
  | FraudFlaggedDelivery
  | FraudHeldDelivery
  | FraudBlockedDelivery
  | FraudReviewedDelivery
  | OrderCancelledDelivery
  | CustomerCreatedDelivery
  | CustomerUpdatedDelivery
  | CustomerErasedDelivery
  | TicketCreatedDelivery
  | TicketRepliedDelivery
  | GiftCardCreatedDelivery
  | GiftCardRedeemedDelivery
  | CouponUsedDelivery
  | WebhookTestDelivery;
