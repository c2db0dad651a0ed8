<?php

declare(strict_types=1);

namespace Lootkeep\Api;

use Lootkeep\Core;
use Lootkeep\Request;
use Lootkeep\Types;

/**
 * The methods of `$client->payments->sources`; written by `python -m tools.write_clients`.
 *
 * @phpstan-import-type PaymentProvider from Types
 * @phpstan-import-type PaymentSource from Types
 */
final class PaymentsSourcesApi
{
    public function __construct(private readonly Core $core) {}

    /**
     * List payment sources.
     *
     * @return list<PaymentSource>
     */
    public function list(): array
    {
        /** @var list<PaymentSource> */
        return $this->core->data(Request::of('GET', '/api/external/v1/payment-sources'));
    }

    /**
     * Create a payment source.
     *
     * @param array{
     *     name: string,
     *     secret: string,
     *     is_test?: bool,
     *     provider: PaymentProvider
     * } $body
     * @return PaymentSource
     */
    public function create(array $body, ?string $idempotencyKey = null): array
    {
        /** @var PaymentSource */
        return $this->core->data(Request::of('POST', '/api/external/v1/payment-sources', body: $body, key: $idempotencyKey));
    }

    /**
     * Read a payment source.
     *
     * @return PaymentSource
     */
    public function get(int $paymentSourceId): array
    {
        /** @var PaymentSource */
        return $this->core->data(Request::of('GET', '/api/external/v1/payment-sources/{id}', [$paymentSourceId]));
    }

    /**
     * Update a payment source.
     *
     * @param array{
     *     name?: string,
     *     secret?: string,
     *     is_test?: bool,
     *     is_active?: bool
     * } $body
     * @return PaymentSource
     */
    public function update(int $paymentSourceId, array $body = []): array
    {
        /** @var PaymentSource */
        return $this->core->data(Request::of('PUT', '/api/external/v1/payment-sources/{id}', [$paymentSourceId], body: $body));
    }

    /**
     * Delete a payment source.
     */
    public function delete(int $paymentSourceId): string
    {
        return $this->core->message(Request::of('DELETE', '/api/external/v1/payment-sources/{id}', [$paymentSourceId]));
    }
}
