<?php

declare(strict_types=1);

namespace Lootkeep\Api;

use Lootkeep\Core;
use Lootkeep\Pages;
use Lootkeep\Request;
use Lootkeep\Types;

/**
 * The methods of `$client->fraud->queue`; written by `python -m tools.write_clients`.
 *
 * @phpstan-import-type FraudDecision from Types
 * @phpstan-import-type QueuedCheck from Types
 * @phpstan-import-type RiskLevel from Types
 * @phpstan-import-type Riskiest from Types
 * @phpstan-import-type SortDirection from Types
 */
final class FraudQueueApi
{
    public function __construct(private readonly Core $core) {}

    /**
     * List the review queue.
     *
     * @param array{
     *     page?: int,
     *     per_page?: int,
     *     risk_level?: RiskLevel,
     *     action_taken?: FraudDecision,
     *     owner_id?: int,
     *     sort?: 'expected_loss'|'due_at'|'risk_score'|'created_at',
     *     order?: SortDirection
     * } $query
     * @return Pages<QueuedCheck>
     */
    public function list(array $query = []): Pages
    {
        /** @var Pages<QueuedCheck> */
        return $this->core->pages('/api/external/v1/fraud/queue', query: $query);
    }

    /**
     * List the riskiest allowed orders of the day.
     *
     * @return Riskiest
     */
    public function today(): array
    {
        /** @var Riskiest */
        return $this->core->data(Request::of('GET', '/api/external/v1/fraud/queue/today'));
    }
}
