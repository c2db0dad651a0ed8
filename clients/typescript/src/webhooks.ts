// Verifies a delivery as its receiver: both signatures, in constant time, with an explanation of what is wrong.

import { WebhookNotVerified, type WebhookFault } from "./errors.js";
import type { WebhookDelivery } from "./generated/types.js";

/** Longer than clocks differ, shorter than a recorded request is of use. */
const TOLERANCE_SECONDS = 300;

const PLAIN = "x-webhook-signature";
const [ID, TIMESTAMP, STANDARD] = ["webhook-id", "webhook-timestamp", "webhook-signature"] as const;
const TRIO = [ID, TIMESTAMP, STANDARD];
const SECONDS = /^[1-9][0-9]{0,10}$/;
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;
const PREFIX = "whsec_";
const UTF8 = new TextEncoder();

/** As `fetch`, Node and most frameworks have them. */
export type WebhookHeaders = Headers | Record<string, string | string[] | undefined>;

export interface VerifyOptions {
  /** `false` also believes `X-Webhook-Signature` alone: anyone who has recorded a request can then send it again. */
  requireTimestamp?: boolean;
  /** The time, in seconds since 1970. */
  now?: () => number;
}

type Bytes = Uint8Array<ArrayBuffer>;

/** The delivery, once its signature is right; else `WebhookNotVerified`. `body` must be as it was sent, not parsed. */
export async function verifyWebhook(
  body: Uint8Array | string,
  headers: WebhookHeaders,
  secret: string,
  { requireTimestamp = true, now = () => Date.now() / 1000 }: VerifyOptions = {},
): Promise<WebhookDelivery> {
  const bytes = typeof body === "string" ? UTF8.encode(body) : new Uint8Array(body);
  const sent = lowerCase(headers);
  if (!secret.replace(PREFIX, "")) throw badSecret();
  if (TRIO.some((name) => sent.has(name))) {
    await verifyStandard(bytes, sent, secret, now());
  } else if (!sent.has(PLAIN)) {
    throw fault("header_missing", "Neither webhook-signature nor X-Webhook-Signature was sent.");
  } else if (!(await isPlain(bytes, sent, secret))) {
    throw await mismatch(bytes, (again) => isPlain(again, sent, secret));
  } else if (requireTimestamp) {
    throw fault(
      "header_missing",
      "The webhook-* headers, which sign the time, were not sent: it may be a replayed request.",
    );
  }
  return JSON.parse(new TextDecoder().decode(bytes)) as WebhookDelivery;
}

async function verifyStandard(body: Bytes, sent: Map<string, string>, secret: string, now: number): Promise<void> {
  const missing = TRIO.filter((name) => !sent.get(name));
  if (missing.length) throw fault("header_missing", `${missing.join(" and ")} was not sent.`);
  const timestamp = sent.get(TIMESTAMP) ?? "";
  if (!SECONDS.test(timestamp)) throw fault("bad_timestamp", "webhook-timestamp is not a Unix time in seconds.");
  if (!(await isStandard(body, sent, secret))) {
    if (await isPlain(body, sent, secret)) {
      throw fault("headers_changed", `The body is genuine, but one of ${TRIO.join(", ")} is not as it was sent.`);
    }
    throw await mismatch(body, (again) => isStandard(again, sent, secret));
  }
  const age = now - Number(timestamp);
  if (age > TOLERANCE_SECONDS) {
    throw fault("old_timestamp", "It was signed too long ago: it may be a recorded request sent again.");
  }
  if (age < -TOLERANCE_SECONDS) throw fault("future_timestamp", "It was signed in the future: the clocks differ.");
}

async function mismatch(body: Bytes, fits: (again: Bytes) => Promise<boolean>): Promise<WebhookNotVerified> {
  const again = reserialised(body);
  if (again && (await fits(again))) {
    return fault("body_reserialised", "The body was parsed and written again: verify the bytes as they were sent.");
  }
  return fault("wrong_secret", "It was signed with another secret, or the body was changed on the way.");
}

/** The body as the service writes it; undefined when it is no JSON. */
function reserialised(body: Bytes): Bytes | undefined {
  try {
    return UTF8.encode(JSON.stringify(JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(body))));
  } catch {
    return undefined;
  }
}

async function isPlain(body: Bytes, sent: Map<string, string>, secret: string): Promise<boolean> {
  const digest = await hmac(UTF8.encode(secret), body);
  const hex = Array.from(digest, (byte) => byte.toString(16).padStart(2, "0")).join("");
  return isSame(hex, sent.get(PLAIN) ?? "");
}

/** The header may hold several signatures: after a rotation both secrets sign. */
async function isStandard(body: Bytes, sent: Map<string, string>, secret: string): Promise<boolean> {
  const encoded = secret.startsWith(PREFIX) ? secret.slice(PREFIX.length) : secret;
  if (!BASE64.test(encoded)) throw badSecret();
  const key = Uint8Array.from(atob(encoded), (character) => character.charCodeAt(0));
  const head = UTF8.encode(`${sent.get(ID)}.${sent.get(TIMESTAMP)}.`);
  const signed = new Uint8Array(head.length + body.length);
  signed.set(head);
  signed.set(body, head.length);
  const expected = `v1,${btoa(String.fromCharCode(...(await hmac(key, signed))))}`;
  const signatures = (sent.get(STANDARD) ?? "").split(" ");
  return signatures.map((signature) => isSame(expected, signature)).includes(true);
}

async function hmac(secret: Bytes, text: Bytes): Promise<Uint8Array> {
  const key = await crypto.subtle.importKey("raw", secret, { name: "HMAC", hash: "SHA-256" }, false, ["sign"]);
  return new Uint8Array(await crypto.subtle.sign("HMAC", key, text));
}

/** In constant time. */
function isSame(expected: string, signature: string): boolean {
  const [left, right] = [UTF8.encode(expected), UTF8.encode(signature)];
  return left.length === right.length && left.reduce((sum, byte, index) => sum | (byte ^ right[index]!), 0) === 0;
}

function lowerCase(headers: WebhookHeaders): Map<string, string> {
  const entries = headers instanceof Headers ? [...headers] : Object.entries(headers);
  return new Map(entries.flatMap(([name, value]) => (value === undefined ? [] : [[name.toLowerCase(), String(value)]])));
}

/** Also of an empty one, with which anyone can sign. */
function badSecret(): WebhookNotVerified {
  return fault("bad_secret", `The secret must be given as it was shown, from ${PREFIX} to the last character.`);
}

function fault(reason: WebhookFault, message: string): WebhookNotVerified {
  return new WebhookNotVerified(reason, message);
}
