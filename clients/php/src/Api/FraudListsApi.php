<?php

declare(strict_types=1);

namespace Lootkeep\Api;

use Lootkeep\Core;
use Lootkeep\Pages;
use Lootkeep\Request;
use Lootkeep\Types;

/**
 * The methods of `$client->fraudLists`; written by `python -m tools.write_clients`.
 *
 * @phpstan-import-type FraudList from Types
 * @phpstan-import-type ListEntry from Types
 */
final class FraudListsApi
{
    public function __construct(private readonly Core $core) {}

    /**
     * List the store's own lists.
     *
     * @return list<FraudList>
     */
    public function list(): array
    {
        /** @var list<FraudList> */
        return $this->core->data(Request::of('GET', '/api/external/v1/fraud/lists'));
    }

    /**
     * Create a list.
     *
     * @param array{
     *     name: string,
     *     kind: 'email'|'domain'|'ip'|'device'|'instrument'|'player'|'country'|'customer',
     *     note?: string|null
     * } $body
     * @return FraudList
     */
    public function create(array $body, ?string $idempotencyKey = null): array
    {
        /** @var FraudList */
        return $this->core->data(Request::of('POST', '/api/external/v1/fraud/lists', body: $body, key: $idempotencyKey));
    }

    /**
     * Delete a list.
     */
    public function delete(int $listId): string
    {
        return $this->core->message(Request::of('DELETE', '/api/external/v1/fraud/lists/{id}', [$listId]));
    }

    /**
     * List the entries of a list.
     *
     * @param array{
     *     page?: int,
     *     per_page?: int,
     *     value?: string
     * } $query
     * @return Pages<ListEntry>
     */
    public function entries(int $listId, array $query = []): Pages
    {
        /** @var Pages<ListEntry> */
        return $this->core->pages('/api/external/v1/fraud/lists/{id}/entries', [$listId], query: $query);
    }

    /**
     * Add entries to a list.
     *
     * @param array{
     *     values: list<string>,
     *     reason?: string|null,
     *     expires_at?: string|null
     * } $body
     */
    public function addEntries(int $listId, array $body, ?string $idempotencyKey = null): string
    {
        return $this->core->message(Request::of('POST', '/api/external/v1/fraud/lists/{id}/entries', [$listId], body: $body, key: $idempotencyKey));
    }

    /**
     * Remove an entry from a list.
     *
     * @param array{
     *     value: string
     * } $body
     */
    public function removeEntry(int $listId, array $body): string
    {
        return $this->core->message(Request::of('DELETE', '/api/external/v1/fraud/lists/{id}/entries', [$listId], body: $body));
    }
}
