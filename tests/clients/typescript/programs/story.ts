// The client against a running service, in any runtime: records, pages, errors, and retries that repeat nothing.

import {
  Client,
  ConnectionFailed,
  Conflict,
  FieldsIgnored,
  Forbidden,
  Invalid,
  NotFound,
  RateLimited,
  ServerError,
  Unauthorized,
  type ClientOptions,
} from "lootkeep-client";

import { check, equal, report, thrown } from "./checks.js";

const client = new Client();
const { env: environment } = (globalThis as unknown as { process: { env: Record<string, string> } }).process;
const BRONZE = { name: "Bronze", referrals_required: 5, reward_type: "percentage_discount", reward_value: 10 } as const;

/** A client whose requests pass through `send`, and which notes what it waits for instead of waiting. */
function watched(send: NonNullable<ClientOptions["fetch"]>, options: ClientOptions = {}) {
  const waits: number[] = [];
  const requests: RequestInit[] = [];
  const fetch: typeof send = (url, init) => {
    requests.push(init ?? {});
    return send(url, init);
  };
  const sleep = async (seconds: number) => void waits.push(seconds);
  return { client: new Client(undefined, undefined, { fetch, sleep, ...options }), waits, requests };
}

/** Answers with these, in turn; the last one stays. */
function scripted(...answers: (() => Response)[]) {
  return async () => (answers.length > 1 ? answers.shift()! : answers[0]!)();
}

const empty = () => Response.json({ success: true, data: [] });
const status = (code: number, headers: Record<string, string> = {}, text = "<html>proxy</html>") =>
  () => new Response(text, { status: code, headers });

await check("a tier is created, changed and removed", async () => {
  const tier = await client.referrals.tiers.create(BRONZE);
  equal([tier.name, tier.reward_value], ["Bronze", "10.00"]);
  equal((await client.referrals.tiers.update(tier.id, { name: "Silver", description: null })).name, "Silver");
  equal((await client.referrals.tiers.list()).find(({ id }) => id === tier.id)?.name, "Silver");
  equal(await client.referrals.tiers.delete(tier.id), "Referral tier deleted successfully");
});

await check("a list is read to its end, and from a page on", async () => {
  const { customer } = await client.store.customers.create({ email: `${crypto.randomUUID()}@example.com`, name: "Jun" });
  const ids: number[] = [];
  for (let count = 0; count < 7; count += 1) {
    const ticket = await client.store.supportTickets.create({ customer_id: customer.id, subject: "Key", message: "Hm." });
    ids.unshift(ticket.id);
  }
  const query = { search: customer.email, per_page: 3 };
  const items: number[] = [];
  for await (const ticket of client.supportTickets.list(query)) items.push(ticket.id);
  equal(items, ids);
  const rest: number[] = [];
  for await (const ticket of client.supportTickets.list({ ...query, page: 2 })) rest.push(ticket.id);
  equal(rest, ids.slice(3));
  const page = await client.supportTickets.list(query).page(3);
  equal([page.items.map(({ id }) => id), page.total, page.currentPage, page.lastPage, page.perPage], [[ids[6]], 7, 3, 3, 3]);
  equal((await client.supportTickets.list({ ...query, page: 2 }).page()).currentPage, 2);
});

await check("an ignored field is thrown with the answer", async () => {
  const error = await thrown(FieldsIgnored, () => client.referrals.tiers.create({ ...BRONZE, colour: "brown" } as typeof BRONZE));
  equal([error.names, (error.answer["data"] as { name: string }).name], [["colour"], "Bronze"]);
});

await check("a rejection has every field, the code and the request", async () => {
  const error = await thrown(Invalid, () => client.referrals.tiers.create({ ...BRONZE, name: "", reward_value: -1 }));
  equal([error.name, error.status, error.error, error.code], ["Invalid", 422, "Validation Error", "validation_failed"]);
  equal(error.fields["name"], ["The name field must not be empty."]);
  equal(["reward_value" in error.fields, Boolean(error.requestId), Boolean(error.message)], [true, true, true]);
});

await check("each rejection has a class", async () => {
  const { customer } = await client.store.customers.create({ email: `${crypto.randomUUID()}@example.com`, name: "Jun" });
  const ticket = await client.store.supportTickets.create({ customer_id: customer.id, subject: "Key", message: "Hm." });
  await client.supportTickets.close(ticket.id);
  const conflict = await thrown(Conflict, () => client.supportTickets.setStatus(ticket.id, { status: "pending" }));
  equal(conflict.message.includes("Allowed from here: open"), true);
  await thrown(NotFound, () => client.supportTickets.get(999_999));
  await thrown(Unauthorized, () => new Client(undefined, "lk_nobody").referrals.tiers.list());
  await thrown(Forbidden, () => watched(scripted(status(403))).client.referrals.tiers.list());
  await thrown(ServerError, () => watched(scripted(status(500))).client.referrals.tiers.list());
});

await check("an id cannot lead to another path", async () => {
  await thrown(NotFound, () => client.webhooks.deliveries.get("../../referrals/tiers"));
});

await check("an operation whose answer was lost is not repeated", async () => {
  const name = crypto.randomUUID();
  let lost = 2;
  const { client: flaky, waits, requests } = watched(async (url, init) => {
    const answer = await fetch(url, init);
    if (lost > 0) {
      lost -= 1;
      await answer.text();
      throw new TypeError("The connection was closed");
    }
    return answer;
  });
  const tier = await flaky.referrals.tiers.create({ ...BRONZE, name });
  const keys = new Set(requests.map(({ headers }) => (headers as Record<string, string>)["Idempotency-Key"]));
  const tiers = (await client.referrals.tiers.list()).filter((row) => row.name === name);
  equal([tiers.map(({ id }) => id), requests.length, keys.size, waits.length], [[tier.id], 3, 1, 2]);
});

