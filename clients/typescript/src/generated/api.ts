// Generated: every endpoint as a method; written by `python -m tools.write_clients`.

import type { Core, PostOptions } from "../core.js";
import type { Pages } from "../pages.js";
import type * as types from "./types.js";

/** The root of all methods. */
export class Api {
  readonly alerts: Alerts;
  readonly analytics: Analytics;
  readonly commands: Commands;
  readonly coupons: Coupons;
  readonly creators: Creators;
  readonly customers: Customers;
  readonly emailCampaigns: EmailCampaigns;
  readonly events: Events;
  readonly fraud: Fraud;
  readonly fraudLists: FraudLists;
  readonly fraudRules: FraudRules;
  readonly game: Game;
  readonly giftCards: GiftCards;
  readonly orders: Orders;
  readonly payments: Payments;
  readonly products: Products;
  readonly referrals: Referrals;
  readonly servers: Servers;
  readonly store: Store;
  readonly supportTickets: SupportTickets;
  readonly webhooks: Webhooks;

  constructor(core: Core) {
    this.alerts = new Alerts(core);
    this.analytics = new Analytics(core);
    this.commands = new Commands(core);
    this.coupons = new Coupons(core);
    this.creators = new Creators(core);
    this.customers = new Customers(core);
    this.emailCampaigns = new EmailCampaigns(core);
    this.events = new Events(core);
    this.fraud = new Fraud(core);
    this.fraudLists = new FraudLists(core);
    this.fraudRules = new FraudRules(core);
    this.game = new Game(core);
    this.giftCards = new GiftCards(core);
    this.orders = new Orders(core);
    this.payments = new Payments(core);
    this.products = new Products(core);
    this.referrals = new Referrals(core);
    this.servers = new Servers(core);
    this.store = new Store(core);
    this.supportTickets = new SupportTickets(core);
    this.webhooks = new Webhooks(core);
  }
}

/** `client.alerts`. */
export class Alerts {
  readonly #core: Core;

  constructor(core: Core) {
    this.#core = core;
  }

  /** List alerts: `GET /api/external/v1/alerts`. */
  list(): Promise<types.Alert[]> {
    return this.#core.data("GET", "/api/external/v1/alerts");
  }

  /** Create an alert: `POST /api/external/v1/alerts`. */
  create(body: types.AlertBody, options: PostOptions = {}): Promise<types.Alert> {
    return this.#core.data("POST", "/api/external/v1/alerts", { body, options });
  }

  /** Read an alert: `GET /api/external/v1/alerts/{id}`. */
  get(alertId: number): Promise<types.Alert> {
    return this.#core.data("GET", "/api/external/v1/alerts/{id}", { ids: [alertId] });
  }

  /** Update an alert: `PUT /api/external/v1/alerts/{id}`. */
  update(alertId: number, body: types.AlertChanges = {}): Promise<types.Alert> {
    return this.#core.data("PUT", "/api/external/v1/alerts/{id}", { ids: [alertId], body });
  }

  /** Delete an alert: `DELETE /api/external/v1/alerts/{id}`. */
  delete(alertId: number): Promise<string> {
    return this.#core.message("DELETE", "/api/external/v1/alerts/{id}", { ids: [alertId] });
  }

  /** Send a test alert: `POST /api/external/v1/alerts/{id}/test`. */
  test(alertId: number, options: PostOptions = {}): Promise<types.Alert> {
    return this.#core.data("POST", "/api/external/v1/alerts/{id}/test", { ids: [alertId], options });
  }
}

/** `client.analytics`. */
export class Analytics {
  readonly #core: Core;

  constructor(core: Core) {
    this.#core = core;
  }

  /** Read revenue figures: `GET /api/external/v1/analytics/revenue`. */
  revenue(query: types.GetRevenueQuery = {}): Promise<types.Revenue> {
    return this.#core.data("GET", "/api/external/v1/analytics/revenue", { query });
  }

  /** Read sales figures: `GET /api/external/v1/analytics/sales`. */
  sales(query: types.GetSalesQuery = {}): Promise<types.Sales> {
    return this.#core.data("GET", "/api/external/v1/analytics/sales", { query });
  }

  /** Read the tax report: `GET /api/external/v1/analytics/tax`. */
  tax(query: types.GetTaxesQuery = {}): Promise<types.TaxSum[]> {
    return this.#core.data("GET", "/api/external/v1/analytics/tax", { query });
  }
}

/** `client.commands`. */
export class Commands {
  readonly #core: Core;

  constructor(core: Core) {
    this.#core = core;
  }

  /** List commands: `GET /api/external/v1/commands`. */
  list(query: types.ListCommandsQuery = {}): Pages<types.Command> {
    return this.#core.pages("/api/external/v1/commands", { query });
  }

  /** Send a command again: `POST /api/external/v1/commands/{id}/resend`. */
  resend(commandId: number, options: PostOptions = {}): Promise<types.Command> {
    return this.#core.data("POST", "/api/external/v1/commands/{id}/resend", { ids: [commandId], options });
  }
}

/** `client.coupons`. */
export class Coupons {
  readonly #core: Core;

  constructor(core: Core) {
    this.#core = core;
  }

  /** List coupons: `GET /api/external/v1/coupons`. */
  list(query: types.ListCouponsQuery = {}): Pages<types.CouponDetails> {
    return this.#core.pages("/api/external/v1/coupons", { query });
  }

  /** Create a coupon: `POST /api/external/v1/coupons`. */
  create(body: types.CouponBody, options: PostOptions = {}): Promise<types.CouponDetails> {
    return this.#core.data("POST", "/api/external/v1/coupons", { body, options });
  }

  /** Generate coupons: `POST /api/external/v1/coupons/generate`. */
  generate(body: types.GenerateBody, options: PostOptions = {}): Promise<types.GeneratedCoupons> {
    return this.#core.data("POST", "/api/external/v1/coupons/generate", { body, options });
  }

  /** Read a coupon: `GET /api/external/v1/coupons/{id}`. */
  get(couponId: number): Promise<types.CouponDetails> {
    return this.#core.data("GET", "/api/external/v1/coupons/{id}", { ids: [couponId] });
  }

  /** Update a coupon: `PUT /api/external/v1/coupons/{id}`. */
  update(couponId: number, body: types.CouponChanges = {}): Promise<types.CouponDetails> {
    return this.#core.data("PUT", "/api/external/v1/coupons/{id}", { ids: [couponId], body });
  }

  /** Delete a coupon: `DELETE /api/external/v1/coupons/{id}`. */
  delete(couponId: number): Promise<string> {
    return this.#core.message("DELETE", "/api/external/v1/coupons/{id}", { ids: [couponId] });
  }

  /** List the uses of a coupon: `GET /api/external/v1/coupons/{id}/uses`. */
  uses(couponId: number, query: types.ListCouponUsesQuery = {}): Pages<types.CouponUse> {
    return this.#core.pages("/api/external/v1/coupons/{id}/uses", { ids: [couponId], query });
  }
}

/** `client.creators`. */
export class Creators {
  readonly #core: Core;

  constructor(core: Core) {
    this.#core = core;
  }

  /** List creators: `GET /api/external/v1/creators`. */
  list(query: types.ListCreatorsQuery = {}): Pages<types.Creator> {
    return this.#core.pages("/api/external/v1/creators", { query });
  }

