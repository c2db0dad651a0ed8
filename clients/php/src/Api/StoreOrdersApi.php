<?php

declare(strict_types=1);

namespace Lootkeep\Api;

use Lootkeep\Core;
use Lootkeep\Pages;
use Lootkeep\Request;
use Lootkeep\Types;

/**
 * The methods of `$client->store->orders`; written by `python -m tools.write_clients`.
 *
 * @phpstan-import-type CartLineBody from Types
 * @phpstan-import-type Dispute from Types
 * @phpstan-import-type DisputeKind from Types
 * @phpstan-import-type DisputeReason from Types
 * @phpstan-import-type HandedGood from Types
 * @phpstan-import-type Order from Types
 * @phpstan-import-type PaidOrder from Types
 * @phpstan-import-type PaidWithBody from Types
 * @phpstan-import-type PastRefundBody from Types
 * @phpstan-import-type PaymentAttempt from Types
 * @phpstan-import-type PaymentBody from Types
 * @phpstan-import-type PlacedOrder from Types
 * @phpstan-import-type PlayerBody from Types
 * @phpstan-import-type RefundedOrder from Types
 */
final class StoreOrdersApi
{
    public function __construct(private readonly Core $core) {}

    /**
     * Place an order.
     *
     * @param array{
     *     tax_total?: string|int|float|null,
     *     tax_rate?: string|null,
     *     tax_country?: string|null,
     *     customer_id: int,
     *     items: list<CartLineBody>,
     *     ip_address: string,
     *     billing_country?: string|null,
     *     user_agent?: string|null,
     *     device_id?: string|null,
     *     coupon_code?: string|null,
     *     gift_card_code?: string|null,
     *     player?: PlayerBody|null,
     *     payment?: PaymentBody|null,
     *     external_id?: string|null,
     *     metadata?: array<string, string|int|float|bool|null>,
     *     created_at?: string|null,
     *     paid_at?: string|null,
     *     completed_at?: string|null,
     *     cancelled_at?: string|null,
     *     status?: 'paid'|'completed'|'partially_refunded'|'refunded'|'cancelled'|null,
     *     discount?: string|int|float|null,
     *     currency?: string|null,
     *     refunds?: list<PastRefundBody>,
     *     payment_method?: string|null
     * } $body
     * @return PlacedOrder
     */
    public function create(array $body, ?string $idempotencyKey = null): array
    {
        /** @var PlacedOrder */
        return $this->core->data(Request::of('POST', '/api/store/v1/orders', body: $body, maps: ['metadata'], key: $idempotencyKey));
    }

    /**
     * Find orders.
     *
     * @param array{
     *     page?: int,
     *     per_page?: int,
     *     external_id?: string
     * } $query
     * @return Pages<Order>
     */
    public function list(array $query = []): Pages
    {
        /** @var Pages<Order> */
        return $this->core->pages('/api/store/v1/orders', query: $query);
    }

    /**
     * Read an order of the store.
     *
     * @return Order
     */
    public function get(int $orderId): array
    {
        /** @var Order */
        return $this->core->data(Request::of('GET', '/api/store/v1/orders/{id}', [$orderId]));
    }

    /**
     * Mark an order as paid.
     *
     * @param array{
     *     payment_method?: string|null,
     *     transaction_id?: string|null,
     *     payment?: PaidWithBody|null
     * } $body
     * @return PaidOrder
     */
    public function pay(int $orderId, array $body = [], ?string $idempotencyKey = null): array
    {
        /** @var PaidOrder */
        return $this->core->data(Request::of('POST', '/api/store/v1/orders/{id}/pay', [$orderId], body: $body, key: $idempotencyKey));
    }

    /**
     * Refund an order.
     *
     * @param array{
     *     amount?: string|int|float|null,
     *     reason?: string|null,
     *     reason_code?: 'fraud'|null,
     *     allow_unrecovered?: bool
     * } $body
     * @return RefundedOrder
     */
    public function refund(int $orderId, array $body = [], ?string $idempotencyKey = null): array
    {
        /** @var RefundedOrder */
        return $this->core->data(Request::of('POST', '/api/store/v1/orders/{id}/refund', [$orderId], body: $body, key: $idempotencyKey));
    }

    /**
     * Cancel an order.
     *
     * @param array{
     *     reason?: string|null
     * } $body
     * @return Order
     */
    public function cancel(int $orderId, array $body = [], ?string $idempotencyKey = null): array
    {
        /** @var Order */
        return $this->core->data(Request::of('POST', '/api/store/v1/orders/{id}/cancel', [$orderId], body: $body, key: $idempotencyKey));
    }

    /**
     * Report a declined payment.
     *
     * @param array{
     *     reason?: string|null,
     *     payment?: PaymentBody|null,
     *     external_id?: string|null,
     *     at?: string|null
     * } $body
     * @return PaymentAttempt
     */
    public function decline(int $orderId, array $body = [], ?string $idempotencyKey = null): array
    {
        /** @var PaymentAttempt */
        return $this->core->data(Request::of('POST', '/api/store/v1/orders/{id}/payment-attempts', [$orderId], body: $body, key: $idempotencyKey));
    }

    /**
     * Report a dispute.
     *
     * @param array{
     *     kind: DisputeKind,
     *     reason: DisputeReason,
     *     at?: string|null,
     *     evidence_due_at?: string|null,
     *     external_id?: string|null
     * } $body
     * @return Dispute
     */
    public function dispute(int $orderId, array $body, ?string $idempotencyKey = null): array
    {
        /** @var Dispute */
        return $this->core->data(Request::of('POST', '/api/store/v1/orders/{id}/dispute', [$orderId], body: $body, key: $idempotencyKey));
    }

    /**
     * Read what an order handed over.
     *
     * @return list<HandedGood>
     */
    public function goods(int $orderId): array
    {
        /** @var list<HandedGood> */
        return $this->core->data(Request::of('GET', '/api/store/v1/orders/{id}/goods', [$orderId]));
    }
}
