// The client: which service it talks to, and every endpoint as a method.

import { Core, type CoreOptions } from "./core.js";
import { Api } from "./generated/api.js";

export type ClientOptions = CoreOptions;

/**
 * Every endpoint as a method: `client.referrals.tiers.create({...})`, `client.store.orders.create({...})`.
 *
 * What is not given is read from the environment: `LOOTKEEP_URL` and `LOOTKEEP_TOKEN`.
 */
export class Client extends Api {
  constructor(baseUrl?: string, token?: string, options: ClientOptions = {}) {
    super(new Core(checkedUrl(baseUrl || fromEnvironment("LOOTKEEP_URL")), checkedToken(token), options));
  }
}

function checkedUrl(url: string | undefined): string {
  if (!url) throw new TypeError("Give the URL of the service, or set LOOTKEEP_URL.");
  if (!/^https?:\/\/[^/?#]/.test(url) || !URL.canParse(url)) {
    throw new TypeError(`${JSON.stringify(url)} is not a URL of the service: it starts with http:// or https://.`);
  }
  return url.replace(/\/+$/, "");
}

function checkedToken(given: string | undefined): string {
  const token = given || fromEnvironment("LOOTKEEP_TOKEN");
  if (!token) throw new TypeError("Give a token, or set LOOTKEEP_TOKEN.");
  return token;
}

/** Where a runtime has no environment, both must be given. */
function fromEnvironment(name: string): string | undefined {
  const { process } = globalThis as { process?: { env?: Record<string, string | undefined> } };
  return process?.env?.[name];
}
