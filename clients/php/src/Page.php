<?php

declare(strict_types=1);

namespace Lootkeep;

/**
 * One page of a list.
 *
 * @template T
 */
final class Page
{
    /** @param list<T> $items */
    private function __construct(
        public readonly array $items,
        public readonly int $currentPage,
        public readonly int $lastPage,
        public readonly int $perPage,
        public readonly int $total,
    ) {}

    /**
     * @internal
     * @param array<string, mixed> $answer
     * @return self<mixed>
     */
    public static function of(array $answer): self
    {
        /** @var list<mixed> $items */
        $items = $answer['data'];
        /** @var array{current_page: int, last_page: int, per_page: int, total: int} $meta */
        $meta = $answer['meta'];
        return new self($items, $meta['current_page'], $meta['last_page'], $meta['per_page'], $meta['total']);
    }
}
