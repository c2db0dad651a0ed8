<?php

declare(strict_types=1);

namespace Lootkeep\Api;

use Lootkeep\Core;
use Lootkeep\Request;
use Lootkeep\Types;

/**
 * The methods of `$client->webhooks`; written by `python -m tools.write_clients`.
 *
 * @phpstan-import-type EventSubscription from Types
 * @phpstan-import-type EventType from Types
 * @phpstan-import-type TestResult from Types
 * @phpstan-import-type Webhook from Types
 * @phpstan-import-type WebhookWithSecret from Types
 */
final class WebhooksApi
{
    public readonly WebhooksDeliveriesApi $deliveries;
    public readonly WebhooksReplaysApi $replays;

    public function __construct(private readonly Core $core)
    {
        $this->deliveries = new WebhooksDeliveriesApi($core);
        $this->replays = new WebhooksReplaysApi($core);
    }

    /**
     * List webhooks.
     *
     * @return list<Webhook>
     */
    public function list(): array
    {
        /** @var list<Webhook> */
        return $this->core->data(Request::of('GET', '/api/external/v1/webhooks'));
    }

    /**
     * Create a webhook.
     *
     * @param array{
     *     url: string,
     *     events: list<EventSubscription>,
     *     headers?: array<string, string|null>,
     *     filter?: string|null
     * } $body
     * @return WebhookWithSecret
     */
    public function create(array $body, ?string $idempotencyKey = null): array
    {
        /** @var WebhookWithSecret */
        return $this->core->data(Request::of('POST', '/api/external/v1/webhooks', body: $body, maps: ['headers'], key: $idempotencyKey));
    }

    /**
     * Read a webhook.
     *
     * @return Webhook
     */
    public function get(int $webhookId): array
    {
        /** @var Webhook */
        return $this->core->data(Request::of('GET', '/api/external/v1/webhooks/{id}', [$webhookId]));
    }

    /**
     * Update a webhook.
     *
     * @param array{
     *     url?: string,
     *     events?: list<EventSubscription>,
     *     headers?: array<string, string|null>,
     *     filter?: string|null,
     *     is_active?: bool
     * } $body
     * @return Webhook
     */
    public function update(int $webhookId, array $body = []): array
    {
        /** @var Webhook */
        return $this->core->data(Request::of('PUT', '/api/external/v1/webhooks/{id}', [$webhookId], body: $body, maps: ['headers']));
    }

    /**
     * Delete a webhook.
     */
    public function delete(int $webhookId): string
    {
        return $this->core->message(Request::of('DELETE', '/api/external/v1/webhooks/{id}', [$webhookId]));
    }

    /**
     * Send a test delivery.
     *
     * @return TestResult
     */
    public function test(int $webhookId, ?string $idempotencyKey = null): array
    {
        /** @var TestResult */
        return $this->core->data(Request::of('POST', '/api/external/v1/webhooks/{id}/test', [$webhookId], key: $idempotencyKey));
    }

    /**
     * List event types.
     *
     * @return list<EventType>
     */
    public function eventTypes(): array
    {
        /** @var list<EventType> */
        return $this->core->data(Request::of('GET', '/api/external/v1/webhooks/event-types'));
    }

    /**
     * Rotate a webhook's secret.
     *
     * @return WebhookWithSecret
     */
    public function rotateSecret(int $webhookId, ?string $idempotencyKey = null): array
    {
        /** @var WebhookWithSecret */
        return $this->core->data(Request::of('POST', '/api/external/v1/webhooks/{id}/rotate-secret', [$webhookId], key: $idempotencyKey));
    }
}
