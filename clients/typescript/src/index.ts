// The TypeScript client of Lootkeep: every endpoint, with pages, retries and webhook verification.

export { Client, type ClientOptions } from "./client.js";
export type { PostOptions, Sleep } from "./core.js";
export {
  ApiError,
  Conflict,
  ConnectionFailed,
  FieldsIgnored,
  Forbidden,
  Invalid,
  LootkeepError,
  NotFound,
  RateLimited,
  ServerError,
  Unauthorized,
  WebhookNotVerified,
  type WebhookFault,
} from "./errors.js";
export type * as types from "./generated/types.js";
export { Pages, type Page } from "./pages.js";
export type { Retry } from "./retry.js";
export { verifyWebhook, type VerifyOptions, type WebhookHeaders } from "./webhooks.js";
