<?php

declare(strict_types=1);

namespace Lootkeep\Api;

use Lootkeep\Core;
use Lootkeep\Request;
use Lootkeep\Types;

/**
 * The methods of `$client->referrals->tiers`; written by `python -m tools.write_clients`.
 *
 * @phpstan-import-type RewardType from Types
 * @phpstan-import-type Tier from Types
 * @phpstan-import-type ToggledTier from Types
 */
final class ReferralsTiersApi
{
    public function __construct(private readonly Core $core) {}

    /**
     * List reward tiers.
     *
     * @return list<Tier>
     */
    public function list(): array
    {
        /** @var list<Tier> */
        return $this->core->data(Request::of('GET', '/api/external/v1/referrals/tiers'));
    }

    /**
     * Create a reward tier.
     *
     * @param array{
     *     name: string,
     *     description?: string|null,
     *     referrals_required: int,
     *     reward_type: RewardType,
     *     reward_value: string|int|float,
     *     reward_currency?: string|null,
     *     coupon_validity_days?: int,
     *     is_active?: bool,
     *     sort_order?: int
     * } $body
     * @return Tier
     */
    public function create(array $body, ?string $idempotencyKey = null): array
    {
        /** @var Tier */
        return $this->core->data(Request::of('POST', '/api/external/v1/referrals/tiers', body: $body, key: $idempotencyKey));
    }

    /**
     * Update a reward tier.
     *
     * @param array{
     *     name?: string,
     *     description?: string|null,
     *     referrals_required?: int,
     *     reward_type?: RewardType,
     *     reward_value?: string|int|float,
     *     reward_currency?: string|null,
     *     coupon_validity_days?: int,
     *     is_active?: bool,
     *     sort_order?: int
     * } $body
     * @return Tier
     */
    public function update(int $tierId, array $body = []): array
    {
        /** @var Tier */
        return $this->core->data(Request::of('PUT', '/api/external/v1/referrals/tiers/{id}', [$tierId], body: $body));
    }

    /**
     * Delete a reward tier.
     */
    public function delete(int $tierId): string
    {
        return $this->core->message(Request::of('DELETE', '/api/external/v1/referrals/tiers/{id}', [$tierId]));
    }

    /**
     * Activate or deactivate a reward tier.
     *
     * @return ToggledTier
     */
    public function toggle(int $tierId, ?string $idempotencyKey = null): array
    {
        /** @var ToggledTier */
        return $this->core->data(Request::of('POST', '/api/external/v1/referrals/tiers/{id}/toggle', [$tierId], key: $idempotencyKey));
    }
}
