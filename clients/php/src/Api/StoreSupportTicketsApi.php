<?php

declare(strict_types=1);

namespace Lootkeep\Api;

use Lootkeep\Core;
use Lootkeep\Request;
use Lootkeep\Types;

/**
 * The methods of `$client->store->supportTickets`; written by `python -m tools.write_clients`.
 *
 * @phpstan-import-type PostedMessage from Types
 * @phpstan-import-type TicketCategory from Types
 * @phpstan-import-type TicketDetail from Types
 * @phpstan-import-type TicketPriority from Types
 */
final class StoreSupportTicketsApi
{
    public function __construct(private readonly Core $core) {}

    /**
     * Open a support ticket.
     *
     * @param array{
     *     customer_id: int,
     *     subject: string,
     *     message: string,
     *     priority?: TicketPriority,
     *     category?: TicketCategory,
     *     order_id?: int|null
     * } $body
     * @return TicketDetail
     */
    public function create(array $body, ?string $idempotencyKey = null): array
    {
        /** @var TicketDetail */
        return $this->core->data(Request::of('POST', '/api/store/v1/support-tickets', body: $body, key: $idempotencyKey));
    }

    /**
     * Add a customer's message.
     *
     * @param array{
     *     message: string
     * } $body
     * @return PostedMessage
     */
    public function addMessage(int $supportTicketId, array $body, ?string $idempotencyKey = null): array
    {
        /** @var PostedMessage */
        return $this->core->data(Request::of('POST', '/api/store/v1/support-tickets/{id}/messages', [$supportTicketId], body: $body, key: $idempotencyKey));
    }
}
