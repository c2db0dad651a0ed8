<?php

declare(strict_types=1);

namespace Lootkeep\Api;

use Lootkeep\Core;
use Lootkeep\Pages;
use Lootkeep\Types;

/**
 * The methods of `$client->referrals->claims`; written by `python -m tools.write_clients`.
 *
 * @phpstan-import-type Claim from Types
 */
final class ReferralsClaimsApi
{
    public function __construct(private readonly Core $core) {}

    /**
     * List reward claims.
     *
     * @param array{
     *     page?: int,
     *     per_page?: int
     * } $query
     * @return Pages<Claim>
     */
    public function list(array $query = []): Pages
    {
        /** @var Pages<Claim> */
        return $this->core->pages('/api/external/v1/referrals/claims', query: $query);
    }
}
