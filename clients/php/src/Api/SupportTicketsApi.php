<?php

declare(strict_types=1);

namespace Lootkeep\Api;

use Lootkeep\Core;
use Lootkeep\Pages;
use Lootkeep\Request;
use Lootkeep\Types;

/**
 * The methods of `$client->supportTickets`; written by `python -m tools.write_clients`.
 *
 * @phpstan-import-type PostedMessage from Types
 * @phpstan-import-type SortDirection from Types
 * @phpstan-import-type Ticket from Types
 * @phpstan-import-type TicketCategory from Types
 * @phpstan-import-type TicketDetail from Types
 * @phpstan-import-type TicketPriority from Types
 * @phpstan-import-type TicketStats from Types
 * @phpstan-import-type TicketStatus from Types
 */
final class SupportTicketsApi
{
    public function __construct(private readonly Core $core) {}

    /**
     * List support tickets.
     *
     * @param array{
     *     page?: int,
     *     per_page?: int,
     *     status?: TicketStatus,
     *     priority?: TicketPriority,
     *     category?: TicketCategory,
     *     assigned_to?: int|'me'|'none',
     *     customer_id?: int,
     *     order_id?: int,
     *     from?: string,
     *     to?: string,
     *     search?: string,
     *     sort?: 'id'|'created_at'|'last_message_at',
     *     order?: SortDirection
     * } $query
     * @return Pages<Ticket>
     */
    public function list(array $query = []): Pages
    {
        /** @var Pages<Ticket> */
        return $this->core->pages('/api/external/v1/support-tickets', query: $query);
    }

    /**
     * Read support statistics.
     *
     * @return TicketStats
     */
    public function stats(): array
    {
        /** @var TicketStats */
        return $this->core->data(Request::of('GET', '/api/external/v1/support-tickets/stats'));
    }

    /**
     * Read a support ticket with its messages.
     *
     * @param array{
     *     before?: int,
     *     limit?: int
     * } $query
     * @return TicketDetail
     */
    public function get(int $supportTicketId, array $query = []): array
    {
        /** @var TicketDetail */
        return $this->core->data(Request::of('GET', '/api/external/v1/support-tickets/{id}', [$supportTicketId], query: $query));
    }

    /**
     * Set a support ticket's status.
     *
     * @param array{
     *     status: TicketStatus
     * } $body
     * @return Ticket
     */
    public function setStatus(int $supportTicketId, array $body): array
    {
        /** @var Ticket */
        return $this->core->data(Request::of('PUT', '/api/external/v1/support-tickets/{id}/status', [$supportTicketId], body: $body));
    }

    /**
     * Add a staff message to a support ticket.
     *
     * @param array{
     *     message: string,
     *     is_internal?: bool
     * } $body
     * @return PostedMessage
     */
    public function addMessage(int $supportTicketId, array $body, ?string $idempotencyKey = null): array
    {
        /** @var PostedMessage */
        return $this->core->data(Request::of('POST', '/api/external/v1/support-tickets/{id}/messages', [$supportTicketId], body: $body, key: $idempotencyKey));
    }

    /**
     * Close a support ticket.
     *
     * @param array{
     *     message?: string|null
     * } $body
     * @return Ticket
     */
    public function close(int $supportTicketId, array $body = [], ?string $idempotencyKey = null): array
    {
        /** @var Ticket */
        return $this->core->data(Request::of('POST', '/api/external/v1/support-tickets/{id}/close', [$supportTicketId], body: $body, key: $idempotencyKey));
    }

    /**
     * Assign a support ticket.
     *
     * @param array{
     *     user_id: int|null
     * } $body
     * @return Ticket
     */
    public function assign(int $supportTicketId, array $body, ?string $idempotencyKey = null): array
    {
        /** @var Ticket */
        return $this->core->data(Request::of('POST', '/api/external/v1/support-tickets/{id}/assign', [$supportTicketId], body: $body, key: $idempotencyKey));
    }
}
