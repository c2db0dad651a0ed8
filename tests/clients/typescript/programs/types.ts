// What the compiler knows of answers, bodies and events; nothing here is run.

import { verifyWebhook, type Client, type Page, type Pages, type types } from "lootkeep-client";

type Same<Left, Right> = (<T>() => T extends Left ? 1 : 2) extends <T>() => T extends Right ? 1 : 2 ? true : false;
const same = <Left, Right>(_: Same<Left, Right>) => {};

export async function records(client: Client): Promise<void> {
  const order = await client.orders.get(1);
  same<typeof order, types.Order>(true);
  same<(typeof order)["items"][number]["fulfilled_quantity"], number>(true);
  const list = client.orders.list({ status: "paid" });
  same<typeof list, Pages<types.Order>>(true);
  const page = await client.products.list().page();
  same<typeof page, Page<types.Product>>(true);
  const message = await client.coupons.delete(1);
  same<typeof message, string>(true);
}

export async function mistakes(client: Client): Promise<void> {
  // @ts-expect-error  an id is a number
  await client.orders.get("1");
  // @ts-expect-error  there is no such status
  client.orders.list({ status: "lost" });
  // @ts-expect-error  there is no such field
  await client.supportTickets.addMessage(1, { mesage: "Hello" });
  // @ts-expect-error  the body must be given
  await client.referrals.tiers.create();
  // @ts-expect-error  a GET has no key
  await client.orders.get(1, { idempotencyKey: "a" });
  // @ts-expect-error  an order has no such field
  (await client.orders.get(1)).colour;
}

export async function events(body: Uint8Array, headers: Headers): Promise<string> {
  const delivery = await verifyWebhook(body, headers, "whsec_secret");
  // @ts-expect-error  not every event is about an order
  delivery.data.order_number;
  switch (delivery.event_type) {
    case "order.paid":
      same<typeof delivery, types.OrderPaidDelivery>(true);
      return delivery.data.customer_email;
    case "product.created":
      return delivery.data.product_name;
    default:
      return "";
  }
}
