<?php

declare(strict_types=1);

namespace Lootkeep\Api;

use Lootkeep\Core;
use Lootkeep\Request;
use Lootkeep\Types;

/**
 * The methods of `$client->servers`; written by `python -m tools.write_clients`.
 *
 * @phpstan-import-type Game from Types
 * @phpstan-import-type NewServer from Types
 * @phpstan-import-type Resync from Types
 * @phpstan-import-type Server from Types
 * @phpstan-import-type ServerToken from Types
 */
final class ServersApi
{
    public function __construct(private readonly Core $core) {}

    /**
     * List servers.
     *
     * @return list<Server>
     */
    public function list(): array
    {
        /** @var list<Server> */
        return $this->core->data(Request::of('GET', '/api/external/v1/servers'));
    }

    /**
     * Create a server.
     *
     * @param array{
     *     name: string,
     *     game: Game
     * } $body
     * @return NewServer
     */
    public function create(array $body, ?string $idempotencyKey = null): array
    {
        /** @var NewServer */
        return $this->core->data(Request::of('POST', '/api/external/v1/servers', body: $body, key: $idempotencyKey));
    }

    /**
     * Read a server.
     *
     * @return Server
     */
    public function get(int $serverId): array
    {
        /** @var Server */
        return $this->core->data(Request::of('GET', '/api/external/v1/servers/{id}', [$serverId]));
    }

    /**
     * Update a server.
     *
     * @param array{
     *     name?: string,
     *     game?: Game
     * } $body
     * @return Server
     */
    public function update(int $serverId, array $body = []): array
    {
        /** @var Server */
        return $this->core->data(Request::of('PUT', '/api/external/v1/servers/{id}', [$serverId], body: $body));
    }

    /**
     * Delete a server.
     */
    public function delete(int $serverId): string
    {
        return $this->core->message(Request::of('DELETE', '/api/external/v1/servers/{id}', [$serverId]));
    }

    /**
     * Replace the token of a server.
     *
     * @return ServerToken
     */
    public function rotateToken(int $serverId, ?string $idempotencyKey = null): array
    {
        /** @var ServerToken */
        return $this->core->data(Request::of('POST', '/api/external/v1/servers/{id}/rotate-token', [$serverId], key: $idempotencyKey));
    }

    /**
     * Send a server everything again.
     *
     * @param array{
     *     player?: string|null,
     *     since?: string|null
     * } $body
     * @return Resync
     */
    public function resync(int $serverId, array $body = [], ?string $idempotencyKey = null): array
    {
        /** @var Resync */
        return $this->core->data(Request::of('POST', '/api/external/v1/servers/{id}/resync', [$serverId], body: $body, key: $idempotencyKey));
    }
}
