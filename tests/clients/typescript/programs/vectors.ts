// Verifies the deliveries of a list, and compares the outcome of each with what the list expects.

import { readFileSync } from "node:fs";

import { verifyWebhook, WebhookNotVerified, type VerifyOptions } from "lootkeep-client";

import { check, equal, report } from "./checks.js";

interface Vector {
  title: string;
  body: string;
  headers: Record<string, string>;
  secret: string;
  now: number;
  require_timestamp: boolean;
  reason: string | null;
}

for (const vector of JSON.parse(readFileSync("vectors.json", "utf8")) as Vector[]) {
  const body = Buffer.from(vector.body, "base64");
  const options: VerifyOptions = { now: () => vector.now, requireTimestamp: vector.require_timestamp };
  await check(vector.title, async () => {
    equal(await outcome(() => verifyWebhook(body, vector.headers, vector.secret, options)), vector.reason);
  });
  await check(`${vector.title}, as Headers`, async () => {
    const headers = new Headers(vector.headers);
    equal(await outcome(() => verifyWebhook(body, headers, vector.secret, options)), vector.reason);
  });
}

async function outcome(act: () => Promise<{ id: string }>): Promise<string | null> {
  try {
    equal((await act()).id, "wh_1");
    return null;
  } catch (error) {
    if (!(error instanceof WebhookNotVerified)) throw error;
    equal(error.message.endsWith("."), true);
    return error.reason;
  }
}

report();