  /** Create a creator: `POST /api/external/v1/creators`. */
  create(body: types.CreatorBody, options: PostOptions = {}): Promise<types.Creator> {
    return this.#core.data("POST", "/api/external/v1/creators", { body, options });
  }

  /** Read a creator: `GET /api/external/v1/creators/{id}`. */
  get(creatorId: number): Promise<types.Creator> {
    return this.#core.data("GET", "/api/external/v1/creators/{id}", { ids: [creatorId] });
  }

  /** Update a creator: `PUT /api/external/v1/creators/{id}`. */
  update(creatorId: number, body: types.CreatorChanges = {}): Promise<types.Creator> {
    return this.#core.data("PUT", "/api/external/v1/creators/{id}", { ids: [creatorId], body });
  }

  /** Read the ledger of a creator: `GET /api/external/v1/creators/{id}/ledger`. */
  ledger(creatorId: number, query: types.ReadLedgerQuery = {}): Pages<types.CreatorEntry> {
    return this.#core.pages("/api/external/v1/creators/{id}/ledger", { ids: [creatorId], query });
  }

  /** Book a payout to a creator: `POST /api/external/v1/creators/{id}/payouts`. */
  payOut(creatorId: number, body: types.PayoutBody, options: PostOptions = {}): Promise<types.CreatorEntry> {
    return this.#core.data("POST", "/api/external/v1/creators/{id}/payouts", { ids: [creatorId], body, options });
  }
}

/** `client.customers`. */
export class Customers {
  readonly #core: Core;

  constructor(core: Core) {
    this.#core = core;
  }

  /** List the accounts linked to a customer: `GET /api/external/v1/customers/{id}/linked`. */
  linked(customerId: number): Promise<types.LinkedAccounts> {
    return this.#core.data("GET", "/api/external/v1/customers/{id}/linked", { ids: [customerId] });
  }

  /** List customers: `GET /api/external/v1/customers`. */
  list(query: types.ListCustomersQuery = {}): Pages<types.Customer> {
    return this.#core.pages("/api/external/v1/customers", { query });
  }

  /** Read a customer: `GET /api/external/v1/customers/{id}`. */
  get(customerId: number): Promise<types.Customer> {
    return this.#core.data("GET", "/api/external/v1/customers/{id}", { ids: [customerId] });
  }

  /** Change a customer: `PUT /api/external/v1/customers/{id}`. */
  update(customerId: number, body: types.CustomerChanges = {}): Promise<types.ChangedCustomer> {
    return this.#core.data("PUT", "/api/external/v1/customers/{id}", { ids: [customerId], body });
  }
}

/** `client.emailCampaigns`. */
export class EmailCampaigns {
  readonly #core: Core;

  constructor(core: Core) {
    this.#core = core;
  }

  /** List campaigns: `GET /api/external/v1/email-campaigns`. */
  list(query: types.ListCampaignsQuery = {}): Pages<types.CampaignList> {
    return this.#core.pages("/api/external/v1/email-campaigns", { query });
  }

  /** Create a campaign: `POST /api/external/v1/email-campaigns`. */
  create(body: types.CampaignBody, options: PostOptions = {}): Promise<types.Campaign> {
    return this.#core.data("POST", "/api/external/v1/email-campaigns", { body, options });
  }

  /** Read a campaign: `GET /api/external/v1/email-campaigns/{id}`. */
  get(emailCampaignId: number): Promise<types.Campaign> {
    return this.#core.data("GET", "/api/external/v1/email-campaigns/{id}", { ids: [emailCampaignId] });
  }

  /** Update a campaign: `PUT /api/external/v1/email-campaigns/{id}`. */
  update(emailCampaignId: number, body: types.CampaignChanges = {}): Promise<types.Campaign> {
    return this.#core.data("PUT", "/api/external/v1/email-campaigns/{id}", { ids: [emailCampaignId], body });
  }

  /** Delete a campaign: `DELETE /api/external/v1/email-campaigns/{id}`. */
  delete(emailCampaignId: number): Promise<string> {
    return this.#core.message("DELETE", "/api/external/v1/email-campaigns/{id}", { ids: [emailCampaignId] });
  }

  /** Read campaign statistics: `GET /api/external/v1/email-campaigns/{id}/stats`. */
  stats(emailCampaignId: number): Promise<types.CampaignStats> {
    return this.#core.data("GET", "/api/external/v1/email-campaigns/{id}/stats", { ids: [emailCampaignId] });
  }

  /** Preview a campaign's recipients: `GET /api/external/v1/email-campaigns/{id}/preview-recipients`. */
  previewRecipients(emailCampaignId: number): Promise<types.RecipientsPreview> {
    return this.#core.data("GET", "/api/external/v1/email-campaigns/{id}/preview-recipients", { ids: [emailCampaignId] });
  }

  /** Preview a campaign's e-mail: `GET /api/external/v1/email-campaigns/{id}/preview`. */
  preview(emailCampaignId: number, query: types.PreviewEmailQuery = {}): Promise<types.EmailPreview> {
    return this.#core.data("GET", "/api/external/v1/email-campaigns/{id}/preview", { ids: [emailCampaignId], query });
  }

  /** Send a test e-mail: `POST /api/external/v1/email-campaigns/{id}/test`. */
  test(emailCampaignId: number, body: types.TestBody, options: PostOptions = {}): Promise<types.TestEmail> {
    return this.#core.data("POST", "/api/external/v1/email-campaigns/{id}/test", { ids: [emailCampaignId], body, options });
  }

  /** Send or schedule a campaign: `POST /api/external/v1/email-campaigns/{id}/send`. */
  send(emailCampaignId: number, body: types.SendBody = {}, options: PostOptions = {}): Promise<types.Campaign> {
    return this.#core.data("POST", "/api/external/v1/email-campaigns/{id}/send", { ids: [emailCampaignId], body, options });
  }

  /** Cancel a campaign: `POST /api/external/v1/email-campaigns/{id}/cancel`. */
  cancel(emailCampaignId: number, options: PostOptions = {}): Promise<types.Campaign> {
    return this.#core.data("POST", "/api/external/v1/email-campaigns/{id}/cancel", { ids: [emailCampaignId], options });
  }

  /** Duplicate a campaign: `POST /api/external/v1/email-campaigns/{id}/duplicate`. */
  duplicate(emailCampaignId: number, body: types.DuplicateBody = {}, options: PostOptions = {}): Promise<types.Campaign> {
    return this.#core.data("POST", "/api/external/v1/email-campaigns/{id}/duplicate", { ids: [emailCampaignId], body, options });
  }
}

/** `client.events`. */
export class Events {
  readonly #core: Core;

  constructor(core: Core) {
    this.#core = core;
  }

  /** Read the event feed: `GET /api/external/v1/events`. */
  read(query: types.ListEventsQuery = {}): Promise<types.EventFeed> {
    return this.#core.data("GET", "/api/external/v1/events", { query });
  }
}

/** `client.fraud`. */
export class Fraud {
  readonly blockedCountries: FraudBlockedCountries;
  readonly checks: FraudChecks;
  readonly queue: FraudQueue;
  readonly settings: FraudSettings;
  readonly whitelist: FraudWhitelist;
  readonly #core: Core;

