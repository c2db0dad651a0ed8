// When a request is sent again, and after how long.

/**
 * How often a request is tried in all, and how long to wait in between.
 *
 * The waits double from `firstSeconds` to `longestSeconds`, each shortened by chance by up to half, so that many
 * clients do not come back at once. `Retry-After` goes before; a longer one than `patienceSeconds` is not waited for.
 */
export interface Retry {
  attempts: number;
  firstSeconds: number;
  longestSeconds: number;
  patienceSeconds: number;
}

export const DEFAULT_RETRY: Retry = { attempts: 5, firstSeconds: 0.5, longestSeconds: 8, patienceSeconds: 60 };

/** An answer with its whole text. */
export interface Answer {
  status: number;
  headers: Headers;
  text: string;
}

/** Too many requests, and what says that nothing was done or that trying again may help. */
const PASSING = new Set([408, 429, 502, 503, 504]);
/** The first request with this key is still running: its answer can be had in a moment. */
const STILL_RUNNING = "idempotency_key_in_use";

/** How many seconds to wait before trying again; undefined when this is the answer. */
export function waitAfterAnswer(retry: Retry, attempt: number, answer: Answer): number | undefined {
  const passes = PASSING.has(answer.status) || (answer.status === 409 && answer.text.includes(STILL_RUNNING));
  if (attempt >= retry.attempts || !passes) return undefined;
  const asked = secondsAsked(answer.headers);
  if (asked === undefined) return wait(retry, attempt);
  return asked <= retry.patienceSeconds ? asked : undefined;
}

/** The same when no answer came. */
export function waitAfterFailure(retry: Retry, attempt: number): number | undefined {
  return attempt >= retry.attempts ? undefined : wait(retry, attempt);
}

/** What Retry-After asks for. */
export function secondsAsked(headers: Headers): number | undefined {
  const asked = headers.get("retry-after") ?? "";
  return /^[0-9]+$/.test(asked) ? Number(asked) : undefined;
}

function wait(retry: Retry, attempt: number): number {
  const longest = Math.min(retry.longestSeconds, retry.firstSeconds * 2 ** (attempt - 1));
  return longest * (0.5 + Math.random() / 2);
}
