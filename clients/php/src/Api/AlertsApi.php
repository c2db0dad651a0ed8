<?php

declare(strict_types=1);

namespace Lootkeep\Api;

use Lootkeep\Core;
use Lootkeep\Request;
use Lootkeep\Types;

/**
 * The methods of `$client->alerts`; written by `python -m tools.write_clients`.
 *
 * @phpstan-import-type Alert from Types
 * @phpstan-import-type AlertChannel from Types
 * @phpstan-import-type AlertTrigger from Types
 */
final class AlertsApi
{
    public function __construct(private readonly Core $core) {}

    /**
     * List alerts.
     *
     * @return list<Alert>
     */
    public function list(): array
    {
        /** @var list<Alert> */
        return $this->core->data(Request::of('GET', '/api/external/v1/alerts'));
    }

    /**
     * Create an alert.
     *
     * @param array{
     *     name: string,
     *     channel: AlertChannel,
     *     target: string,
     *     triggers: list<AlertTrigger>,
     *     amount?: string|int|float|null,
     *     minutes?: int,
     *     limit_per_hour?: int,
     *     muted_until?: string|null
     * } $body
     * @return Alert
     */
    public function create(array $body, ?string $idempotencyKey = null): array
    {
        /** @var Alert */
        return $this->core->data(Request::of('POST', '/api/external/v1/alerts', body: $body, key: $idempotencyKey));
    }

    /**
     * Read an alert.
     *
     * @return Alert
     */
    public function get(int $alertId): array
    {
        /** @var Alert */
        return $this->core->data(Request::of('GET', '/api/external/v1/alerts/{id}', [$alertId]));
    }

    /**
     * Update an alert.
     *
     * @param array{
     *     name?: string,
     *     channel?: AlertChannel,
     *     target?: string,
     *     triggers?: list<AlertTrigger>,
     *     amount?: string|int|float|null,
     *     minutes?: int,
     *     limit_per_hour?: int,
     *     muted_until?: string|null
     * } $body
     * @return Alert
     */
    public function update(int $alertId, array $body = []): array
    {
        /** @var Alert */
        return $this->core->data(Request::of('PUT', '/api/external/v1/alerts/{id}', [$alertId], body: $body));
    }

    /**
     * Delete an alert.
     */
    public function delete(int $alertId): string
    {
        return $this->core->message(Request::of('DELETE', '/api/external/v1/alerts/{id}', [$alertId]));
    }

    /**
     * Send a test alert.
     *
     * @return Alert
     */
    public function test(int $alertId, ?string $idempotencyKey = null): array
    {
        /** @var Alert */
        return $this->core->data(Request::of('POST', '/api/external/v1/alerts/{id}/test', [$alertId], key: $idempotencyKey));
    }
}