  constructor(core: Core) {
    this.#core = core;
    this.blockedCountries = new FraudBlockedCountries(core);
    this.checks = new FraudChecks(core);
    this.queue = new FraudQueue(core);
    this.settings = new FraudSettings(core);
    this.whitelist = new FraudWhitelist(core);
  }

  /** Read the fraud dashboard: `GET /api/external/v1/fraud/dashboard`. */
  dashboard(): Promise<types.FraudDashboard> {
    return this.#core.data("GET", "/api/external/v1/fraud/dashboard");
  }

  /** Read the accuracy of each signal: `GET /api/external/v1/fraud/signals`. */
  signals(): Promise<types.SignalReport[]> {
    return this.#core.data("GET", "/api/external/v1/fraud/signals");
  }

  /** Backtest settings or a rule on past orders: `POST /api/external/v1/fraud/backtest`. */
  backtest(body: types.BacktestBody = {}, options: PostOptions = {}): Promise<types.Backtest> {
    return this.#core.data("POST", "/api/external/v1/fraud/backtest", { body, options });
  }

  /** Explain what counts against a buyer now: `GET /api/external/v1/fraud/explain`. */
  explain(query: types.ExplainBuyerQuery = {}): Promise<types.Explanation> {
    return this.#core.data("GET", "/api/external/v1/fraud/explain", { query });
  }

  /** Review several fraud checks at once: `POST /api/external/v1/fraud/reviews`. */
  reviewRing(body: types.RingReviewBody, options: PostOptions = {}): Promise<types.Reviewed[]> {
    return this.#core.data("POST", "/api/external/v1/fraud/reviews", { body, options });
  }
}

/** `client.fraud.blockedCountries`. */
export class FraudBlockedCountries {
  readonly #core: Core;

  constructor(core: Core) {
    this.#core = core;
  }

  /** Block a country: `POST /api/external/v1/fraud/blocked-countries`. */
  add(body: types.CountryBody, options: PostOptions = {}): Promise<types.BlockedCountries> {
    return this.#core.data("POST", "/api/external/v1/fraud/blocked-countries", { body, options });
  }

  /** Stop blocking a country: `DELETE /api/external/v1/fraud/blocked-countries`. */
  remove(body: types.CountryBody): Promise<types.BlockedCountries> {
    return this.#core.data("DELETE", "/api/external/v1/fraud/blocked-countries", { body });
  }
}

/** `client.fraud.checks`. */
export class FraudChecks {
  readonly #core: Core;

  constructor(core: Core) {
    this.#core = core;
  }

  /** List fraud checks: `GET /api/external/v1/fraud/checks`. */
  list(query: types.ListFraudChecksQuery = {}): Pages<types.FraudCheck> {
    return this.#core.pages("/api/external/v1/fraud/checks", { query });
  }

  /** Read a fraud check: `GET /api/external/v1/fraud/checks/{id}`. */
  get(checkId: number): Promise<types.CheckAnswer> {
    return this.#core.data("GET", "/api/external/v1/fraud/checks/{id}", { ids: [checkId] });
  }

  /** Review a fraud check: `POST /api/external/v1/fraud/checks/{id}/review`. */
  review(checkId: number, body: types.ReviewBody, options: PostOptions = {}): Promise<types.ReviewedCheck> {
    return this.#core.data("POST", "/api/external/v1/fraud/checks/{id}/review", { ids: [checkId], body, options });
  }

  /** List the reviews of a fraud check: `GET /api/external/v1/fraud/checks/{id}/reviews`. */
  reviews(checkId: number): Promise<types.CheckReview[]> {
    return this.#core.data("GET", "/api/external/v1/fraud/checks/{id}/reviews", { ids: [checkId] });
  }

  /** List the accounts linked to the buyer of a check: `GET /api/external/v1/fraud/checks/{id}/linked`. */
  linked(checkId: number): Promise<types.LinkedAccounts> {
    return this.#core.data("GET", "/api/external/v1/fraud/checks/{id}/linked", { ids: [checkId] });
  }

  /** Assign a fraud check: `PUT /api/external/v1/fraud/checks/{id}/assignment`. */
  assign(checkId: number, body: types.AssignmentBody): Promise<types.Assigned> {
    return this.#core.data("PUT", "/api/external/v1/fraud/checks/{id}/assignment", { ids: [checkId], body });
  }
}

/** `client.fraud.queue`. */
export class FraudQueue {
  readonly #core: Core;

  constructor(core: Core) {
    this.#core = core;
  }

  /** List the review queue: `GET /api/external/v1/fraud/queue`. */
  list(query: types.ListReviewQueueQuery = {}): Pages<types.QueuedCheck> {
    return this.#core.pages("/api/external/v1/fraud/queue", { query });
  }

  /** List the riskiest allowed orders of the day: `GET /api/external/v1/fraud/queue/today`. */
  today(): Promise<types.Riskiest> {
    return this.#core.data("GET", "/api/external/v1/fraud/queue/today");
  }
}

/** `client.fraud.settings`. */
export class FraudSettings {
  readonly #core: Core;

  constructor(core: Core) {
    this.#core = core;
  }

  /** Read the settings of fraud detection: `GET /api/external/v1/fraud/settings`. */
  get(): Promise<types.FraudSettingsAnswer> {
    return this.#core.data("GET", "/api/external/v1/fraud/settings");
  }

  /** Update the settings of fraud detection: `PUT /api/external/v1/fraud/settings`. */
  update(body: types.FraudSettingsChanges = {}): Promise<types.FraudSettings> {
    return this.#core.data("PUT", "/api/external/v1/fraud/settings", { body });
  }
}

/** `client.fraud.whitelist`. */
export class FraudWhitelist {
  readonly #core: Core;

  constructor(core: Core) {
    this.#core = core;
  }

  /** Trust an IP address: `POST /api/external/v1/fraud/whitelist/ip`. */
  addIp(body: types.IpBody, options: PostOptions = {}): Promise<types.WhitelistedIps> {
    return this.#core.data("POST", "/api/external/v1/fraud/whitelist/ip", { body, options });
  }

  /** Stop trusting an IP address: `DELETE /api/external/v1/fraud/whitelist/ip`. */
  removeIp(body: types.IpBody): Promise<types.WhitelistedIps> {
    return this.#core.data("DELETE", "/api/external/v1/fraud/whitelist/ip", { body });
  }

  /** Trust an e-mail address: `POST /api/external/v1/fraud/whitelist/email`. */
  addEmail(body: types.EmailBody, options: PostOptions = {}): Promise<types.WhitelistedEmails> {
    return this.#core.data("POST", "/api/external/v1/fraud/whitelist/email", { body, options });
  }

  /** Stop trusting an e-mail address: `DELETE /api/external/v1/fraud/whitelist/email`. */
  removeEmail(body: types.EmailBody): Promise<types.WhitelistedEmails> {
    return this.#core.data("DELETE", "/api/external/v1/fraud/whitelist/email", { body });
  }
}

/** `client.fraudLists`. */
export class FraudLists {
  readonly #core: Core;

  constructor(core: Core) {
    this.#core = core;
  }

  /** List the store's own lists: `GET /api/external/v1/fraud/lists`. */
  list(): Promise<types.FraudList[]> {
    return this.#core.data("GET", "/api/external/v1/fraud/lists");
  }

  /** Create a list: `POST /api/external/v1/fraud/lists`. */
  create(body: types.FraudListBody, options: PostOptions = {}): Promise<types.FraudList> {
    return this.#core.data("POST", "/api/external/v1/fraud/lists", { body, options });
  }

