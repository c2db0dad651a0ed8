<?php

declare(strict_types=1);

namespace Lootkeep\Api;

use Lootkeep\Core;
use Lootkeep\Pages;
use Lootkeep\Request;
use Lootkeep\Types;

/**
 * The methods of `$client->store->customers`; written by `python -m tools.write_clients`.
 *
 * @phpstan-import-type ChangedCustomer from Types
 * @phpstan-import-type Customer from Types
 * @phpstan-import-type CustomerExport from Types
 * @phpstan-import-type CustomerReferrals from Types
 * @phpstan-import-type CustomerStatus from Types
 * @phpstan-import-type MailboxStatus from Types
 * @phpstan-import-type OwnClaim from Types
 * @phpstan-import-type OwnedGood from Types
 * @phpstan-import-type PlayerBody from Types
 * @phpstan-import-type SignedUp from Types
 */
final class StoreCustomersApi
{
    public function __construct(private readonly Core $core) {}

    /**
     * Create a customer.
     *
     * @param array{
     *     email: string,
     *     name: string,
     *     username?: string|null,
     *     external_id?: string|null,
     *     referral_code?: string|null,
     *     country?: string|null,
     *     ip_address?: string|null,
     *     device_id?: string|null,
     *     accepts_marketing?: bool,
     *     created_at?: string|null
     * } $body
     * @return SignedUp
     */
    public function create(array $body, ?string $idempotencyKey = null): array
    {
        /** @var SignedUp */
        return $this->core->data(Request::of('POST', '/api/store/v1/customers', body: $body, key: $idempotencyKey));
    }

    /**
     * Find customers.
     *
     * @param array{
     *     page?: int,
     *     per_page?: int,
     *     external_id?: string,
     *     email?: string,
     *     identity?: string
     * } $query
     * @return Pages<Customer>
     */
    public function list(array $query = []): Pages
    {
        /** @var Pages<Customer> */
        return $this->core->pages('/api/store/v1/customers', query: $query);
    }

    /**
     * Read a customer of the store.
     *
     * @return Customer
     */
    public function get(int $customerId): array
    {
        /** @var Customer */
        return $this->core->data(Request::of('GET', '/api/store/v1/customers/{id}', [$customerId]));
    }

    /**
     * Change a customer of the store.
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
        return $this->core->data(Request::of('PUT', '/api/store/v1/customers/{id}', [$customerId], body: $body));
    }

    /**
     * Erase a customer.
     */
    public function delete(int $customerId): string
    {
        return $this->core->message(Request::of('DELETE', '/api/store/v1/customers/{id}', [$customerId]));
    }

    /**
     * Export a customer.
     *
     * @return CustomerExport
     */
    public function export(int $customerId): array
    {
        /** @var CustomerExport */
        return $this->core->data(Request::of('GET', '/api/store/v1/customers/{id}/export', [$customerId]));
    }

    /**
     * Read a customer's referrals.
     *
     * @return CustomerReferrals
     */
    public function referrals(int $customerId): array
    {
        /** @var CustomerReferrals */
        return $this->core->data(Request::of('GET', '/api/store/v1/customers/{id}/referrals', [$customerId]));
    }

    /**
     * Claim a reward tier.
     *
     * @param array{
     *     tier_id: int
     * } $body
     * @return OwnClaim
     */
    public function claim(int $customerId, array $body, ?string $idempotencyKey = null): array
    {
        /** @var OwnClaim */
        return $this->core->data(Request::of('POST', '/api/store/v1/customers/{id}/claims', [$customerId], body: $body, key: $idempotencyKey));
    }

    /**
     * List what a customer owns.
     *
     * @param array{
     *     page?: int,
     *     per_page?: int,
     *     active?: bool
     * } $query
     * @return Pages<OwnedGood>
     */
    public function goods(int $customerId, array $query = []): Pages
    {
        /** @var Pages<OwnedGood> */
        return $this->core->pages('/api/store/v1/customers/{id}/goods', [$customerId], query: $query);
    }
}
