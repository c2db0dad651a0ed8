<?php

declare(strict_types=1);

namespace Lootkeep\Api;

use Lootkeep\Core;
use Lootkeep\Request;
use Lootkeep\Types;

/**
 * The methods of `$client->store->products`; written by `python -m tools.write_clients`.
 *
 * @phpstan-import-type BillingInterval from Types
 * @phpstan-import-type BillingType from Types
 * @phpstan-import-type CommandBody from Types
 * @phpstan-import-type DeliveryType from Types
 * @phpstan-import-type Product from Types
 * @phpstan-import-type ProductStatus from Types
 */
final class StoreProductsApi
{
    public function __construct(private readonly Core $core) {}

    /**
     * Create a product.
     *
     * @param array{
     *     name: string,
     *     sku?: string|null,
     *     description?: string|null,
     *     delivery_type?: DeliveryType,
     *     billing_type?: BillingType,
     *     billing_interval?: BillingInterval|null,
     *     billing_interval_count?: int|null,
     *     status?: ProductStatus,
     *     price: string|int|float,
     *     compare_at_price?: string|int|float|null,
     *     currency?: string|null,
     *     stock?: int|null,
     *     max_per_order?: int|null,
     *     category?: string|null,
     *     tags?: list<string>,
     *     image_url?: string|null,
     *     file_url?: string|null,
     *     valid_days?: int|null,
     *     commands?: list<CommandBody>,
     *     metadata?: array<string, string|int|float|bool|null>
     * } $body
     * @return Product
     */
    public function create(array $body, ?string $idempotencyKey = null): array
    {
        /** @var Product */
        return $this->core->data(Request::of('POST', '/api/store/v1/products', body: $body, maps: ['metadata'], key: $idempotencyKey));
    }

    /**
     * Update a product.
     *
     * @param array{
     *     name?: string,
     *     sku?: string|null,
     *     description?: string|null,
     *     delivery_type?: DeliveryType,
     *     billing_type?: BillingType,
     *     billing_interval?: BillingInterval|null,
     *     billing_interval_count?: int|null,
     *     status?: ProductStatus,
     *     price?: string|int|float,
     *     compare_at_price?: string|int|float|null,
     *     currency?: string|null,
     *     stock?: int|null,
     *     max_per_order?: int|null,
     *     category?: string|null,
     *     tags?: list<string>,
     *     image_url?: string|null,
     *     file_url?: string|null,
     *     valid_days?: int|null,
     *     commands?: list<CommandBody>,
     *     metadata?: array<string, string|int|float|bool|null>
     * } $body
     * @return Product
     */
    public function update(int $productId, array $body = []): array
    {
        /** @var Product */
        return $this->core->data(Request::of('PUT', '/api/store/v1/products/{id}', [$productId], body: $body, maps: ['metadata']));
    }

    /**
     * Delete a product.
     */
    public function delete(int $productId): string
    {
        return $this->core->message(Request::of('DELETE', '/api/store/v1/products/{id}', [$productId]));
    }
}