  /** Delete a list: `DELETE /api/external/v1/fraud/lists/{id}`. */
  delete(listId: number): Promise<string> {
    return this.#core.message("DELETE", "/api/external/v1/fraud/lists/{id}", { ids: [listId] });
  }

  /** List the entries of a list: `GET /api/external/v1/fraud/lists/{id}/entries`. */
  entries(listId: number, query: types.ListFraudListEntriesQuery = {}): Pages<types.ListEntry> {
    return this.#core.pages("/api/external/v1/fraud/lists/{id}/entries", { ids: [listId], query });
  }

  /** Add entries to a list: `POST /api/external/v1/fraud/lists/{id}/entries`. */
  addEntries(listId: number, body: types.EntriesBody, options: PostOptions = {}): Promise<string> {
    return this.#core.message("POST", "/api/external/v1/fraud/lists/{id}/entries", { ids: [listId], body, options });
  }

  /** Remove an entry from a list: `DELETE /api/external/v1/fraud/lists/{id}/entries`. */
  removeEntry(listId: number, body: types.EntryBody): Promise<string> {
    return this.#core.message("DELETE", "/api/external/v1/fraud/lists/{id}/entries", { ids: [listId], body });
  }
}

/** `client.fraudRules`. */
export class FraudRules {
  readonly #core: Core;

  constructor(core: Core) {
    this.#core = core;
  }

  /** List the store's own rules: `GET /api/external/v1/fraud/rules`. */
  list(): Promise<types.FraudRule[]> {
    return this.#core.data("GET", "/api/external/v1/fraud/rules");
  }

  /** Create a rule: `POST /api/external/v1/fraud/rules`. */
  create(body: types.FraudRuleBody, options: PostOptions = {}): Promise<types.FraudRule> {
    return this.#core.data("POST", "/api/external/v1/fraud/rules", { body, options });
  }

  /** Update a rule: `PUT /api/external/v1/fraud/rules/{id}`. */
  update(ruleId: number, body: types.FraudRuleChanges = {}): Promise<types.FraudRule> {
    return this.#core.data("PUT", "/api/external/v1/fraud/rules/{id}", { ids: [ruleId], body });
  }

  /** Delete a rule: `DELETE /api/external/v1/fraud/rules/{id}`. */
  delete(ruleId: number): Promise<string> {
    return this.#core.message("DELETE", "/api/external/v1/fraud/rules/{id}", { ids: [ruleId] });
  }
}

/** `client.game`. */
export class Game {
  readonly commands: GameCommands;

  constructor(core: Core) {
    this.commands = new GameCommands(core);
  }
}

/** `client.game.commands`. */
export class GameCommands {
  readonly #core: Core;

  constructor(core: Core) {
    this.#core = core;
  }

  /** Take commands: `GET /api/game/v1/commands`. */
  take(query: types.TakeCommandsQuery = {}): Promise<types.LeasedCommand[]> {
    return this.#core.data("GET", "/api/game/v1/commands", { query });
  }

  /** Report results: `POST /api/game/v1/commands/results`. */
  report(body: types.ResultsBody, options: PostOptions = {}): Promise<types.RecordedResults> {
    return this.#core.data("POST", "/api/game/v1/commands/results", { body, options });
  }
}

/** `client.giftCards`. */
export class GiftCards {
  readonly #core: Core;

  constructor(core: Core) {
    this.#core = core;
  }

  /** List gift cards: `GET /api/external/v1/gift-cards`. */
  list(query: types.ListGiftCardsQuery = {}): Pages<types.GiftCard> {
    return this.#core.pages("/api/external/v1/gift-cards", { query });
  }

  /** Read gift card statistics: `GET /api/external/v1/gift-cards/statistics`. */
  statistics(): Promise<types.GiftCardStatistics> {
    return this.#core.data("GET", "/api/external/v1/gift-cards/statistics");
  }

  /** Read a gift card with its transactions: `GET /api/external/v1/gift-cards/{id}`. */
  get(giftCardId: number): Promise<types.GiftCardDetail> {
    return this.#core.data("GET", "/api/external/v1/gift-cards/{id}", { ids: [giftCardId] });
  }

  /** Check a gift card's code and balance: `POST /api/external/v1/gift-cards/validate`. */
  validate(body: types.ValidateBody, options: PostOptions = {}): Promise<types.GiftCardValidation> {
    return this.#core.data("POST", "/api/external/v1/gift-cards/validate", { body, options });
  }

  /** Redeem an amount: `POST /api/external/v1/gift-cards/{id}/redeem`. */
  redeem(giftCardId: number, body: types.RedeemBody, options: PostOptions = {}): Promise<types.RedeemedGiftCard> {
    return this.#core.data("POST", "/api/external/v1/gift-cards/{id}/redeem", { ids: [giftCardId], body, options });
  }

  /** Revoke a gift card: `POST /api/external/v1/gift-cards/{id}/revoke`. */
  revoke(giftCardId: number, body: types.RevokeBody = {}, options: PostOptions = {}): Promise<types.GiftCard> {
    return this.#core.data("POST", "/api/external/v1/gift-cards/{id}/revoke", { ids: [giftCardId], body, options });
  }

  /** Resend a gift card by e-mail: `POST /api/external/v1/gift-cards/{id}/resend-email`. */
  resendEmail(giftCardId: number, body: types.ResendBody = {}, options: PostOptions = {}): Promise<types.SentGiftCard> {
    return this.#core.data("POST", "/api/external/v1/gift-cards/{id}/resend-email", { ids: [giftCardId], body, options });
  }

  /** Update a gift card: `PUT /api/external/v1/gift-cards/{id}`. */
  update(giftCardId: number, body: types.GiftCardChanges = {}): Promise<types.GiftCard> {
    return this.#core.data("PUT", "/api/external/v1/gift-cards/{id}", { ids: [giftCardId], body });
  }
}

/** `client.orders`. */
export class Orders {
  readonly #core: Core;

  constructor(core: Core) {
    this.#core = core;
  }

  /** List orders: `GET /api/external/v1/orders`. */
  list(query: types.ListOrdersQuery = {}): Pages<types.Order> {
    return this.#core.pages("/api/external/v1/orders", { query });
  }

  /** Read an order: `GET /api/external/v1/orders/{id}`. */
  get(orderId: number): Promise<types.Order> {
    return this.#core.data("GET", "/api/external/v1/orders/{id}", { ids: [orderId] });
  }

  /** Mark an order as fulfilled: `POST /api/external/v1/orders/{id}/fulfill`. */
  fulfill(orderId: number, body: types.FulfillBody = {}, options: PostOptions = {}): Promise<types.Order> {
    return this.#core.data("POST", "/api/external/v1/orders/{id}/fulfill", { ids: [orderId], body, options });
  }

  /** List what an order handed over: `GET /api/external/v1/orders/{id}/goods`. */
  goods(orderId: number): Promise<types.OrderGood[]> {
    return this.#core.data("GET", "/api/external/v1/orders/{id}/goods", { ids: [orderId] });
  }

