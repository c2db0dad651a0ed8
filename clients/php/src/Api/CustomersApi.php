<?php

declare(strict_types=1);

namespace Lootkeep\Api;

use Lootkeep\Core;
use Lootkeep\Pages;
use Lootkeep\Request;
use Lootkeep\Types;

/**
 * The methods of `$client->customers`; written by `python -m tools.write_clients`.
 *
 * @phpstan-import-type ChangedCustomer from Types
 * @phpstan-import-type Customer from Types
 * @phpstan-import-type CustomerStatus from Types
 * @phpstan-import-type LinkedAccounts from Types
 * @phpstan-import-type MailboxStatus from Types
 * @phpstan-import-type PlayerBody from Types
 * @phpstan-import-type SortDirection from Types
 */
final class CustomersApi
{
    public function __construct(private readonly Core $core) {}

    /**
     * List the accounts linked to a customer.
     *
     * @return LinkedAccounts
     */
    public function linked(int $customerId): array
    {
        /** @var LinkedAccounts */
        return $this->core->data(Request::of('GET', '/api/external/v1/customers/{id}/linked', [$customerId]));
    }

    /**
     * List customers.
     *
     * @param array{
     *     page?: int,
     *     per_page?: int,
     *     from?: string,
     *     to?: string,
     *     search?: string,
     *     order?: SortDirection,
     *     email?: string,
     *     status?: CustomerStatus,
     *     country?: string,
     *     accepts_marketing?: bool,
     *     has_orders?: bool,
     *     min_total_spent?: string|int|float,
     *     tag?: string,
     *     identity?: string,
     *     sort?: 'id'|'created_at'|'name'|'email'|'orders_count'|'total_spent'|'last_order_at'
     * } $query
     * @return Pages<Customer>
     */
    public function list(array $query = []): Pages
    {
        /** @var Pages<Customer> */
        return $this->core->pages('/api/external/v1/customers', query: $query);
    }

    /**
     * Read a customer.
     *
     * @return Customer
     */
    public function get(int $customerId): array
    {
        /** @var Customer */
        return $this->core->data(Request::of('GET', '/api/external/v1/customers/{id}', [$customerId]));
    }

    /**
     * Change a customer.
     *
     * @param array{
     *     email?: string,
     *     name?: string,
     *     username?: string|null,
     *     external_id?: string|null,
     *     country?: string|null,
     *     accepts_marketing?: bool,
     *     email_status?: MailboxStatus,
     *     tags?: list<string>,
     *     identities?: list<PlayerBody>,
     *     note?: string|null,
     *     status?: CustomerStatus,
     *     status_reason?: string|null
     * } $body
     * @return ChangedCustomer
     */
    public function update(int $customerId, array $body = []): array
    {
        /** @var ChangedCustomer */
        return $this->core->data(Request::of('PUT', '/api/external/v1/customers/{id}', [$customerId], body: $body));
    }
}
