<?php

declare(strict_types=1);

namespace Lootkeep;

use Lootkeep\Api\Api;

/**
 * The client: every endpoint as a method.
 *
 * `$client->referrals->tiers->create([...])`, `$client->store->orders->create([...])`.
 *
 * What is not given is read from the environment: `LOOTKEEP_URL` and `LOOTKEEP_TOKEN`.
 */
final class Client extends Api
{
    // Longer than the slowest call, which is the test of a webhook.
    public const TIMEOUT_SECONDS = 30.0;

    public readonly string $url;

    /**
     * @param float $timeout for each attempt, in seconds
     * @param array<int, mixed> $curl options of curl, such as a proxy or certificates: `[CURLOPT_PROXY => '...']`
     * @param (\Closure(float): void)|null $sleep what waits between two attempts
     */
    public function __construct(
        ?string $url = null,
        #[\SensitiveParameter] ?string $token = null,
        float $timeout = self::TIMEOUT_SECONDS,
        ?Retry $retry = null,
        array $curl = [],
        ?\Closure $sleep = null,
    ) {
        $this->url = self::checked($url ?: self::fromEnvironment('LOOTKEEP_URL', 'the URL of the service'));
        $token = $token ?: self::fromEnvironment('LOOTKEEP_TOKEN', 'a token');
        $sleep ??= static fn (float $seconds) => usleep((int) ($seconds * 1_000_000));
        $connection = new Connection($this->url, $token, $timeout, $curl);
        parent::__construct(new Core($connection, $retry ?? new Retry(), $sleep));
    }

    private static function fromEnvironment(string $name, string $what): string
    {
        $value = getenv($name) ?: ($_ENV[$name] ?? '');
        if (!is_string($value) || $value === '') {
            throw new \InvalidArgumentException("Give {$what}, or set {$name}.");
        }
        return $value;
    }

    private static function checked(string $url): string
    {
        $parts = parse_url($url);
        if (!in_array($parts['scheme'] ?? '', ['http', 'https'], true) || ($parts['host'] ?? '') === '') {
            throw new \InvalidArgumentException(
                "'{$url}' is not a URL of the service: it starts with http:// or https://.",
            );
        }
        return rtrim($url, '/');
    }
}
