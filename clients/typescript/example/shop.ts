// A small shop for Node: a checkout, a webhook, and keys that are delivered when they are paid.

import { randomUUID } from "node:crypto";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";

import { Client, Invalid, verifyWebhook, WebhookNotVerified } from "lootkeep-client";

interface Answer {
  status: number;
  html: string;
  location?: string;
}

// LOOTKEEP_URL and LOOTKEEP_TOKEN say which service. The secret was shown when the webhook was created.
const client = new Client();
const secret = process.env["WEBHOOK_SECRET"] ?? "";
// A real shop has a database. The id of a checkout cannot be guessed, so it is the way to the buyer's page.
const orders = new Map<string, number>();
const keys = new Map<number, string[]>();

async function showProducts(): Promise<Answer> {
  let html = "";
  for await (const product of client.products.list()) {
    html += `<form method="post" action="/buy"><h2>${escaped(product.name)}, ${product.price} ${product.currency}</h2>
      <input type="hidden" name="checkout" value="${randomUUID()}">
      <input type="hidden" name="product" value="${product.id}">
      <label>E-mail <input name="email" type="email" required></label> <button>Buy</button></form>`;
  }
  return { status: 200, html };
}

async function buy(form: URLSearchParams, ip: string): Promise<Answer> {
  const [checkout = "", email = ""] = [form.get("checkout") ?? "", form.get("email") ?? ""];
  // Who has bought before is the same customer; a form that is sent twice is one order.
  const { customer } = await client.store.customers.create({ email, name: email, external_id: email });
  const { order, next } = await client.store.orders.create(
    { customer_id: customer.id, items: [{ product_id: Number(form.get("product")), quantity: 1 }], ip_address: ip },
    { idempotencyKey: checkout },
  );
  orders.set(checkout, order.id);
  // Here your payment provider takes the money; anything but `pay` means that it must not do so now.
  if (next === "pay") await client.store.orders.pay(order.id, { transaction_id: `example-${checkout}` });
  return { status: 303, html: "", location: `/orders/${checkout}` };
}

async function receive(body: Uint8Array, request: IncomingMessage): Promise<Answer> {
  try {
    const delivery = await verifyWebhook(body, request.headers, secret);
    if (delivery.event_type === "order.paid") await deliver(delivery.data.order_id, delivery.data.customer_email);
    return { status: 200, html: "" };
  } catch (error) {
    if (!(error instanceof WebhookNotVerified)) throw error;
    console.error(error.message);
    return { status: 401, html: error.reason };
  }
}

/** The same delivery may come twice: delivering again changes nothing. */
async function deliver(order: number, email: string): Promise<void> {
  const goods = await client.store.orders.goods(order);
  keys.set(order, goods.flatMap(({ value }) => (value === null ? [] : [value])));
  console.log(`Delivered order ${order} to ${email}.`);
}

function showOrder(checkout: string): Answer {
  const order = orders.get(checkout);
  if (order === undefined) return { status: 404, html: "There is no such order." };
  const html = keys.get(order)?.map((key) => `<p>Your key: <code>${escaped(key)}</code></p>`).join("");
  return { status: 200, html: html ?? "<p>Your order is being checked. Reload this page in a moment.</p>" };
}

async function answer(request: IncomingMessage): Promise<Answer> {
  const [, folder = "", id = ""] = (request.url ?? "").split("/");
  const body = Buffer.concat(await request.toArray());
  switch (`${request.method} /${folder}`) {
    case "GET /":
      return showProducts();
    case "POST /buy":
      return buy(new URLSearchParams(body.toString()), request.socket.remoteAddress ?? "");
    case "POST /webhook":
      return receive(body, request);
    case "GET /orders":
      return showOrder(id);
    default:
      return { status: 404, html: "There is no such page." };
  }
}

/** What is wrong with a form, such as too little in stock, is for the buyer; anything else is for the log. */
function failure(error: unknown): Answer {
  if (error instanceof Invalid) return { status: 422, html: escaped(Object.values(error.fields).flat().join(" ")) };
  console.error(error);
  return { status: 500, html: "That did not work. Please try again." };
}

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

const server = createServer((request, response) => {
  answer(request)
    .catch(failure)
    .then(({ status, html, location }) => {
      response.writeHead(status, { "content-type": "text/html; charset=utf-8", ...(location ? { location } : {}) });
      response.end(html);
    });
});
server.listen(Number(process.env["PORT"] ?? 8090), "127.0.0.1", () => {
  console.log(`The shop is at http://127.0.0.1:${(server.address() as AddressInfo).port}`);
});
