<?php

declare(strict_types=1);

namespace Lootkeep\Api;

use Lootkeep\Core;
use Lootkeep\Pages;
use Lootkeep\Request;
use Lootkeep\Types;

/**
 * The methods of `$client->fraud->checks`; written by `python -m tools.write_clients`.
 *
 * @phpstan-import-type Assigned from Types
 * @phpstan-import-type BlockKind from Types
 * @phpstan-import-type CheckAnswer from Types
 * @phpstan-import-type CheckReview from Types
 * @phpstan-import-type FraudCheck from Types
 * @phpstan-import-type FraudDecision from Types
 * @phpstan-import-type LinkedAccounts from Types
 * @phpstan-import-type ReviewOutcome from Types
 * @phpstan-import-type ReviewedCheck from Types
 * @phpstan-import-type RiskLevel from Types
 */
final class FraudChecksApi
{
    public function __construct(private readonly Core $core) {}

    /**
     * List fraud checks.
     *
     * @param array{
     *     page?: int,
     *     per_page?: int,
     *     risk_level?: RiskLevel,
     *     action_taken?: FraudDecision,
     *     is_reviewed?: bool,
     *     start_date?: string,
     *     end_date?: string
     * } $query
     * @return Pages<FraudCheck>
     */
    public function list(array $query = []): Pages
    {
        /** @var Pages<FraudCheck> */
        return $this->core->pages('/api/external/v1/fraud/checks', query: $query);
    }

    /**
     * Read a fraud check.
     *
     * @return CheckAnswer
     */
    public function get(int $checkId): array
    {
        /** @var CheckAnswer */
        return $this->core->data(Request::of('GET', '/api/external/v1/fraud/checks/{id}', [$checkId]));
    }

    /**
     * Review a fraud check.
     *
     * @param array{
     *     outcome: ReviewOutcome,
     *     notes?: string|null,
     *     whitelist_ip?: bool,
     *     whitelist_email?: bool,
     *     block?: list<BlockKind>
     * } $body
     * @return ReviewedCheck
     */
    public function review(int $checkId, array $body, ?string $idempotencyKey = null): array
    {
        /** @var ReviewedCheck */
        return $this->core->data(Request::of('POST', '/api/external/v1/fraud/checks/{id}/review', [$checkId], body: $body, key: $idempotencyKey));
    }

    /**
     * List the reviews of a fraud check.
     *
     * @return list<CheckReview>
     */
    public function reviews(int $checkId): array
    {
        /** @var list<CheckReview> */
        return $this->core->data(Request::of('GET', '/api/external/v1/fraud/checks/{id}/reviews', [$checkId]));
    }

    /**
     * List the accounts linked to the buyer of a check.
     *
     * @return LinkedAccounts
     */
    public function linked(int $checkId): array
    {
        /** @var LinkedAccounts */
        return $this->core->data(Request::of('GET', '/api/external/v1/fraud/checks/{id}/linked', [$checkId]));
    }

    /**
     * Assign a fraud check.
     *
     * @param array{
     *     owner_id: int|null,
     *     due_at?: string|null
     * } $body
     * @return Assigned
     */
    public function assign(int $checkId, array $body): array
    {
        /** @var Assigned */
        return $this->core->data(Request::of('PUT', '/api/external/v1/fraud/checks/{id}/assignment', [$checkId], body: $body));
    }
}