  /** Replace a key of an order: `POST /api/external/v1/orders/{id}/items/{item_id}/replace-key`. */
  replaceKey(orderId: number, itemId: number, body: types.ReplaceKeyBody, options: PostOptions = {}): Promise<types.ReplacedKey> {
    return this.#core.data("POST", "/api/external/v1/orders/{id}/items/{item_id}/replace-key", { ids: [orderId, itemId], body, options });
  }

  /** Read the evidence of an order: `GET /api/external/v1/orders/{id}/evidence`. */
  evidence(orderId: number, query: types.ReadEvidenceQuery = {}): Promise<types.Evidence> {
    return this.#core.data("GET", "/api/external/v1/orders/{id}/evidence", { ids: [orderId], query });
  }
}

/** `client.payments`. */
export class Payments {
  readonly events: PaymentsEvents;
  readonly sources: PaymentsSources;

  constructor(core: Core) {
    this.events = new PaymentsEvents(core);
    this.sources = new PaymentsSources(core);
  }
}

/** `client.payments.events`. */
export class PaymentsEvents {
  readonly #core: Core;

  constructor(core: Core) {
    this.#core = core;
  }

  /** List payment events: `GET /api/external/v1/payment-events`. */
  list(query: types.ListPaymentEventsQuery = {}): Pages<types.PaymentEvent> {
    return this.#core.pages("/api/external/v1/payment-events", { query });
  }

  /** Read a payment event: `GET /api/external/v1/payment-events/{id}`. */
  get(paymentEventId: number): Promise<types.PaymentEvent> {
    return this.#core.data("GET", "/api/external/v1/payment-events/{id}", { ids: [paymentEventId] });
  }

  /** Apply a payment event to an order: `POST /api/external/v1/payment-events/{id}/match`. */
  match(paymentEventId: number, body: types.MatchBody, options: PostOptions = {}): Promise<types.PaymentEvent> {
    return this.#core.data("POST", "/api/external/v1/payment-events/{id}/match", { ids: [paymentEventId], body, options });
  }
}

/** `client.payments.sources`. */
export class PaymentsSources {
  readonly #core: Core;

  constructor(core: Core) {
    this.#core = core;
  }

  /** List payment sources: `GET /api/external/v1/payment-sources`. */
  list(): Promise<types.PaymentSource[]> {
    return this.#core.data("GET", "/api/external/v1/payment-sources");
  }

  /** Create a payment source: `POST /api/external/v1/payment-sources`. */
  create(body: types.PaymentSourceBody, options: PostOptions = {}): Promise<types.PaymentSource> {
    return this.#core.data("POST", "/api/external/v1/payment-sources", { body, options });
  }

  /** Read a payment source: `GET /api/external/v1/payment-sources/{id}`. */
  get(paymentSourceId: number): Promise<types.PaymentSource> {
    return this.#core.data("GET", "/api/external/v1/payment-sources/{id}", { ids: [paymentSourceId] });
  }

  /** Update a payment source: `PUT /api/external/v1/payment-sources/{id}`. */
  update(paymentSourceId: number, body: types.PaymentSourceChanges = {}): Promise<types.PaymentSource> {
    return this.#core.data("PUT", "/api/external/v1/payment-sources/{id}", { ids: [paymentSourceId], body });
  }

  /** Delete a payment source: `DELETE /api/external/v1/payment-sources/{id}`. */
  delete(paymentSourceId: number): Promise<string> {
    return this.#core.message("DELETE", "/api/external/v1/payment-sources/{id}", { ids: [paymentSourceId] });
  }
}

/** `client.products`. */
export class Products {
  readonly keys: ProductsKeys;
  readonly #core: Core;

  constructor(core: Core) {
    this.#core = core;
    this.keys = new ProductsKeys(core);
  }

  /** List products: `GET /api/external/v1/products`. */
  list(query: types.ListProductsQuery = {}): Pages<types.Product> {
    return this.#core.pages("/api/external/v1/products", { query });
  }

  /** Read a product: `GET /api/external/v1/products/{id}`. */
  get(productId: number): Promise<types.Product> {
    return this.#core.data("GET", "/api/external/v1/products/{id}", { ids: [productId] });
  }
}

/** `client.products.keys`. */
export class ProductsKeys {
  readonly #core: Core;

  constructor(core: Core) {
    this.#core = core;
  }

  /** Add keys to a product: `POST /api/external/v1/products/{id}/keys`. */
  add(productId: number, body: types.KeysBody, options: PostOptions = {}): Promise<types.KeysAdded> {
    return this.#core.data("POST", "/api/external/v1/products/{id}/keys", { ids: [productId], body, options });
  }

  /** List the keys of a product: `GET /api/external/v1/products/{id}/keys`. */
  list(productId: number, query: types.ListKeysQuery = {}): Pages<types.ProductKey> {
    return this.#core.pages("/api/external/v1/products/{id}/keys", { ids: [productId], query });
  }

  /** List the batches of keys: `GET /api/external/v1/products/{id}/key-batches`. */
  batches(productId: number): Promise<types.KeyBatch[]> {
    return this.#core.data("GET", "/api/external/v1/products/{id}/key-batches", { ids: [productId] });
  }

  /** Withdraw keys: `POST /api/external/v1/products/{id}/keys/withdraw`. */
  withdraw(productId: number, body: types.WithdrawBody = {}, options: PostOptions = {}): Promise<types.KeysWithdrawn> {
    return this.#core.data("POST", "/api/external/v1/products/{id}/keys/withdraw", { ids: [productId], body, options });
  }

  /** Show a whole key: `POST /api/external/v1/products/{id}/keys/{key_id}/reveal`. */
  reveal(productId: number, keyId: number, options: PostOptions = {}): Promise<types.RevealedKey> {
    return this.#core.data("POST", "/api/external/v1/products/{id}/keys/{key_id}/reveal", { ids: [productId, keyId], options });
  }
}

/** `client.referrals`. */
export class Referrals {
  readonly claims: ReferralsClaims;
  readonly refused: ReferralsRefused;
  readonly settings: ReferralsSettings;
  readonly tiers: ReferralsTiers;
  readonly #core: Core;

  constructor(core: Core) {
    this.#core = core;
    this.claims = new ReferralsClaims(core);
    this.refused = new ReferralsRefused(core);
    this.settings = new ReferralsSettings(core);
    this.tiers = new ReferralsTiers(core);
  }

  /** List referrals: `GET /api/external/v1/referrals`. */
  list(query: types.ListReferralsQuery = {}): Pages<types.Referral> {
    return this.#core.pages("/api/external/v1/referrals", { query });
  }

  /** Read referral statistics: `GET /api/external/v1/referrals/statistics`. */
  statistics(): Promise<types.Statistics> {
    return this.#core.data("GET", "/api/external/v1/referrals/statistics");
  }

  /** Rank customers by counted referrals: `GET /api/external/v1/referrals/leaderboard`. */
  leaderboard(query: types.ListLeaderboardQuery = {}): Promise<types.Leaderboard[]> {
    return this.#core.data("GET", "/api/external/v1/referrals/leaderboard", { query });
  }

  /** Rank customers by successful referrals: `GET /api/external/v1/referrals/top-referrers`. */
  topReferrers(query: types.ListTopReferrersQuery = {}): Promise<types.TopReferrer[]> {
    return this.#core.data("GET", "/api/external/v1/referrals/top-referrers", { query });
  }

  /** Check a referral code: `POST /api/external/v1/referrals/validate`. */
  validate(body: types.CodeBody, options: PostOptions = {}): Promise<types.CodeValidation> {
    return this.#core.data("POST", "/api/external/v1/referrals/validate", { body, options });
  }
}

