// Uses the client that @hey-api/openapi-ts made; the compiler is its test.

import { getOrder, listFraudChecks } from "./hey-client/sdk.gen";
import type { EventType, OrderPaidDelivery, RiskLevel } from "./hey-client/types.gen";

export async function total(id: number): Promise<string> {
  const { data, error } = await getOrder({ path: { id } });
  if (error) throw new Error(`${error.code}: ${error.message}`);
  return data.data.total;
}

export async function risky(risk_level: RiskLevel): Promise<number[]> {
  const { data } = await listFraudChecks({ query: { risk_level, per_page: 50 } });
  return data?.data.map((check) => check.id) ?? [];
}

export function received({ event_type, data }: OrderPaidDelivery): [EventType, string] {
  return [event_type, data.total];
}
