<?php

declare(strict_types=1);

namespace Lootkeep\Api;

use Lootkeep\Core;
use Lootkeep\Pages;
use Lootkeep\Types;

/**
 * The methods of `$client->referrals->refused`; written by `python -m tools.write_clients`.
 *
 * @phpstan-import-type RefusedReferral from Types
 */
final class ReferralsRefusedApi
{
    public function __construct(private readonly Core $core) {}

    /**
     * List refused referrals.
     *
     * @param array{
     *     page?: int,
     *     per_page?: int
     * } $query
     * @return Pages<RefusedReferral>
     */
    public function list(array $query = []): Pages
    {
        /** @var Pages<RefusedReferral> */
        return $this->core->pages('/api/external/v1/referrals/refused', query: $query);
    }
}
