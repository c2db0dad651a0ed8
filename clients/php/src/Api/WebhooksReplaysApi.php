<?php

declare(strict_types=1);

namespace Lootkeep\Api;

use Lootkeep\Core;
use Lootkeep\Request;
use Lootkeep\Types;

/**
 * The methods of `$client->webhooks->replays`; written by `python -m tools.write_clients`.
 *
 * @phpstan-import-type EventSubscription from Types
 * @phpstan-import-type Replay from Types
 */
final class WebhooksReplaysApi
{
    public function __construct(private readonly Core $core) {}

    /**
     * Send recorded events again.
     *
     * @param array{
     *     since: string,
     *     event_types?: list<EventSubscription>|null
     * } $body
     * @return Replay
     */
    public function create(int $webhookId, array $body, ?string $idempotencyKey = null): array
    {
        /** @var Replay */
        return $this->core->data(Request::of('POST', '/api/external/v1/webhooks/{id}/replay', [$webhookId], body: $body, key: $idempotencyKey));
    }

    /**
     * Read a replay's progress.
     *
     * @return Replay
     */
    public function get(int $webhookId): array
    {
        /** @var Replay */
        return $this->core->data(Request::of('GET', '/api/external/v1/webhooks/{id}/replay', [$webhookId]));
    }
}
