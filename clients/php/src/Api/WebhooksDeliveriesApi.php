<?php

declare(strict_types=1);

namespace Lootkeep\Api;

use Lootkeep\Core;
use Lootkeep\Pages;
use Lootkeep\Request;
use Lootkeep\Types;

/**
 * The methods of `$client->webhooks->deliveries`; written by `python -m tools.write_clients`.
 *
 * @phpstan-import-type Delivery from Types
 * @phpstan-import-type DeliveryDetail from Types
 * @phpstan-import-type DeliveryStatus from Types
 * @phpstan-import-type EventType from Types
 * @phpstan-import-type SortDirection from Types
 */
final class WebhooksDeliveriesApi
{
    public function __construct(private readonly Core $core) {}

    /**
     * List a webhook's deliveries.
     *
     * @param array{
     *     page?: int,
     *     per_page?: int,
     *     status?: DeliveryStatus,
     *     event_type?: EventType,
     *     from?: string,
     *     sort?: 'created_at',
     *     order?: SortDirection,
     *     to?: string
     * } $query
     * @return Pages<Delivery>
     */
    public function list(int $webhookId, array $query = []): Pages
    {
        /** @var Pages<Delivery> */
        return $this->core->pages('/api/external/v1/webhooks/{id}/deliveries', [$webhookId], query: $query);
    }

    /**
     * Read a delivery with its attempts.
     *
     * @return DeliveryDetail
     */
    public function get(string $deliveryId): array
    {
        /** @var DeliveryDetail */
        return $this->core->data(Request::of('GET', '/api/external/v1/webhooks/deliveries/{delivery_id}', [$deliveryId]));
    }

    /**
     * Send a delivery again.
     *
     * @return Delivery
     */
    public function redeliver(string $deliveryId, ?string $idempotencyKey = null): array
    {
        /** @var Delivery */
        return $this->core->data(Request::of('POST', '/api/external/v1/webhooks/deliveries/{delivery_id}/redeliver', [$deliveryId], key: $idempotencyKey));
    }
}
