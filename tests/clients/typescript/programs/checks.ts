// What the programs of the tests share: named checks, whose results are printed as JSON at the end.

const results: Record<string, string> = {};

export async function check(sentence: string, act: () => Promise<void> | void): Promise<void> {
  try {
    await act();
    results[sentence] = "ok";
  } catch (error) {
    results[sentence] = error instanceof Error ? (error.stack ?? error.message) : String(error);
  }
}

export function equal(actual: unknown, expected: unknown): void {
  const [left, right] = [JSON.stringify(actual), JSON.stringify(expected)];
  if (left !== right) throw new Error(`${left} is not ${right}`);
}

/** The error that is thrown, which must be of this class. */
export async function thrown<Kind extends Error>(
  kind: new (...values: never[]) => Kind,
  act: () => Promise<unknown>,
): Promise<Kind> {
  try {
    await act();
  } catch (error) {
    if (error instanceof kind) return error;
    throw error;
  }
  throw new Error(`No ${kind.name} was thrown.`);
}

export function report(): void {
  console.log(JSON.stringify(results));
}
