// Webhooks as a careful developer sends them with BullMQ: `node worker.js prepare | work | events N`.
//
// An event is one job; the `events` worker turns it into one delivery row and one `deliveries` job per active webhook.
// A delivery costs two statements: the attempt is written before the request, which also reads the webhook as it is
// now, and the outcome after it. Both are prepared; the HTTP client and the database keep their connections.
import { createHmac, randomUUID } from "node:crypto";
import { createInterface } from "node:readline";
import { Queue, Worker } from "bullmq";
import pg from "pg";
import { Agent, request } from "undici";

const CONCURRENCY = Number(process.env.PEER_CONCURRENCY ?? 100);
const DEADLINE_MS = 10_000;
const RETRIES = { attempts: 6, backoff: { type: "exponential", delay: 300_000 }, removeOnComplete: true };

const redis = new URL(process.env.PEER_REDIS_URL);
const connection = { host: redis.hostname, port: Number(redis.port), db: Number(redis.pathname.slice(1) || 0) };
const pool = new pg.Pool({ connectionString: process.env.PEER_DATABASE_URL, max: 10 });
const agent = new Agent({ connections: 10, pipelining: 1, headersTimeout: DEADLINE_MS, bodyTimeout: DEADLINE_MS });

const TABLES = `
  CREATE TABLE webhooks (id serial PRIMARY KEY, url text NOT NULL, secret text NOT NULL, is_active bool NOT NULL);
  CREATE TABLE deliveries (
    id uuid PRIMARY KEY, webhook_id int NOT NULL REFERENCES webhooks, event_type text NOT NULL, body text NOT NULL,
    status text NOT NULL, created_at timestamptz NOT NULL DEFAULT now(), finished_at timestamptz, response_code int);
  CREATE INDEX ON deliveries (webhook_id, created_at);
  CREATE TABLE attempts (
    id bigserial PRIMARY KEY, delivery_id uuid NOT NULL REFERENCES deliveries, number int NOT NULL,
    outcome text NOT NULL, started_at timestamptz NOT NULL DEFAULT now(), finished_at timestamptz,
    response_code int, latency_ms int, reason text, excerpt text, UNIQUE (delivery_id, number));`;

const RECEIVERS = { name: "receivers", text: "SELECT id FROM webhooks WHERE is_active" };
const DELIVERIES = {
  name: "deliveries",
  text: `INSERT INTO deliveries (id, webhook_id, event_type, body, status)
    SELECT id, webhook, $3, body, 'pending' FROM unnest($1::uuid[], $2::int[], $4::text[]) AS made (id, webhook, body)`,
};
const START = {
  name: "start",
  text: `WITH started AS (
      INSERT INTO attempts (delivery_id, number, outcome)
      SELECT $1, $2, 'open' FROM webhooks WHERE id = $3 AND is_active RETURNING id)
    SELECT started.id, url, secret FROM started, webhooks WHERE webhooks.id = $3`,
};
const FINISH = {
  name: "finish",
  text: `WITH finished AS (
      UPDATE attempts SET outcome = $2, finished_at = now(), response_code = $3, latency_ms = $4, reason = $5,
        excerpt = $6 WHERE id = $1)
    UPDATE deliveries SET status = $7, response_code = $3, finished_at = CASE WHEN $7 = 'pending' THEN NULL ELSE now() END
    WHERE id = $8`,
};

async function prepare() {
  await pool.query(TABLES);
  const add = "INSERT INTO webhooks (url, secret, is_active) VALUES ($1, $2, true)";
  for (const url of process.env.PEER_WEBHOOKS.split(" ")) await pool.query(add, [url, randomUUID()]);
}

async function work() {
  const deliveries = new Queue("deliveries", { connection, defaultJobOptions: RETRIES });
  const workers = [
    new Worker("events", (job) => fanOut(job.data, deliveries), { connection }),
    new Worker("deliveries", deliver, { connection, concurrency: CONCURRENCY }),
  ];
  for (const worker of workers) worker.on("error", (error) => console.error(error));
  process.on("SIGTERM", async () => {
    await Promise.all(workers.map((worker) => worker.close()));
    process.exit(0);
  });
  await Promise.all(workers.map((worker) => worker.waitUntilReady()));
  console.log("ready");
}

async function fanOut(event, deliveries) {
  const { rows } = await pool.query(RECEIVERS);
  const made = rows.map(({ id: webhook }) => ({ id: randomUUID(), webhook, type: event.type }));
  for (const one of made)
    one.body = `{"id":"${one.id}","event_type":"${event.type}","created_at":"${event.created_at}","data":${event.data}}`;
  const columns = [made.map((one) => one.id), made.map((one) => one.webhook), event.type, made.map((one) => one.body)];
  await pool.query({ ...DELIVERIES, values: columns });
  await deliveries.addBulk(made.map((data) => ({ name: "deliver", data, opts: { jobId: data.id } })));
}

async function deliver(job) {
  const { id, webhook, type, body } = job.data;
  const { rows } = await pool.query({ ...START, values: [id, job.attemptsMade + 1, webhook] });
  if (rows.length === 0) return;
  const [attempt] = rows;
  const started = performance.now();
  const { code, reason, excerpt } = await post(attempt.url, body, {
    "content-type": "application/json",
    "x-webhook-event": type,
    "x-webhook-id": id,
    "x-webhook-signature": createHmac("sha256", attempt.secret).update(body).digest("hex"),
  });
  const isDelivered = code >= 200 && code < 300;
  const isLast = job.attemptsMade + 1 >= RETRIES.attempts;
  const status = isDelivered ? "delivered" : isLast ? "failed" : "pending";
  const latency = Math.round(performance.now() - started);
  const outcome = isDelivered ? "delivered" : "failed";
  await pool.query({ ...FINISH, values: [attempt.id, outcome, code, latency, reason, excerpt, status, id] });
  if (!isDelivered) throw new Error(reason);
}

async function post(url, body, headers) {
  try {
    const answer = await request(url, { method: "POST", body, headers, dispatcher: agent });
    const excerpt = (await answer.body.text()).slice(0, 2048).replaceAll("\0", "");
    const code = answer.statusCode;
    return { code, reason: code >= 200 && code < 300 ? null : `answered ${code}`, excerpt };
  } catch (error) {
    return { code: null, reason: error.message, excerpt: null };
  }
}

// Says `ready` when the events are in the queue, held back; lets them go at the first line of input, ends at the next.
async function events(count) {
  const queue = new Queue("events", { connection, defaultJobOptions: { removeOnComplete: true } });
  const event = { type: "order.paid", created_at: new Date().toISOString(), data: process.env.PEER_DATA };
  await queue.pause();
  for (let left = count; left > 0; left -= 500) {
    await queue.addBulk(Array.from({ length: Math.min(left, 500) }, () => ({ name: "event", data: event })));
  }
  const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]();
  console.log("ready");
  await lines.next();
  await queue.resume();
  await lines.next();
}

const [command, count] = process.argv.slice(2);
await { prepare, work, events }[command](Number(count));
if (command !== "work") process.exit(0);