/** `client.referrals.claims`. */
export class ReferralsClaims {
  readonly #core: Core;

  constructor(core: Core) {
    this.#core = core;
  }

  /** List reward claims: `GET /api/external/v1/referrals/claims`. */
  list(query: types.ListClaimsQuery = {}): Pages<types.Claim> {
    return this.#core.pages("/api/external/v1/referrals/claims", { query });
  }
}

/** `client.referrals.refused`. */
export class ReferralsRefused {
  readonly #core: Core;

  constructor(core: Core) {
    this.#core = core;
  }

  /** List refused referrals: `GET /api/external/v1/referrals/refused`. */
  list(query: types.ListRefusedReferralsQuery = {}): Pages<types.RefusedReferral> {
    return this.#core.pages("/api/external/v1/referrals/refused", { query });
  }
}

/** `client.referrals.settings`. */
export class ReferralsSettings {
  readonly #core: Core;

  constructor(core: Core) {
    this.#core = core;
  }

  /** Read the program's settings: `GET /api/external/v1/referrals/settings`. */
  get(): Promise<types.ReferralSettings> {
    return this.#core.data("GET", "/api/external/v1/referrals/settings");
  }

  /** Update the program's settings: `PUT /api/external/v1/referrals/settings`. */
  update(body: types.ReferralSettingsChanges = {}): Promise<types.ReferralSettings> {
    return this.#core.data("PUT", "/api/external/v1/referrals/settings", { body });
  }
}

/** `client.referrals.tiers`. */
export class ReferralsTiers {
  readonly #core: Core;

  constructor(core: Core) {
    this.#core = core;
  }

  /** List reward tiers: `GET /api/external/v1/referrals/tiers`. */
  list(): Promise<types.Tier[]> {
    return this.#core.data("GET", "/api/external/v1/referrals/tiers");
  }

  /** Create a reward tier: `POST /api/external/v1/referrals/tiers`. */
  create(body: types.TierBody, options: PostOptions = {}): Promise<types.Tier> {
    return this.#core.data("POST", "/api/external/v1/referrals/tiers", { body, options });
  }

  /** Update a reward tier: `PUT /api/external/v1/referrals/tiers/{id}`. */
  update(tierId: number, body: types.TierChanges = {}): Promise<types.Tier> {
    return this.#core.data("PUT", "/api/external/v1/referrals/tiers/{id}", { ids: [tierId], body });
  }

  /** Delete a reward tier: `DELETE /api/external/v1/referrals/tiers/{id}`. */
  delete(tierId: number): Promise<string> {
    return this.#core.message("DELETE", "/api/external/v1/referrals/tiers/{id}", { ids: [tierId] });
  }

  /** Activate or deactivate a reward tier: `POST /api/external/v1/referrals/tiers/{id}/toggle`. */
  toggle(tierId: number, options: PostOptions = {}): Promise<types.ToggledTier> {
    return this.#core.data("POST", "/api/external/v1/referrals/tiers/{id}/toggle", { ids: [tierId], options });
  }
}

/** `client.servers`. */
export class Servers {
  readonly #core: Core;

  constructor(core: Core) {
    this.#core = core;
  }

  /** List servers: `GET /api/external/v1/servers`. */
  list(): Promise<types.Server[]> {
    return this.#core.data("GET", "/api/external/v1/servers");
  }

  /** Create a server: `POST /api/external/v1/servers`. */
  create(body: types.ServerBody, options: PostOptions = {}): Promise<types.NewServer> {
    return this.#core.data("POST", "/api/external/v1/servers", { body, options });
  }

  /** Read a server: `GET /api/external/v1/servers/{id}`. */
  get(serverId: number): Promise<types.Server> {
    return this.#core.data("GET", "/api/external/v1/servers/{id}", { ids: [serverId] });
  }

  /** Update a server: `PUT /api/external/v1/servers/{id}`. */
  update(serverId: number, body: types.ServerChanges = {}): Promise<types.Server> {
    return this.#core.data("PUT", "/api/external/v1/servers/{id}", { ids: [serverId], body });
  }

  /** Delete a server: `DELETE /api/external/v1/servers/{id}`. */
  delete(serverId: number): Promise<string> {
    return this.#core.message("DELETE", "/api/external/v1/servers/{id}", { ids: [serverId] });
  }

  /** Replace the token of a server: `POST /api/external/v1/servers/{id}/rotate-token`. */
  rotateToken(serverId: number, options: PostOptions = {}): Promise<types.ServerToken> {
    return this.#core.data("POST", "/api/external/v1/servers/{id}/rotate-token", { ids: [serverId], options });
  }

  /** Send a server everything again: `POST /api/external/v1/servers/{id}/resync`. */
  resync(serverId: number, body: types.ResyncBody = {}, options: PostOptions = {}): Promise<types.Resync> {
    return this.#core.data("POST", "/api/external/v1/servers/{id}/resync", { ids: [serverId], body, options });
  }
}

/** `client.store`. */
export class Store {
  readonly coupons: StoreCoupons;
  readonly customers: StoreCustomers;
  readonly giftCards: StoreGiftCards;
  readonly orders: StoreOrders;
  readonly products: StoreProducts;
  readonly subscriptions: StoreSubscriptions;
  readonly supportTickets: StoreSupportTickets;

  constructor(core: Core) {
    this.coupons = new StoreCoupons(core);
    this.customers = new StoreCustomers(core);
    this.giftCards = new StoreGiftCards(core);
    this.orders = new StoreOrders(core);
    this.products = new StoreProducts(core);
    this.subscriptions = new StoreSubscriptions(core);
    this.supportTickets = new StoreSupportTickets(core);
  }
}

/** `client.store.coupons`. */
export class StoreCoupons {
  readonly #core: Core;

  constructor(core: Core) {
    this.#core = core;
  }

  /** Price a cart with a coupon: `POST /api/store/v1/coupons/preview`. */
  preview(body: types.PreviewBody, options: PostOptions = {}): Promise<types.CouponPreview> {
    return this.#core.data("POST", "/api/store/v1/coupons/preview", { body, options });
  }
}

/** `client.store.customers`. */
export class StoreCustomers {
  readonly #core: Core;

  constructor(core: Core) {
    this.#core = core;
  }

  /** Create a customer: `POST /api/store/v1/customers`. */
  create(body: types.SignUpBody, options: PostOptions = {}): Promise<types.SignedUp> {
    return this.#core.data("POST", "/api/store/v1/customers", { body, options });
  }

  /** Find customers: `GET /api/store/v1/customers`. */
  list(query: types.FindCustomersQuery = {}): Pages<types.Customer> {
    return this.#core.pages("/api/store/v1/customers", { query });
  }

  /** Read a customer of the store: `GET /api/store/v1/customers/{id}`. */
  get(customerId: number): Promise<types.Customer> {
    return this.#core.data("GET", "/api/store/v1/customers/{id}", { ids: [customerId] });
  }

  /** Change a customer of the store: `PUT /api/store/v1/customers/{id}`. */
  update(customerId: number, body: types.CustomerChanges = {}): Promise<types.ChangedCustomer> {
    return this.#core.data("PUT", "/api/store/v1/customers/{id}", { ids: [customerId], body });
  }

