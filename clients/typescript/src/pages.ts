// Lists that come in pages, read as if they were whole.

/** One page of a list. */
export interface Page<Item> {
  items: Item[];
  currentPage: number;
  lastPage: number;
  perPage: number;
  total: number;
}

type FetchPage<Item> = (page: number | undefined) => Promise<Page<Item>>;

/** All items of a list: `for await` asks for one page after the other. `await list.page(3)` is a single one. */
export class Pages<Item> implements AsyncIterable<Item> {
  readonly #fetch: FetchPage<Item>;
  readonly #start: number | undefined;

  constructor(fetch: FetchPage<Item>, start: number | undefined) {
    this.#fetch = fetch;
    this.#start = start;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Item, void, undefined> {
    let page = await this.#fetch(this.#start);
    yield* page.items;
    while (page.currentPage < page.lastPage) {
      page = await this.#fetch(page.currentPage + 1);
      yield* page.items;
    }
  }

  /** The page of that number, or the one that was asked for. */
  page(number: number | undefined = this.#start): Promise<Page<Item>> {
    return this.#fetch(number);
  }
}

export function readPage<Item>(answer: Record<string, unknown>): Page<Item> {
  const meta = answer["meta"] as Record<"current_page" | "last_page" | "per_page" | "total", number>;
  return {
    items: answer["data"] as Item[],
    currentPage: meta.current_page,
    lastPage: meta.last_page,
    perPage: meta.per_page,
    total: meta.total,
  };
}
