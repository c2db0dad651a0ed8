// What can go wrong: an answer that says no, no answer at all, or a delivery that must not be believed.

/** Everything that this package throws, but for wrong arguments. */
export class LootkeepError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = new.target.name;
  }
}

/** No answer came, also not after trying again. */
export class ConnectionFailed extends LootkeepError {}

export type WebhookFault =
  | "wrong_secret"
  | "body_reserialised"
  | "headers_changed"
  | "old_timestamp"
  | "future_timestamp"
  | "bad_timestamp"
  | "header_missing"
  | "bad_secret";

/** A delivery that must not be believed; `reason` is a stable word, the message a sentence. */
export class WebhookNotVerified extends LootkeepError {
  constructor(readonly reason: WebhookFault, message: string) {
    super(message);
  }
}

/** The service did what it understood, but ignored `names`: it does not know them. `answer` is its whole answer. */
export class FieldsIgnored extends LootkeepError {
  constructor(readonly names: readonly string[], readonly answer: Readonly<Record<string, unknown>>) {
    super(`The service answered, but does not know and ignored: ${names.join(", ")}.`);
  }
}

/** The service said no. `code` is a stable word for machines, `fields` has the sentences by field. */
export class ApiError extends LootkeepError {
  constructor(
    readonly status: number,
    readonly error: string,
    readonly code: string,
    message: string,
    readonly fields: Readonly<Record<string, readonly string[]>>,
    /** Names the request in the service's logs. */
    readonly requestId: string | undefined,
    /** In seconds. */
    readonly retryAfter: number | undefined,
  ) {
    super(message);
  }
}

/** 401: the token is missing, unknown, expired or revoked. */
export class Unauthorized extends ApiError {}

/** 403: the token lacks a scope. */
export class Forbidden extends ApiError {}

/** 404: there is no such thing. */
export class NotFound extends ApiError {}

/** 409: the state of the thing forbids it. */
export class Conflict extends ApiError {}

/** 422: the request is not acceptable; `fields` has the messages of every invalid field. */
export class Invalid extends ApiError {}

/** 429: too many requests; `retryAfter` says for how many seconds. */
export class RateLimited extends ApiError {}

/** 5xx: the service failed or is not available. */
export class ServerError extends ApiError {}

const BY_STATUS = new Map<number, typeof ApiError>([
  [401, Unauthorized],
  [403, Forbidden],
  [404, NotFound],
  [409, Conflict],
  [422, Invalid],
  [429, RateLimited],
]);

/** The error of an answer. What is between client and service may answer too, and in other words. */
export function fromAnswer(
  status: number,
  answer: Readonly<Record<string, unknown>>,
  requestId: string | null,
  retryAfter: number | undefined,
): ApiError {
  const kind = BY_STATUS.get(status) ?? (status >= 500 ? ServerError : ApiError);
  return new kind(
    status,
    String(answer["error"] ?? "Error"),
    String(answer["code"] ?? "unknown"),
    String(answer["message"] ?? `The server answered ${status}.`),
    (answer["errors"] ?? {}) as Record<string, string[]>,
    requestId ?? undefined,
    retryAfter,
  );
}
