<?php

declare(strict_types=1);

namespace Lootkeep\Api;

use Lootkeep\Core;
use Lootkeep\Pages;
use Lootkeep\Request;
use Lootkeep\Types;

/**
 * The methods of `$client->commands`; written by `python -m tools.write_clients`.
 *
 * @phpstan-import-type Command from Types
 * @phpstan-import-type CommandStatus from Types
 * @phpstan-import-type SortDirection from Types
 */
final class CommandsApi
{
    public function __construct(private readonly Core $core) {}

    /**
     * List commands.
     *
     * @param array{
     *     page?: int,
     *     per_page?: int,
     *     status?: CommandStatus,
     *     server_id?: int,
     *     order_id?: int,
     *     customer_id?: int,
     *     sort?: 'id',
     *     order?: SortDirection
     * } $query
     * @return Pages<Command>
     */
    public function list(array $query = []): Pages
    {
        /** @var Pages<Command> */
        return $this->core->pages('/api/external/v1/commands', query: $query);
    }

    /**
     * Send a command again.
     *
     * @return Command
     */
    public function resend(int $commandId, ?string $idempotencyKey = null): array
    {
        /** @var Command */
        return $this->core->data(Request::of('POST', '/api/external/v1/commands/{id}/resend', [$commandId], key: $idempotencyKey));
    }
}