  /** Erase a customer: `DELETE /api/store/v1/customers/{id}`. */
  delete(customerId: number): Promise<string> {
    return this.#core.message("DELETE", "/api/store/v1/customers/{id}", { ids: [customerId] });
  }

  /** Export a customer: `GET /api/store/v1/customers/{id}/export`. */
  export(customerId: number): Promise<types.CustomerExport> {
    return this.#core.data("GET", "/api/store/v1/customers/{id}/export", { ids: [customerId] });
  }

  /** Read a customer's referrals: `GET /api/store/v1/customers/{id}/referrals`. */
  referrals(customerId: number): Promise<types.CustomerReferrals> {
    return this.#core.data("GET", "/api/store/v1/customers/{id}/referrals", { ids: [customerId] });
  }

  /** Claim a reward tier: `POST /api/store/v1/customers/{id}/claims`. */
  claim(customerId: number, body: types.ClaimBody, options: PostOptions = {}): Promise<types.OwnClaim> {
    return this.#core.data("POST", "/api/store/v1/customers/{id}/claims", { ids: [customerId], body, options });
  }

  /** List what a customer owns: `GET /api/store/v1/customers/{id}/goods`. */
  goods(customerId: number, query: types.ListCustomerGoodsQuery = {}): Pages<types.OwnedGood> {
    return this.#core.pages("/api/store/v1/customers/{id}/goods", { ids: [customerId], query });
  }
}

/** `client.store.giftCards`. */
export class StoreGiftCards {
  readonly #core: Core;

  constructor(core: Core) {
    this.#core = core;
  }

  /** Create a gift card: `POST /api/store/v1/gift-cards`. */
  create(body: types.NewGiftCardBody, options: PostOptions = {}): Promise<types.GiftCardWithCode> {
    return this.#core.data("POST", "/api/store/v1/gift-cards", { body, options });
  }
}

/** `client.store.orders`. */
export class StoreOrders {
  readonly #core: Core;

  constructor(core: Core) {
    this.#core = core;
  }

  /** Place an order: `POST /api/store/v1/orders`. */
  create(body: types.OrderBody, options: PostOptions = {}): Promise<types.PlacedOrder> {
    return this.#core.data("POST", "/api/store/v1/orders", { body, options });
  }

  /** Find orders: `GET /api/store/v1/orders`. */
  list(query: types.FindOrdersQuery = {}): Pages<types.Order> {
    return this.#core.pages("/api/store/v1/orders", { query });
  }

  /** Read an order of the store: `GET /api/store/v1/orders/{id}`. */
  get(orderId: number): Promise<types.Order> {
    return this.#core.data("GET", "/api/store/v1/orders/{id}", { ids: [orderId] });
  }

  /** Mark an order as paid: `POST /api/store/v1/orders/{id}/pay`. */
  pay(orderId: number, body: types.PayBody = {}, options: PostOptions = {}): Promise<types.PaidOrder> {
    return this.#core.data("POST", "/api/store/v1/orders/{id}/pay", { ids: [orderId], body, options });
  }

  /** Refund an order: `POST /api/store/v1/orders/{id}/refund`. */
  refund(orderId: number, body: types.RefundBody = {}, options: PostOptions = {}): Promise<types.RefundedOrder> {
    return this.#core.data("POST", "/api/store/v1/orders/{id}/refund", { ids: [orderId], body, options });
  }

  /** Cancel an order: `POST /api/store/v1/orders/{id}/cancel`. */
  cancel(orderId: number, body: types.CancelBody = {}, options: PostOptions = {}): Promise<types.Order> {
    return this.#core.data("POST", "/api/store/v1/orders/{id}/cancel", { ids: [orderId], body, options });
  }

  /** Report a declined payment: `POST /api/store/v1/orders/{id}/payment-attempts`. */
  decline(orderId: number, body: types.PaymentAttemptBody = {}, options: PostOptions = {}): Promise<types.PaymentAttempt> {
    return this.#core.data("POST", "/api/store/v1/orders/{id}/payment-attempts", { ids: [orderId], body, options });
  }

  /** Report a dispute: `POST /api/store/v1/orders/{id}/dispute`. */
  dispute(orderId: number, body: types.DisputeBody, options: PostOptions = {}): Promise<types.Dispute> {
    return this.#core.data("POST", "/api/store/v1/orders/{id}/dispute", { ids: [orderId], body, options });
  }

  /** Read what an order handed over: `GET /api/store/v1/orders/{id}/goods`. */
  goods(orderId: number): Promise<types.HandedGood[]> {
    return this.#core.data("GET", "/api/store/v1/orders/{id}/goods", { ids: [orderId] });
  }
}

/** `client.store.products`. */
export class StoreProducts {
  readonly #core: Core;

  constructor(core: Core) {
    this.#core = core;
  }

  /** Create a product: `POST /api/store/v1/products`. */
  create(body: types.ProductBody, options: PostOptions = {}): Promise<types.Product> {
    return this.#core.data("POST", "/api/store/v1/products", { body, options });
  }

  /** Update a product: `PUT /api/store/v1/products/{id}`. */
  update(productId: number, body: types.ProductChanges = {}): Promise<types.Product> {
    return this.#core.data("PUT", "/api/store/v1/products/{id}", { ids: [productId], body });
  }

  /** Delete a product: `DELETE /api/store/v1/products/{id}`. */
  delete(productId: number): Promise<string> {
    return this.#core.message("DELETE", "/api/store/v1/products/{id}", { ids: [productId] });
  }
}

/** `client.store.subscriptions`. */
export class StoreSubscriptions {
  readonly #core: Core;

  constructor(core: Core) {
    this.#core = core;
  }

  /** Create a subscription: `POST /api/store/v1/subscriptions`. */
  create(body: types.SubscriptionBody, options: PostOptions = {}): Promise<types.PaidPeriod> {
    return this.#core.data("POST", "/api/store/v1/subscriptions", { body, options });
  }

  /** List subscriptions: `GET /api/store/v1/subscriptions`. */
  list(query: types.ListSubscriptionsQuery = {}): Pages<types.Subscription> {
    return this.#core.pages("/api/store/v1/subscriptions", { query });
  }

  /** Read a subscription: `GET /api/store/v1/subscriptions/{id}`. */
  get(subscriptionId: number): Promise<types.Subscription> {
    return this.#core.data("GET", "/api/store/v1/subscriptions/{id}", { ids: [subscriptionId] });
  }

  /** Renew a subscription: `POST /api/store/v1/subscriptions/{id}/renew`. */
  renew(subscriptionId: number, options: PostOptions = {}): Promise<types.PaidPeriod> {
    return this.#core.data("POST", "/api/store/v1/subscriptions/{id}/renew", { ids: [subscriptionId], options });
  }

  /** Cancel a subscription: `POST /api/store/v1/subscriptions/{id}/cancel`. */
  cancel(subscriptionId: number, body: types.SubscriptionCancelBody = {}, options: PostOptions = {}): Promise<types.Subscription> {
    return this.#core.data("POST", "/api/store/v1/subscriptions/{id}/cancel", { ids: [subscriptionId], body, options });
  }
}

/** `client.store.supportTickets`. */
export class StoreSupportTickets {
  readonly #core: Core;

  constructor(core: Core) {
    this.#core = core;
  }

