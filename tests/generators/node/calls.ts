// Calls a store with the types that openapi-typescript made, and prints what came of it.

import createClient from "openapi-fetch";
import type { components, paths } from "./schema.js";

type Failure = components["schemas"]["Failure"];
type TierBody = components["schemas"]["TierBody"];

const { STORE_URL: baseUrl = "", STORE_TOKEN: token = "" } = process.env;

function client(bearer: string = token) {
  return createClient<paths>({ baseUrl, headers: { Authorization: `Bearer ${bearer}` } });
}

function bronze(name = "Bronze", required = 5): TierBody {
  return { name, referrals_required: required, reward_type: "percentage_discount", reward_value: "10.00" };
}

function failure(answer: Failure | undefined) {
  if (answer === undefined) throw new Error("It was not refused.");
  const { success, error, code, errors = {} } = answer;
  return { success, error, code, fields: Object.keys(errors).sort() };
}

function created<T>(answer: { data?: T; error?: Failure }): T {
  if (answer.data === undefined) throw new Error(answer.error?.message);
  return answer.data;
}

async function tiers() {
  const tier = { body: bronze(), params: { header: { "Idempotency-Key": "once" } } };
  const first = created(await client().POST("/api/external/v1/referrals/tiers", tier));
  const again = created(await client().POST("/api/external/v1/referrals/tiers", tier));
  const listed = created(await client().GET("/api/external/v1/referrals/tiers"));
  return {
    message: first.message,
    reward: first.data.formatted_reward,
    "is replayed": again.data.id === first.data.id,
    names: listed.data.map((one) => one.name),
  };
}

async function products() {
  let last = 0;
  for (const [name, price] of [["Hexgarden", "19.99"], ["Gold", "4.50"], ["Crown", "9"]] as const) {
    const body = { name, price, delivery_type: "manual" } as const;
    last = created(await client().POST("/api/store/v1/products", { body })).data.id;
  }
  const query = { status: "active", min_price: "5", sort: "price", per_page: 1 } as const;
  const { data: found, response } = await client().GET("/api/external/v1/products", { params: { query } });
  const got = created(await client().GET("/api/external/v1/products/{id}", { params: { path: { id: last } } }));
  return {
    most_expensive: found?.data.map((product) => product.name),
    total: found?.meta.total,
    limit: response.headers.get("X-RateLimit-Limit"),
    price: got.data.price,
    description: got.data.description,
  };
}

async function rejections() {
  const noName = await client().POST("/api/external/v1/referrals/tiers", { body: bronze("", -1) });
  const nobodys = await client("lk_nobody").GET("/api/external/v1/referrals/tiers");
  const noProduct = await client().GET("/api/external/v1/products/{id}", { params: { path: { id: 4711 } } });
  return {
    "no name": failure(noName.error),
    "nobody's token": failure(nobodys.error),
    "no such product": failure(noProduct.error),
  };
}

console.log(JSON.stringify({ tiers: await tiers(), products: await products(), rejections: await rejections() }));
