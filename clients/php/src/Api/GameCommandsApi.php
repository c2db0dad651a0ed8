<?php

declare(strict_types=1);

namespace Lootkeep\Api;

use Lootkeep\Core;
use Lootkeep\Request;
use Lootkeep\Types;

/**
 * The methods of `$client->game->commands`; written by `python -m tools.write_clients`.
 *
 * @phpstan-import-type LeasedCommand from Types
 * @phpstan-import-type RecordedResults from Types
 * @phpstan-import-type ResultBody from Types
 */
final class GameCommandsApi
{
    public function __construct(private readonly Core $core) {}

    /**
     * Take commands.
     *
     * @param array{
     *     limit?: int,
     *     wait?: int,
     *     online?: string
     * } $query
     * @return list<LeasedCommand>
     */
    public function take(array $query = []): array
    {
        /** @var list<LeasedCommand> */
        return $this->core->data(Request::of('GET', '/api/game/v1/commands', query: $query));
    }

    /**
     * Report results.
     *
     * @param array{
     *     results: list<ResultBody>
     * } $body
     * @return RecordedResults
     */
    public function report(array $body, ?string $idempotencyKey = null): array
    {
        /** @var RecordedResults */
        return $this->core->data(Request::of('POST', '/api/game/v1/commands/results', body: $body, key: $idempotencyKey));
    }
}
