<?php

declare(strict_types=1);

namespace Lootkeep\Api;

use Lootkeep\Core;
use Lootkeep\Pages;
use Lootkeep\Request;
use Lootkeep\Types;

/**
 * The methods of `$client->products`; written by `python -m tools.write_clients`.
 *
 * @phpstan-import-type BillingType from Types
 * @phpstan-import-type DeliveryType from Types
 * @phpstan-import-type Product from Types
 * @phpstan-import-type ProductStatus from Types
 * @phpstan-import-type SortDirection from Types
 */
final class ProductsApi
{
    public readonly ProductsKeysApi $keys;

    public function __construct(private readonly Core $core)
    {
        $this->keys = new ProductsKeysApi($core);
    }

    /**
     * List products.
     *
     * @param array{
     *     page?: int,
     *     per_page?: int,
     *     from?: string,
     *     to?: string,
     *     search?: string,
     *     order?: SortDirection,
     *     status?: ProductStatus,
     *     delivery_type?: DeliveryType,
     *     billing_type?: BillingType,
     *     category?: string,
     *     tag?: string,
     *     in_stock?: bool,
     *     min_price?: string|int|float,
     *     max_price?: string|int|float,
     *     sort?: 'id'|'name'|'price'|'stock'|'sales_count'|'created_at'|'updated_at'
     * } $query
     * @return Pages<Product>
     */
    public function list(array $query = []): Pages
    {
        /** @var Pages<Product> */
        return $this->core->pages('/api/external/v1/products', query: $query);
    }

    /**
     * Read a product.
     *
     * @return Product
     */
    public function get(int $productId): array
    {
        /** @var Product */
        return $this->core->data(Request::of('GET', '/api/external/v1/products/{id}', [$productId]));
    }
}
