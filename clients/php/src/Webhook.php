<?php

declare(strict_types=1);

namespace Lootkeep;

use Lootkeep\Errors\WebhookNotVerified;

/**
 * Verifies a delivery as its receiver: both signatures, in constant time, with an explanation of what is wrong.
 *
 * @phpstan-import-type WebhookDelivery from Types
 */
final class Webhook
{
    // Longer than clocks differ, shorter than a recorded request is of use.
    public const TOLERANCE_SECONDS = 300;

    private const PLAIN = 'x-webhook-signature';
    private const TRIO = ['webhook-id', 'webhook-timestamp', 'webhook-signature'];
    private const SECRET = '~^(?:whsec_)?(?=.)((?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?)$~D';

    /** @param array<string, string> $headers by their names in lower case */
    private function __construct(
        private readonly array $headers,
        #[\SensitiveParameter] private readonly string $secret,
        #[\SensitiveParameter] private readonly string $key,
    ) {}

    /**
     * The delivery, once its signature is right; else `WebhookNotVerified`. `$body` must be the raw bytes.
     *
     * The service signs the time with every delivery. `requireTimestamp: false` also believes `X-Webhook-Signature`
     * alone, which covers no time: anyone who has recorded a request can then send it again.
     *
     * @param array<string, string|list<string>> $headers as `getallheaders()` or a framework's request has them
     * @return WebhookDelivery
     */
    public static function verify(
        string $body,
        array $headers,
        #[\SensitiveParameter] string $secret,
        bool $requireTimestamp = true,
        ?int $now = null,
    ): array {
        // By a pattern: PHP itself would also decode what was cut off.
        if (preg_match(self::SECRET, $secret, $parts) !== 1) {
            throw new WebhookNotVerified(
                'bad_secret',
                'The secret must be given as it was shown, from whsec_ to the last character.',
            );
        }
        $lower = [];
        foreach ($headers as $name => $value) {
            $lower[strtolower((string) $name)] = is_array($value) ? (string) reset($value) : $value;
        }
        $webhook = new self($lower, $secret, base64_decode($parts[1]));
        if (array_intersect_key($lower, array_flip(self::TRIO)) !== []) {
            $webhook->verifyStandard($body, $now ?? time());
        } else {
            $webhook->verifyPlain($body, $requireTimestamp);
        }
        /** @var WebhookDelivery */
        return json_decode($body, true, flags: JSON_THROW_ON_ERROR);
    }

    private function verifyPlain(string $body, bool $requireTimestamp): void
    {
        if (!isset($this->headers[self::PLAIN])) {
            throw new WebhookNotVerified(
                'header_missing',
                'Neither webhook-signature nor X-Webhook-Signature was sent.',
            );
        }
        if (!$this->isPlain($body)) {
            throw $this->mismatch($body, $this->isPlain(...));
        }
        if ($requireTimestamp) {
            throw new WebhookNotVerified(
                'header_missing',
                'The webhook-* headers, which sign the time, were not sent: it may be a replayed request.',
            );
        }
    }

    private function verifyStandard(string $body, int $now): void
    {
        $missing = array_filter(self::TRIO, fn (string $name): bool => ($this->headers[$name] ?? '') === '');
        if ($missing !== []) {
            throw new WebhookNotVerified('header_missing', implode(' and ', $missing) . ' was not sent.');
        }
        $signedAt = $this->headers['webhook-timestamp'];
        if (preg_match('/^[1-9][0-9]{0,10}$/D', $signedAt) !== 1) {
            throw new WebhookNotVerified('bad_timestamp', 'webhook-timestamp is not a Unix time in seconds.');
        }
        if (!$this->isStandard($body)) {
            $changed = 'The body is genuine, but one of ' . implode(', ', self::TRIO) . ' is not as it was sent.';
            throw $this->isPlain($body)
                ? new WebhookNotVerified('headers_changed', $changed)
                : $this->mismatch($body, $this->isStandard(...));
        }
        $age = $now - (int) $signedAt;
        if ($age > self::TOLERANCE_SECONDS) {
            throw new WebhookNotVerified(
                'old_timestamp',
                'It was signed too long ago: it may be a recorded request sent again.',
            );
        }
        if ($age < -self::TOLERANCE_SECONDS) {
            throw new WebhookNotVerified('future_timestamp', 'It was signed in the future: the clocks differ.');
        }
    }

    /** @param \Closure(string): bool $fits */
    private function mismatch(string $body, \Closure $fits): WebhookNotVerified
    {
        try {
            $again = json_encode(json_decode($body, flags: JSON_THROW_ON_ERROR), Request::JSON);
        } catch (\JsonException) {
            $again = null;
        }
        [$reason, $message] = $again !== null && $fits($again)
            ? ['body_reserialised', 'The body was parsed and written again: verify the bytes as they were sent.']
            : ['wrong_secret', 'It was signed with another secret, or the body was changed on the way.'];
        return new WebhookNotVerified($reason, $message);
    }

    private function isPlain(string $body): bool
    {
        return hash_equals(hash_hmac('sha256', $body, $this->secret), $this->headers[self::PLAIN] ?? '');
    }

    /** The header may hold several signatures: after a rotation both secrets sign. */
    private function isStandard(string $body): bool
    {
        [$id, $signedAt, $signatures] = array_map(fn (string $name): string => $this->headers[$name], self::TRIO);
        $digest = hash_hmac('sha256', "{$id}.{$signedAt}.{$body}", $this->key, true);
        $expected = 'v1,' . base64_encode($digest);
        $matches = static fn (string $signature): bool => hash_equals($expected, $signature);
        return array_filter(explode(' ', $signatures), $matches) !== [];
    }
}
