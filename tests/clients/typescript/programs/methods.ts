// Calls every method that a list names, with its arguments, one after the other.

import { readFileSync } from "node:fs";

import { Client, Pages } from "lootkeep-client";

interface Row {
  name: string;
  ids: (number | string)[];
  body: object | null;
}

type Method = (...values: unknown[]) => unknown;

const client = new Client();
for (const { name, ids, body } of JSON.parse(readFileSync("methods.json", "utf8")) as Row[]) {
  const parts = name.split(".");
  const owner = parts.slice(0, -1).reduce((part, key) => Reflect.get(part, key), client as object);
  const method = Reflect.get(owner, parts.at(-1) ?? "") as Method;
  const answer = method.call(owner, ...ids, ...(body === null ? [] : [body]));
  if (answer instanceof Pages) for await (const row of answer) throw new Error(`${name} has ${JSON.stringify(row)}`);
  else await answer;
}
