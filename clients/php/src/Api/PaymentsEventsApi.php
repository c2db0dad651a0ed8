<?php

declare(strict_types=1);

namespace Lootkeep\Api;

use Lootkeep\Core;
use Lootkeep\Pages;
use Lootkeep\Request;
use Lootkeep\Types;

/**
 * The methods of `$client->payments->events`; written by `python -m tools.write_clients`.
 *
 * @phpstan-import-type PaymentEvent from Types
 * @phpstan-import-type PaymentEventStatus from Types
 * @phpstan-import-type SortDirection from Types
 */
final class PaymentsEventsApi
{
    public function __construct(private readonly Core $core) {}

    /**
     * List payment events.
     *
     * @param array{
     *     page?: int,
     *     per_page?: int,
     *     status?: PaymentEventStatus,
     *     source_id?: int,
     *     order_id?: int,
     *     type?: string,
     *     sort?: 'id',
     *     order?: SortDirection
     * } $query
     * @return Pages<PaymentEvent>
     */
    public function list(array $query = []): Pages
    {
        /** @var Pages<PaymentEvent> */
        return $this->core->pages('/api/external/v1/payment-events', query: $query);
    }

    /**
     * Read a payment event.
     *
     * @return PaymentEvent
     */
    public function get(int $paymentEventId): array
    {
        /** @var PaymentEvent */
        return $this->core->data(Request::of('GET', '/api/external/v1/payment-events/{id}', [$paymentEventId]));
    }

    /**
     * Apply a payment event to an order.
     *
     * @param array{
     *     order_id: int,
     *     accept_difference?: bool
     * } $body
     * @return PaymentEvent
     */
    public function match(int $paymentEventId, array $body, ?string $idempotencyKey = null): array
    {
        /** @var PaymentEvent */
        return $this->core->data(Request::of('POST', '/api/external/v1/payment-events/{id}/match', [$paymentEventId], body: $body, key: $idempotencyKey));
    }
}
