<?php

declare(strict_types=1);

namespace Lootkeep\Api;

use Lootkeep\Core;
use Lootkeep\Pages;
use Lootkeep\Request;
use Lootkeep\Types;

/**
 * The methods of `$client->orders`; written by `python -m tools.write_clients`.
 *
 * @phpstan-import-type DeliveredBody from Types
 * @phpstan-import-type Evidence from Types
 * @phpstan-import-type Order from Types
 * @phpstan-import-type OrderGood from Types
 * @phpstan-import-type OrderStatus from Types
 * @phpstan-import-type ReplacedKey from Types
 * @phpstan-import-type RiskLevel from Types
 * @phpstan-import-type SortDirection from Types
 */
final class OrdersApi
{
    public function __construct(private readonly Core $core) {}

    /**
     * List orders.
     *
     * @param array{
     *     page?: int,
     *     per_page?: int,
     *     from?: string,
     *     to?: string,
     *     search?: string,
     *     order?: SortDirection,
     *     status?: OrderStatus,
     *     customer_id?: int,
     *     email?: string,
     *     external_id?: string,
     *     product_id?: int,
     *     coupon_code?: string,
     *     payment_method?: string,
     *     country?: string,
     *     min_total?: string|int|float,
     *     max_total?: string|int|float,
     *     risk_level?: RiskLevel,
     *     sort?: 'id'|'created_at'|'paid_at'|'total'
     * } $query
     * @return Pages<Order>
     */
    public function list(array $query = []): Pages
    {
        /** @var Pages<Order> */
        return $this->core->pages('/api/external/v1/orders', query: $query);
    }

    /**
     * Read an order.
     *
     * @return Order
     */
    public function get(int $orderId): array
    {
        /** @var Order */
        return $this->core->data(Request::of('GET', '/api/external/v1/orders/{id}', [$orderId]));
    }

    /**
     * Mark an order as fulfilled.
     *
     * @param array{
     *     items?: list<DeliveredBody>|null,
     *     note?: string|null
     * } $body
     * @return Order
     */
    public function fulfill(int $orderId, array $body = [], ?string $idempotencyKey = null): array
    {
        /** @var Order */
        return $this->core->data(Request::of('POST', '/api/external/v1/orders/{id}/fulfill', [$orderId], body: $body, key: $idempotencyKey));
    }

    /**
     * List what an order handed over.
     *
     * @return list<OrderGood>
     */
    public function goods(int $orderId): array
    {
        /** @var list<OrderGood> */
        return $this->core->data(Request::of('GET', '/api/external/v1/orders/{id}/goods', [$orderId]));
    }

    /**
     * Replace a key of an order.
     *
     * @param array{
     *     key_id: int,
     *     reason: string
     * } $body
     * @return ReplacedKey
     */
    public function replaceKey(int $orderId, int $itemId, array $body, ?string $idempotencyKey = null): array
    {
        /** @var ReplacedKey */
        return $this->core->data(Request::of('POST', '/api/external/v1/orders/{id}/items/{item_id}/replace-key', [$orderId, $itemId], body: $body, key: $idempotencyKey));
    }

    /**
     * Read the evidence of an order.
     *
     * @param array{
     *     dispute_id?: int
     * } $query
     * @return Evidence
     */
    public function evidence(int $orderId, array $query = []): array
    {
        /** @var Evidence */
        return $this->core->data(Request::of('GET', '/api/external/v1/orders/{id}/evidence', [$orderId], query: $query));
    }
}