  /** Open a support ticket: `POST /api/store/v1/support-tickets`. */
  create(body: types.TicketBody, options: PostOptions = {}): Promise<types.TicketDetail> {
    return this.#core.data("POST", "/api/store/v1/support-tickets", { body, options });
  }

  /** Add a customer's message: `POST /api/store/v1/support-tickets/{id}/messages`. */
  addMessage(supportTicketId: number, body: types.CustomerMessageBody, options: PostOptions = {}): Promise<types.PostedMessage> {
    return this.#core.data("POST", "/api/store/v1/support-tickets/{id}/messages", { ids: [supportTicketId], body, options });
  }
}

/** `client.supportTickets`. */
export class SupportTickets {
  readonly #core: Core;

  constructor(core: Core) {
    this.#core = core;
  }

  /** List support tickets: `GET /api/external/v1/support-tickets`. */
  list(query: types.ListSupportTicketsQuery = {}): Pages<types.Ticket> {
    return this.#core.pages("/api/external/v1/support-tickets", { query });
  }

  /** Read support statistics: `GET /api/external/v1/support-tickets/stats`. */
  stats(): Promise<types.TicketStats> {
    return this.#core.data("GET", "/api/external/v1/support-tickets/stats");
  }

  /** Read a support ticket with its messages: `GET /api/external/v1/support-tickets/{id}`. */
  get(supportTicketId: number, query: types.GetSupportTicketQuery = {}): Promise<types.TicketDetail> {
    return this.#core.data("GET", "/api/external/v1/support-tickets/{id}", { ids: [supportTicketId], query });
  }

  /** Set a support ticket's status: `PUT /api/external/v1/support-tickets/{id}/status`. */
  setStatus(supportTicketId: number, body: types.StatusBody): Promise<types.Ticket> {
    return this.#core.data("PUT", "/api/external/v1/support-tickets/{id}/status", { ids: [supportTicketId], body });
  }

  /** Add a staff message to a support ticket: `POST /api/external/v1/support-tickets/{id}/messages`. */
  addMessage(supportTicketId: number, body: types.MessageBody, options: PostOptions = {}): Promise<types.PostedMessage> {
    return this.#core.data("POST", "/api/external/v1/support-tickets/{id}/messages", { ids: [supportTicketId], body, options });
  }

  /** Close a support ticket: `POST /api/external/v1/support-tickets/{id}/close`. */
  close(supportTicketId: number, body: types.CloseBody = {}, options: PostOptions = {}): Promise<types.Ticket> {
    return this.#core.data("POST", "/api/external/v1/support-tickets/{id}/close", { ids: [supportTicketId], body, options });
  }

  /** Assign a support ticket: `POST /api/external/v1/support-tickets/{id}/assign`. */
  assign(supportTicketId: number, body: types.AssignBody, options: PostOptions = {}): Promise<types.Ticket> {
    return this.#core.data("POST", "/api/external/v1/support-tickets/{id}/assign", { ids: [supportTicketId], body, options });
  }
}

/** `client.webhooks`. */
export class Webhooks {
  readonly deliveries: WebhooksDeliveries;
  readonly replays: WebhooksReplays;
  readonly #core: Core;

  constructor(core: Core) {
    this.#core = core;
    this.deliveries = new WebhooksDeliveries(core);
    this.replays = new WebhooksReplays(core);
  }

  /** List webhooks: `GET /api/external/v1/webhooks`. */
  list(): Promise<types.Webhook[]> {
    return this.#core.data("GET", "/api/external/v1/webhooks");
  }

  /** Create a webhook: `POST /api/external/v1/webhooks`. */
  create(body: types.WebhookBody, options: PostOptions = {}): Promise<types.WebhookWithSecret> {
    return this.#core.data("POST", "/api/external/v1/webhooks", { body, options });
  }

  /** Read a webhook: `GET /api/external/v1/webhooks/{id}`. */
  get(webhookId: number): Promise<types.Webhook> {
    return this.#core.data("GET", "/api/external/v1/webhooks/{id}", { ids: [webhookId] });
  }

  /** Update a webhook: `PUT /api/external/v1/webhooks/{id}`. */
  update(webhookId: number, body: types.WebhookChanges = {}): Promise<types.Webhook> {
    return this.#core.data("PUT", "/api/external/v1/webhooks/{id}", { ids: [webhookId], body });
  }

  /** Delete a webhook: `DELETE /api/external/v1/webhooks/{id}`. */
  delete(webhookId: number): Promise<string> {
    return this.#core.message("DELETE", "/api/external/v1/webhooks/{id}", { ids: [webhookId] });
  }

  /** Send a test delivery: `POST /api/external/v1/webhooks/{id}/test`. */
  test(webhookId: number, options: PostOptions = {}): Promise<types.TestResult> {
    return this.#core.data("POST", "/api/external/v1/webhooks/{id}/test", { ids: [webhookId], options });
  }

  /** List event types: `GET /api/external/v1/webhooks/event-types`. */
  eventTypes(): Promise<types.EventType[]> {
    return this.#core.data("GET", "/api/external/v1/webhooks/event-types");
  }

  /** Rotate a webhook's secret: `POST /api/external/v1/webhooks/{id}/rotate-secret`. */
  rotateSecret(webhookId: number, options: PostOptions = {}): Promise<types.WebhookWithSecret> {
    return this.#core.data("POST", "/api/external/v1/webhooks/{id}/rotate-secret", { ids: [webhookId], options });
  }
}

/** `client.webhooks.deliveries`. */
export class WebhooksDeliveries {
  readonly #core: Core;

  constructor(core: Core) {
    this.#core = core;
  }

  /** List a webhook's deliveries: `GET /api/external/v1/webhooks/{id}/deliveries`. */
  list(webhookId: number, query: types.ListDeliveriesQuery = {}): Pages<types.Delivery> {
    return this.#core.pages("/api/external/v1/webhooks/{id}/deliveries", { ids: [webhookId], query });
  }

  /** Read a delivery with its attempts: `GET /api/external/v1/webhooks/deliveries/{delivery_id}`. */
  get(deliveryId: string): Promise<types.DeliveryDetail> {
    return this.#core.data("GET", "/api/external/v1/webhooks/deliveries/{delivery_id}", { ids: [deliveryId] });
  }

  /** Send a delivery again: `POST /api/external/v1/webhooks/deliveries/{delivery_id}/redeliver`. */
  redeliver(deliveryId: string, options: PostOptions = {}): Promise<types.Delivery> {
    return this.#core.data("POST", "/api/external/v1/webhooks/deliveries/{delivery_id}/redeliver", { ids: [deliveryId], options });
  }
}

/** `client.webhooks.replays`. */
export class WebhooksReplays {
  readonly #core: Core;

  constructor(core: Core) {
    this.#core = core;
  }

  /** Send recorded events again: `POST /api/external/v1/webhooks/{id}/replay`. */
  create(webhookId: number, body: types.ReplayBody, options: PostOptions = {}): Promise<types.Replay> {
    return this.#core.data("POST", "/api/external/v1/webhooks/{id}/replay", { ids: [webhookId], body, options });
  }

  /** Read a replay's progress: `GET /api/external/v1/webhooks/{id}/replay`. */
  get(webhookId: number): Promise<types.Replay> {
    return this.#core.data("GET", "/api/external/v1/webhooks/{id}/replay", { ids: [webhookId] });
  }
}
