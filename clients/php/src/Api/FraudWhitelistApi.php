<?php

declare(strict_types=1);

namespace Lootkeep\Api;

use Lootkeep\Core;
use Lootkeep\Request;
use Lootkeep\Types;

/**
 * The methods of `$client->fraud->whitelist`; written by `python -m tools.write_clients`.
 *
 * @phpstan-import-type WhitelistedEmails from Types
 * @phpstan-import-type WhitelistedIps from Types
 */
final class FraudWhitelistApi
{
    public function __construct(private readonly Core $core) {}

    /**
     * Trust an IP address.
     *
     * @param array{
     *     ip: string
     * } $body
     * @return WhitelistedIps
     */
    public function addIp(array $body, ?string $idempotencyKey = null): array
    {
        /** @var WhitelistedIps */
        return $this->core->data(Request::of('POST', '/api/external/v1/fraud/whitelist/ip', body: $body, key: $idempotencyKey));
    }

    /**
     * Stop trusting an IP address.
     *
     * @param array{
     *     ip: string
     * } $body
     * @return WhitelistedIps
     */
    public function removeIp(array $body): array
    {
        /** @var WhitelistedIps */
        return $this->core->data(Request::of('DELETE', '/api/external/v1/fraud/whitelist/ip', body: $body));
    }

    /**
     * Trust an e-mail address.
     *
     * @param array{
     *     email: string
     * } $body
     * @return WhitelistedEmails
     */
    public function addEmail(array $body, ?string $idempotencyKey = null): array
    {
        /** @var WhitelistedEmails */
        return $this->core->data(Request::of('POST', '/api/external/v1/fraud/whitelist/email', body: $body, key: $idempotencyKey));
    }

    /**
     * Stop trusting an e-mail address.
     *
     * @param array{
     *     email: string
     * } $body
     * @return WhitelistedEmails
     */
    public function removeEmail(array $body): array
    {
        /** @var WhitelistedEmails */
        return $this->core->data(Request::of('DELETE', '/api/external/v1/fraud/whitelist/email', body: $body));
    }
}