await check("two calls are two operations unless they share a key", async () => {
  const [name, idempotencyKey] = [crypto.randomUUID(), crypto.randomUUID()];
  for (const options of [{}, {}, { idempotencyKey }, { idempotencyKey }]) {
    await client.referrals.tiers.create({ ...BRONZE, name }, options);
  }
  equal((await client.referrals.tiers.list()).filter((row) => row.name === name).length, 3);
});

await check("the client waits for a briefly unavailable service", async () => {
  for (const code of [408, 429, 502, 503, 504]) {
    const answers = [status(code), status(code), status(code), empty];
    const { client: patient, waits } = watched(scripted(...answers));
    equal(await patient.referrals.tiers.list(), []);
    waits.forEach((wait, index) => equal(wait >= 0.25 * 2 ** index && wait <= 0.5 * 2 ** index, true));
    equal(waits.length, 3);
  }
});

await check("a request that is still running is asked for again", async () => {
  const running = status(409, {}, '{"success": false, "code": "idempotency_key_in_use"}');
  const { client: patient, waits } = watched(scripted(running, () => Response.json({ success: true, data: { id: 1 } })));
  equal([(await patient.referrals.tiers.create(BRONZE)).id, waits.length], [1, 1]);
  const { client: other, waits: none } = watched(scripted(status(409)));
  await thrown(Conflict, () => other.referrals.tiers.create(BRONZE));
  equal(none, []);
});

await check("Retry-After is waited for as long as asked, up to a minute", async () => {
  const { client: patient, waits } = watched(scripted(status(429, { "Retry-After": "60" }), empty));
  equal([await patient.referrals.tiers.list(), waits], [[], [60]]);
  const { client: hasty, waits: none } = watched(scripted(status(429, { "Retry-After": "61" })));
  const error = await thrown(RateLimited, () => hasty.referrals.tiers.list());
  equal([error.retryAfter, none], [61, []]);
  const { client: dated, waits: plain } = watched(scripted(status(503, { "Retry-After": "Wed, 18 Nov 2026 07:28:00 GMT" }), empty));
  await dated.referrals.tiers.list();
  equal(plain.length === 1 && plain[0]! <= 0.5, true);
});

await check("the client gives up on an unavailable service", async () => {
  const refused = async () => Promise.reject(new TypeError("fetch failed", { cause: new Error("Connection refused") }));
  const { client: patient, waits } = watched(refused);
  const error = await thrown(ConnectionFailed, () => patient.referrals.tiers.list());
  equal([error.message, waits.length], ["The service did not answer: Connection refused", 4]);
  const { client: hasty, waits: none } = watched(scripted(status(503)), { retry: { attempts: 1 } });
  equal((await thrown(ServerError, () => hasty.referrals.tiers.list())).message, "The server answered 503.");
  equal(none, []);
  await thrown(ConnectionFailed, () =>
    new Client("http://127.0.0.1:1", "lk_test", { retry: { attempts: 1 } }).referrals.tiers.list());
});

await check("a service that does not answer in time did not answer", async () => {
  const silent: typeof fetch = (_, init) => new Promise((_, reject) => {
    // A runtime ends when nothing is left but a timeout of a signal; a connection would keep it going.
    const connection = setTimeout(() => {}, 60_000);
    init?.signal?.addEventListener("abort", () => {
      clearTimeout(connection);
      reject(init.signal?.reason);
    });
  });
  const { client: hasty, waits } = watched(silent, { timeoutSeconds: 0.01, retry: { attempts: 2 } });
  await thrown(ConnectionFailed, () => hasty.referrals.tiers.list());
  equal(waits.length, 1);
});

await check("a redirect is not followed", async () => {
  const { client: moved, requests } = watched(scripted(status(301, { Location: "/elsewhere" })));
  await thrown(Error, () => moved.referrals.tiers.create(BRONZE));
  equal(requests.map(({ redirect }) => redirect), ["manual"]);
});

await check("a URL without its scheme is rejected at once, and a missing token", async () => {
  for (const url of ["127.0.0.1:8000", "store.example", "ftp://store.example", "http://"]) {
    await thrown(TypeError, async () => new Client(url, "lk_token"));
  }
  const { LOOTKEEP_TOKEN } = environment;
  delete environment["LOOTKEEP_TOKEN"];
  const error = await thrown(TypeError, async () => new Client("https://store.example"));
  environment["LOOTKEEP_TOKEN"] = LOOTKEEP_TOKEN!;
  equal(error.message, "Give a token, or set LOOTKEEP_TOKEN.");
});

await check("a shop can be filled through the Store API, and its events are typed", async () => {
  const email = `${crypto.randomUUID()}@example.com`;
  const { customer } = await client.store.customers.create({ email, name: "Jun" });
  const product = await client.store.products.create({ name: "VIP rank", price: "20.00" });
  const { order } = await client.store.orders.create({
    customer_id: customer.id,
    items: [{ product_id: product.id, quantity: 1 }],
    ip_address: "203.0.113.9",
  });
  equal((await client.store.orders.pay(order.id, { transaction_id: "pi_1" })).status, "paid");
  const feed = await client.events.read({ after: 0, limit: 100 });
  equal(feed.events.some((event) => event.event_type === "product.created"), true);
});

await check("printing the client does not show the token", () => {
  equal(JSON.stringify(client).includes(environment["LOOTKEEP_TOKEN"]!), false);
});

report();
