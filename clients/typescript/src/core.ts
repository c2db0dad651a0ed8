// Sends requests and tries again: what is behind every method of the client.

import { ConnectionFailed, FieldsIgnored, fromAnswer } from "./errors.js";
import { Pages, readPage } from "./pages.js";
import { DEFAULT_RETRY, secondsAsked, waitAfterAnswer, waitAfterFailure, type Answer, type Retry } from "./retry.js";

const VERSION = "0.1.0";
/** Longer than the slowest call, which is the test of a webhook. */
const TIMEOUT_SECONDS = 30;

export type Sleep = (seconds: number) => Promise<void>;

export interface CoreOptions {
  /** For each attempt. */
  timeoutSeconds?: number;
  retry?: Partial<Retry>;
  /** Sends the requests, for a proxy, your own certificates, or tests. */
  fetch?: typeof globalThis.fetch;
  /** Waits between two attempts. */
  sleep?: Sleep;
}

export interface PostOptions {
  /** Makes the call safe across restarts of your program; otherwise every call has a new key. */
  idempotencyKey?: string;
}

interface Parts {
  ids?: readonly (number | string)[];
  query?: object;
  body?: object;
  options?: PostOptions;
}

/** The JSON of a success. */
export type Envelope = Record<string, unknown>;

export class Core {
  readonly #url: string;
  readonly #headers: Record<string, string>;
  readonly #timeout: number;
  readonly #retry: Retry;
  readonly #fetch: typeof globalThis.fetch;
  readonly #sleep: Sleep;

  constructor(url: string, token: string, options: CoreOptions) {
    this.#url = url;
    this.#headers = {
      Authorization: `Bearer ${token}`,
      Accept: "application/json",
      "User-Agent": `lootkeep-client-typescript/${VERSION}`,
    };
    this.#timeout = (options.timeoutSeconds ?? TIMEOUT_SECONDS) * 1000;
    this.#retry = { ...DEFAULT_RETRY, ...options.retry };
    this.#fetch = options.fetch ?? ((input, init) => globalThis.fetch(input, init));
    this.#sleep = options.sleep ?? ((seconds) => new Promise((resolve) => setTimeout(resolve, seconds * 1000)));
  }

  /** The content of `data`. */
  async data<Data>(method: string, path: string, parts: Parts = {}): Promise<Data> {
    return (await this.#send(method, path, parts))["data"] as Data;
  }

  async message(method: string, path: string, parts: Parts = {}): Promise<string> {
    return String((await this.#send(method, path, parts))["message"]);
  }

  pages<Item>(path: string, parts: Parts & { query: { page?: number } }): Pages<Item> {
    const fetchPage = async (page: number | undefined) =>
      readPage<Item>(await this.#send("GET", path, { ...parts, query: { ...parts.query, page } }));
    return new Pages(fetchPage, parts.query.page);
  }

  async #send(method: string, path: string, parts: Parts): Promise<Envelope> {
    const url = this.#url + withIds(path, parts.ids ?? []) + asQuery(parts.query ?? {});
    const headers = { ...this.#headers };
    const init: RequestInit = { method, headers, redirect: "manual" };
    // Every POST gets a key, so that the service does it once however often it is sent.
    if (method === "POST") headers["Idempotency-Key"] = parts.options?.idempotencyKey || crypto.randomUUID();
    if (parts.body) {
      headers["Content-Type"] = "application/json";
      init.body = JSON.stringify(parts.body);
    }
    for (let attempt = 1; ; attempt += 1) {
      const answer = await this.#attempt(url, init).catch(noAnswer);
      const isLost = answer instanceof ConnectionFailed;
      const wait = isLost ? waitAfterFailure(this.#retry, attempt) : waitAfterAnswer(this.#retry, attempt, answer);
      if (wait !== undefined) await this.#sleep(wait);
      else if (isLost) throw answer;
      else return parse(answer);
    }
  }

  async #attempt(url: string, init: RequestInit): Promise<Answer> {
    const response = await this.#fetch(url, { ...init, signal: AbortSignal.timeout(this.#timeout) });
    return { status: response.status, headers: response.headers, text: await response.text() };
  }
}

function withIds(path: string, ids: readonly (number | string)[]): string {
  return ids.reduce<string>((rest, id) => rest.replace(/\{\w+\}/, () => encodeURIComponent(id)), path);
}

function asQuery(query: object): string {
  const entries = Object.entries(query).filter(([, value]) => value !== undefined && value !== null);
  return entries.length ? `?${new URLSearchParams(entries.map(([name, value]) => [name, String(value)]))}` : "";
}

/** What fetch throws says little; its cause says what happened. */
function noAnswer(error: unknown): ConnectionFailed {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  const words = cause instanceof Error ? cause.message || cause.name : String(cause);
  return new ConnectionFailed(`The service did not answer: ${words}`, { cause: error });
}

/** The envelope of a success; anything else is thrown, also what was ignored: it was meant to do something. */
function parse({ status, headers, text }: Answer): Envelope {
  const body = json(text);
  if (status >= 200 && status < 300 && body["success"] === true) {
    const ignored = headers.get("x-ignored-fields");
    if (ignored) throw new FieldsIgnored(ignored.split(", "), body);
    return body;
  }
  throw fromAnswer(status, body, headers.get("x-request-id"), secondsAsked(headers));
}

function json(text: string): Envelope {
  try {
    const value: unknown = JSON.parse(text);
    return value !== null && typeof value === "object" ? (value as Envelope) : {};
  } catch {
    return {};
  }
}
