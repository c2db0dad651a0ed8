<?php

declare(strict_types=1);

namespace Lootkeep\Api;

use Lootkeep\Core;
use Lootkeep\Request;
use Lootkeep\Types;

/**
 * The methods of `$client->referrals->settings`; written by `python -m tools.write_clients`.
 *
 * @phpstan-import-type DiscountType from Types
 * @phpstan-import-type ReferralSettings from Types
 * @phpstan-import-type RewardEvent from Types
 */
final class ReferralsSettingsApi
{
    public function __construct(private readonly Core $core) {}

    /**
     * Read the program's settings.
     *
     * @return ReferralSettings
     */
    public function get(): array
    {
        /** @var ReferralSettings */
        return $this->core->data(Request::of('GET', '/api/external/v1/referrals/settings'));
    }

    /**
     * Update the program's settings.
     *
     * @param array{
     *     referral_enabled?: bool,
     *     referral_reward_event?: RewardEvent,
     *     referral_welcome_discount_enabled?: bool,
     *     referral_welcome_discount_type?: DiscountType,
     *     referral_welcome_discount_value?: string|int|float
     * } $body
     * @return ReferralSettings
     */
    public function update(array $body = []): array
    {
        /** @var ReferralSettings */
        return $this->core->data(Request::of('PUT', '/api/external/v1/referrals/settings', body: $body));
    }
}
