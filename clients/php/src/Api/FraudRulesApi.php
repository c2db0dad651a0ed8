<?php

declare(strict_types=1);

namespace Lootkeep\Api;

use Lootkeep\Core;
use Lootkeep\Request;
use Lootkeep\Types;

/**
 * The methods of `$client->fraudRules`; written by `python -m tools.write_clients`.
 *
 * @phpstan-import-type FraudRule from Types
 * @phpstan-import-type FraudRuleAction from Types
 * @phpstan-import-type FraudRuleMode from Types
 */
final class FraudRulesApi
{
    public function __construct(private readonly Core $core) {}

    /**
     * List the store's own rules.
     *
     * @return list<FraudRule>
     */
    public function list(): array
    {
        /** @var list<FraudRule> */
        return $this->core->data(Request::of('GET', '/api/external/v1/fraud/rules'));
    }

    /**
     * Create a rule.
     *
     * @param array{
     *     name: string,
     *     expression: string,
     *     action: FraudRuleAction,
     *     points?: int,
     *     mode?: FraudRuleMode,
     *     note?: string|null,
     *     expires_at?: string|null
     * } $body
     * @return FraudRule
     */
    public function create(array $body, ?string $idempotencyKey = null): array
    {
        /** @var FraudRule */
        return $this->core->data(Request::of('POST', '/api/external/v1/fraud/rules', body: $body, key: $idempotencyKey));
    }

    /**
     * Update a rule.
     *
     * @param array{
     *     name?: string,
     *     expression?: string,
     *     action?: FraudRuleAction,
     *     points?: int,
     *     mode?: FraudRuleMode,
     *     note?: string|null,
     *     expires_at?: string|null
     * } $body
     * @return FraudRule
     */
    public function update(int $ruleId, array $body = []): array
    {
        /** @var FraudRule */
        return $this->core->data(Request::of('PUT', '/api/external/v1/fraud/rules/{id}', [$ruleId], body: $body));
    }

    /**
     * Delete a rule.
     */
    public function delete(int $ruleId): string
    {
        return $this->core->message(Request::of('DELETE', '/api/external/v1/fraud/rules/{id}', [$ruleId]));
    }
}
