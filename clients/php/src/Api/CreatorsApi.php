<?php

declare(strict_types=1);

namespace Lootkeep\Api;

use Lootkeep\Core;
use Lootkeep\Pages;
use Lootkeep\Request;
use Lootkeep\Types;

/**
 * The methods of `$client->creators`; written by `python -m tools.write_clients`.
 *
 * @phpstan-import-type Creator from Types
 * @phpstan-import-type CreatorEntry from Types
 * @phpstan-import-type DiscountType from Types
 */
final class CreatorsApi
{
    public function __construct(private readonly Core $core) {}

    /**
     * List creators.
     *
     * @param array{
     *     page?: int,
     *     per_page?: int
     * } $query
     * @return Pages<Creator>
     */
    public function list(array $query = []): Pages
    {
        /** @var Pages<Creator> */
        return $this->core->pages('/api/external/v1/creators', query: $query);
    }

    /**
     * Create a creator.
     *
     * @param array{
     *     name: string,
     *     code: string,
     *     commission_percent: string|int|float,
     *     discount_type?: DiscountType|null,
     *     discount_value?: string|int|float|null,
     *     hold_days?: int,
     *     customer_id?: int|null,
     *     is_active?: bool
     * } $body
     * @return Creator
     */
    public function create(array $body, ?string $idempotencyKey = null): array
    {
        /** @var Creator */
        return $this->core->data(Request::of('POST', '/api/external/v1/creators', body: $body, key: $idempotencyKey));
    }

    /**
     * Read a creator.
     *
     * @return Creator
     */
    public function get(int $creatorId): array
    {
        /** @var Creator */
        return $this->core->data(Request::of('GET', '/api/external/v1/creators/{id}', [$creatorId]));
    }

    /**
     * Update a creator.
     *
     * @param array{
     *     name?: string,
     *     code?: string,
     *     commission_percent?: string|int|float,
     *     discount_type?: DiscountType|null,
     *     discount_value?: string|int|float|null,
     *     hold_days?: int,
     *     customer_id?: int|null,
     *     is_active?: bool
     * } $body
     * @return Creator
     */
    public function update(int $creatorId, array $body = []): array
    {
        /** @var Creator */
        return $this->core->data(Request::of('PUT', '/api/external/v1/creators/{id}', [$creatorId], body: $body));
    }

    /**
     * Read the ledger of a creator.
     *
     * @param array{
     *     page?: int,
     *     per_page?: int
     * } $query
     * @return Pages<CreatorEntry>
     */
    public function ledger(int $creatorId, array $query = []): Pages
    {
        /** @var Pages<CreatorEntry> */
        return $this->core->pages('/api/external/v1/creators/{id}/ledger', [$creatorId], query: $query);
    }

    /**
     * Book a payout to a creator.
     *
     * @param array{
     *     amount: string|int|float,
     *     reference: string,
     *     currency?: string|null
     * } $body
     * @return CreatorEntry
     */
    public function payOut(int $creatorId, array $body, ?string $idempotencyKey = null): array
    {
        /** @var CreatorEntry */
        return $this->core->data(Request::of('POST', '/api/external/v1/creators/{id}/payouts', [$creatorId], body: $body, key: $idempotencyKey));
    }
}
