<?php

declare(strict_types=1);

namespace Lootkeep;

/**
 * Lists that come in pages, read as if they were whole.
 *
 * All items of a list: `foreach` asks for one page after the other. `page(3)` answers a single one.
 *
 * @template T
 * @implements \IteratorAggregate<int, T>
 */
final class Pages implements \IteratorAggregate
{
    /**
     * @internal
     * @param \Closure(?int): Page<T> $fetch
     */
    public function __construct(private readonly \Closure $fetch, private readonly ?int $start) {}

    /** @return \Generator<int, T> */
    public function getIterator(): \Generator
    {
        $page = $this->page();
        while (true) {
            // One by one: `yield from` would number the items of each page from 0.
            foreach ($page->items as $item) {
                yield $item;
            }
            if ($page->currentPage >= $page->lastPage) {
                return;
            }
            $page = $this->page($page->currentPage + 1);
        }
    }

    /**
     * The page of that number, or the one that was asked for.
     *
     * @return Page<T>
     */
    public function page(?int $number = null): Page
    {
        return ($this->fetch)($number ?? $this->start);
    }
}
