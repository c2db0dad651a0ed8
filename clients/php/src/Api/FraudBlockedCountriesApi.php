<?php

declare(strict_types=1);

namespace Lootkeep\Api;

use Lootkeep\Core;
use Lootkeep\Request;
use Lootkeep\Types;

/**
 * The methods of `$client->fraud->blockedCountries`; written by `python -m tools.write_clients`.
 *
 * @phpstan-import-type BlockedCountries from Types
 */
final class FraudBlockedCountriesApi
{
    public function __construct(private readonly Core $core) {}

    /**
     * Block a country.
     *
     * @param array{
     *     country_code: string
     * } $body
     * @return BlockedCountries
     */
    public function add(array $body, ?string $idempotencyKey = null): array
    {
        /** @var BlockedCountries */
        return $this->core->data(Request::of('POST', '/api/external/v1/fraud/blocked-countries', body: $body, key: $idempotencyKey));
    }

    /**
     * Stop blocking a country.
     *
     * @param array{
     *     country_code: string
     * } $body
     * @return BlockedCountries
     */
    public function remove(array $body): array
    {
        /** @var BlockedCountries */
        return $this->core->data(Request::of('DELETE', '/api/external/v1/fraud/blocked-countries', body: $body));
    }
}
