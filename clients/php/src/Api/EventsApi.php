<?php

declare(strict_types=1);

namespace Lootkeep\Api;

use Lootkeep\Core;
use Lootkeep\Request;
use Lootkeep\Types;

/**
 * The methods of `$client->events`; written by `python -m tools.write_clients`.
 *
 * @phpstan-import-type EventFeed from Types
 */
final class EventsApi
{
    public function __construct(private readonly Core $core) {}

    /**
     * Read the event feed.
     *
     * @param array{
     *     after?: int,
     *     limit?: int,
     *     wait?: int
     * } $query
     * @return EventFeed
     */
    public function read(array $query = []): array
    {
        /** @var EventFeed */
        return $this->core->data(Request::of('GET', '/api/external/v1/events', query: $query));
    }
}
