<?php

declare(strict_types=1);

namespace Lootkeep\Api;

use Lootkeep\Core;
use Lootkeep\Request;
use Lootkeep\Types;

/**
 * The methods of `$client->fraud->settings`; written by `python -m tools.write_clients`.
 *
 * @phpstan-import-type FraudAction from Types
 * @phpstan-import-type FraudSensitivity from Types
 * @phpstan-import-type FraudSettings from Types
 * @phpstan-import-type FraudSettingsAnswer from Types
 * @phpstan-import-type FraudWhenDue from Types
 */
final class FraudSettingsApi
{
    public function __construct(private readonly Core $core) {}

    /**
     * Read the settings of fraud detection.
     *
     * @return FraudSettingsAnswer
     */
    public function get(): array
    {
        /** @var FraudSettingsAnswer */
        return $this->core->data(Request::of('GET', '/api/external/v1/fraud/settings'));
    }

    /**
     * Update the settings of fraud detection.
     *
     * @param array{
     *     fraud_detection_enabled?: bool,
     *     fraud_sensitivity_level?: FraudSensitivity,
     *     fraud_action?: FraudAction,
     *     fraud_block_vpn?: bool,
     *     fraud_block_proxy?: bool,
     *     fraud_block_datacenter?: bool,
     *     fraud_block_tor?: bool,
     *     fraud_block_sanctioned_countries?: bool,
     *     fraud_check_geo_mismatch?: bool,
     *     fraud_check_velocity?: bool,
     *     fraud_check_disposable_email?: bool,
     *     fraud_judge_at_payment?: bool,
     *     fraud_accounts_made_at_checkout?: bool,
     *     fraud_signal_points?: array<string, int>,
     *     fraud_velocity_limit_orders_per_ip?: int,
     *     fraud_velocity_limit_orders_per_email?: int,
     *     fraud_velocity_limit_declines?: int,
     *     fraud_velocity_window_minutes?: int,
     *     fraud_review_due_hours?: int,
     *     fraud_review_when_due?: FraudWhenDue,
     *     fraud_review_daily_budget?: int,
     *     fraud_custom_blocked_countries?: list<string>,
     *     fraud_whitelisted_ips?: list<string>,
     *     fraud_whitelisted_emails?: list<string>
     * } $body
     * @return FraudSettings
     */
    public function update(array $body = []): array
    {
        /** @var FraudSettings */
        return $this->core->data(Request::of('PUT', '/api/external/v1/fraud/settings', body: $body, maps: ['fraud_signal_points']));
    }
}
