<?php

declare(strict_types=1);

namespace Lootkeep\Api;

use Lootkeep\Core;
use Lootkeep\Pages;
use Lootkeep\Request;
use Lootkeep\Types;

/**
 * The methods of `$client->store->subscriptions`; written by `python -m tools.write_clients`.
 *
 * @phpstan-import-type PaidPeriod from Types
 * @phpstan-import-type PlayerBody from Types
 * @phpstan-import-type Subscription from Types
 * @phpstan-import-type SubscriptionStatus from Types
 */
final class StoreSubscriptionsApi
{
    public function __construct(private readonly Core $core) {}

    /**
     * Create a subscription.
     *
     * @param array{
     *     customer_id: int,
     *     product_id: int,
     *     external_id?: string|null,
     *     player?: PlayerBody|null
     * } $body
     * @return PaidPeriod
     */
    public function create(array $body, ?string $idempotencyKey = null): array
    {
        /** @var PaidPeriod */
        return $this->core->data(Request::of('POST', '/api/store/v1/subscriptions', body: $body, key: $idempotencyKey));
    }

    /**
     * List subscriptions.
     *
     * @param array{
     *     page?: int,
     *     per_page?: int,
     *     customer_id?: int,
     *     status?: SubscriptionStatus,
     *     external_id?: string
     * } $query
     * @return Pages<Subscription>
     */
    public function list(array $query = []): Pages
    {
        /** @var Pages<Subscription> */
        return $this->core->pages('/api/store/v1/subscriptions', query: $query);
    }

    /**
     * Read a subscription.
     *
     * @return Subscription
     */
    public function get(int $subscriptionId): array
    {
        /** @var Subscription */
        return $this->core->data(Request::of('GET', '/api/store/v1/subscriptions/{id}', [$subscriptionId]));
    }

    /**
     * Renew a subscription.
     *
     * @return PaidPeriod
     */
    public function renew(int $subscriptionId, ?string $idempotencyKey = null): array
    {
        /** @var PaidPeriod */
        return $this->core->data(Request::of('POST', '/api/store/v1/subscriptions/{id}/renew', [$subscriptionId], key: $idempotencyKey));
    }

    /**
     * Cancel a subscription.
     *
     * @param array{
     *     at_period_end?: bool,
     *     reason?: string|null
     * } $body
     * @return Subscription
     */
    public function cancel(int $subscriptionId, array $body = [], ?string $idempotencyKey = null): array
    {
        /** @var Subscription */
        return $this->core->data(Request::of('POST', '/api/store/v1/subscriptions/{id}/cancel', [$subscriptionId], body: $body, key: $idempotencyKey));
    }
}
