<?php

declare(strict_types=1);

namespace Lootkeep\Api;

use Lootkeep\Core;
use Lootkeep\Pages;
use Lootkeep\Request;
use Lootkeep\Types;

/**
 * The methods of `$client->products->keys`; written by `python -m tools.write_clients`.
 *
 * @phpstan-import-type KeyBatch from Types
 * @phpstan-import-type KeyStatus from Types
 * @phpstan-import-type KeysAdded from Types
 * @phpstan-import-type KeysWithdrawn from Types
 * @phpstan-import-type ProductKey from Types
 * @phpstan-import-type RevealedKey from Types
 * @phpstan-import-type SortDirection from Types
 */
final class ProductsKeysApi
{
    public function __construct(private readonly Core $core) {}

    /**
     * Add keys to a product.
     *
     * @param array{
     *     keys: list<string>,
     *     batch?: string|null,
     *     unit_cost?: string|int|float|null
     * } $body
     * @return KeysAdded
     */
    public function add(int $productId, array $body, ?string $idempotencyKey = null): array
    {
        /** @var KeysAdded */
        return $this->core->data(Request::of('POST', '/api/external/v1/products/{id}/keys', [$productId], body: $body, key: $idempotencyKey));
    }

    /**
     * List the keys of a product.
     *
     * @param array{
     *     page?: int,
     *     per_page?: int,
     *     status?: KeyStatus,
     *     batch?: string,
     *     order_id?: int,
     *     sort?: 'id',
     *     order?: SortDirection
     * } $query
     * @return Pages<ProductKey>
     */
    public function list(int $productId, array $query = []): Pages
    {
        /** @var Pages<ProductKey> */
        return $this->core->pages('/api/external/v1/products/{id}/keys', [$productId], query: $query);
    }

    /**
     * List the batches of keys.
     *
     * @return list<KeyBatch>
     */
    public function batches(int $productId): array
    {
        /** @var list<KeyBatch> */
        return $this->core->data(Request::of('GET', '/api/external/v1/products/{id}/key-batches', [$productId]));
    }

    /**
     * Withdraw keys.
     *
     * @param array{
     *     batch?: string|null,
     *     key_ids?: list<int>|null
     * } $body
     * @return KeysWithdrawn
     */
    public function withdraw(int $productId, array $body = [], ?string $idempotencyKey = null): array
    {
        /** @var KeysWithdrawn */
        return $this->core->data(Request::of('POST', '/api/external/v1/products/{id}/keys/withdraw', [$productId], body: $body, key: $idempotencyKey));
    }

    /**
     * Show a whole key.
     *
     * @return RevealedKey
     */
    public function reveal(int $productId, int $keyId, ?string $idempotencyKey = null): array
    {
        /** @var RevealedKey */
        return $this->core->data(Request::of('POST', '/api/external/v1/products/{id}/keys/{key_id}/reveal', [$productId, $keyId], key: $idempotencyKey));
    }
}
