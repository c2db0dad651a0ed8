<?php

declare(strict_types=1);

namespace Lootkeep\Api;

use Lootkeep\Core;
use Lootkeep\Request;
use Lootkeep\Types;

/**
 * The methods of `$client->fraud`; written by `python -m tools.write_clients`.
 *
 * @phpstan-import-type Backtest from Types
 * @phpstan-import-type BlockKind from Types
 * @phpstan-import-type Explanation from Types
 * @phpstan-import-type FraudDashboard from Types
 * @phpstan-import-type FraudSettingsChanges from Types
 * @phpstan-import-type ReviewOutcome from Types
 * @phpstan-import-type Reviewed from Types
 * @phpstan-import-type SignalReport from Types
 * @phpstan-import-type TriedRuleBody from Types
 */
final class FraudApi
{
    public readonly FraudChecksApi $checks;
    public readonly FraudSettingsApi $settings;
    public readonly FraudWhitelistApi $whitelist;
    public readonly FraudBlockedCountriesApi $blockedCountries;
    public readonly FraudQueueApi $queue;

    public function __construct(private readonly Core $core)
    {
        $this->checks = new FraudChecksApi($core);
        $this->settings = new FraudSettingsApi($core);
        $this->whitelist = new FraudWhitelistApi($core);
        $this->blockedCountries = new FraudBlockedCountriesApi($core);
        $this->queue = new FraudQueueApi($core);
    }

    /**
     * Read the fraud dashboard.
     *
     * @return FraudDashboard
     */
    public function dashboard(): array
    {
        /** @var FraudDashboard */
        return $this->core->data(Request::of('GET', '/api/external/v1/fraud/dashboard'));
    }

    /**
     * Read the accuracy of each signal.
     *
     * @return list<SignalReport>
     */
    public function signals(): array
    {
        /** @var list<SignalReport> */
        return $this->core->data(Request::of('GET', '/api/external/v1/fraud/signals'));
    }

    /**
     * Backtest settings or a rule on past orders.
     *
     * @param array{
     *     settings?: FraudSettingsChanges,
     *     rule?: TriedRuleBody|null,
     *     days?: int
     * } $body
     * @return Backtest
     */
    public function backtest(array $body = [], ?string $idempotencyKey = null): array
    {
        /** @var Backtest */
        return $this->core->data(Request::of('POST', '/api/external/v1/fraud/backtest', body: $body, key: $idempotencyKey));
    }

    /**
     * Explain what counts against a buyer now.
     *
     * @param array{
     *     ip?: string,
     *     email?: string,
     *     player?: string
     * } $query
     * @return Explanation
     */
    public function explain(array $query = []): array
    {
        /** @var Explanation */
        return $this->core->data(Request::of('GET', '/api/external/v1/fraud/explain', query: $query));
    }

    /**
     * Review several fraud checks at once.
     *
     * @param array{
     *     check_ids: list<int>,
     *     outcome: ReviewOutcome,
     *     notes?: string|null,
     *     block?: list<BlockKind>
     * } $body
     * @return list<Reviewed>
     */
    public function reviewRing(array $body, ?string $idempotencyKey = null): array
    {
        /** @var list<Reviewed> */
        return $this->core->data(Request::of('POST', '/api/external/v1/fraud/reviews', body: $body, key: $idempotencyKey));
    }
}
