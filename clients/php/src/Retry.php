<?php

declare(strict_types=1);

namespace Lootkeep;

/**
 * When a request is sent again, and after how long.
 *
 * How often a request is tried in all, and how long to wait in between, in seconds.
 *
 * The waits double from `first` to `longest`, each shortened by chance by up to half, so that many clients do not
 * come back at once. `Retry-After` goes before; a longer one than `patience` is not waited for.
 */
final class Retry
{
    // Too many requests, and what says that nothing was done or that trying again may help.
    private const PASSING = [408, 429, 502, 503, 504];
    // The first request with this key is still running: its answer can be had in a moment.
    private const STILL_RUNNING = 'idempotency_key_in_use';

    public function __construct(
        public readonly int $attempts = 5,
        public readonly float $first = 0.5,
        public readonly float $longest = 8.0,
        public readonly float $patience = 60.0,
    ) {}

    /** How long to wait before trying again; null when this is the answer. */
    public function afterAnswer(int $attempt, Response $response): ?float
    {
        if ($attempt >= $this->attempts || !self::passes($response)) {
            return null;
        }
        $asked = $response->secondsAsked();
        if ($asked === null) {
            return $this->wait($attempt);
        }
        return $asked <= $this->patience ? (float) $asked : null;
    }

    /** The same when no answer came. */
    public function afterFailure(int $attempt): ?float
    {
        return $attempt >= $this->attempts ? null : $this->wait($attempt);
    }

    private function wait(int $attempt): float
    {
        return min($this->longest, $this->first * 2 ** ($attempt - 1)) * mt_rand(500, 1000) / 1000;
    }

    private static function passes(Response $response): bool
    {
        return in_array($response->status, self::PASSING, true)
            || ($response->status === 409 && str_contains($response->body, self::STILL_RUNNING));
    }
}
