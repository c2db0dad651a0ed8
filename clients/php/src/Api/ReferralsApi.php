<?php

declare(strict_types=1);

namespace Lootkeep\Api;

use Lootkeep\Core;
use Lootkeep\Pages;
use Lootkeep\Request;
use Lootkeep\Types;

/**
 * The methods of `$client->referrals`; written by `python -m tools.write_clients`.
 *
 * @phpstan-import-type CodeValidation from Types
 * @phpstan-import-type Leaderboard from Types
 * @phpstan-import-type Referral from Types
 * @phpstan-import-type ReferralStatus from Types
 * @phpstan-import-type Statistics from Types
 * @phpstan-import-type TopReferrer from Types
 */
final class ReferralsApi
{
    public readonly ReferralsTiersApi $tiers;
    public readonly ReferralsSettingsApi $settings;
    public readonly ReferralsClaimsApi $claims;
    public readonly ReferralsRefusedApi $refused;

    public function __construct(private readonly Core $core)
    {
        $this->tiers = new ReferralsTiersApi($core);
        $this->settings = new ReferralsSettingsApi($core);
        $this->claims = new ReferralsClaimsApi($core);
        $this->refused = new ReferralsRefusedApi($core);
    }

    /**
     * List referrals.
     *
     * @param array{
     *     page?: int,
     *     per_page?: int,
     *     status?: ReferralStatus,
     *     search?: string
     * } $query
     * @return Pages<Referral>
     */
    public function list(array $query = []): Pages
    {
        /** @var Pages<Referral> */
        return $this->core->pages('/api/external/v1/referrals', query: $query);
    }

    /**
     * Read referral statistics.
     *
     * @return Statistics
     */
    public function statistics(): array
    {
        /** @var Statistics */
        return $this->core->data(Request::of('GET', '/api/external/v1/referrals/statistics'));
    }

    /**
     * Rank customers by counted referrals.
     *
     * @param array{
     *     limit?: int
     * } $query
     * @return list<Leaderboard>
     */
    public function leaderboard(array $query = []): array
    {
        /** @var list<Leaderboard> */
        return $this->core->data(Request::of('GET', '/api/external/v1/referrals/leaderboard', query: $query));
    }

    /**
     * Rank customers by successful referrals.
     *
     * @param array{
     *     limit?: int
     * } $query
     * @return list<TopReferrer>
     */
    public function topReferrers(array $query = []): array
    {
        /** @var list<TopReferrer> */
        return $this->core->data(Request::of('GET', '/api/external/v1/referrals/top-referrers', query: $query));
    }

    /**
     * Check a referral code.
     *
     * @param array{
     *     code: string
     * } $body
     * @return CodeValidation
     */
    public function validate(array $body, ?string $idempotencyKey = null): array
    {
        /** @var CodeValidation */
        return $this->core->data(Request::of('POST', '/api/external/v1/referrals/validate', body: $body, key: $idempotencyKey));
    }
}
