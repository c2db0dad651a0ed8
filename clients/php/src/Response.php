<?php

declare(strict_types=1);

namespace Lootkeep;

/** @internal An answer as it comes in. */
final class Response
{
    /** @param array<string, string> $headers by their names in lower case */
    public function __construct(
        public readonly int $status,
        public readonly array $headers,
        public readonly string $body,
    ) {}

    /** What Retry-After asks for. */
    public function secondsAsked(): ?int
    {
        $asked = $this->headers['retry-after'] ?? '';
        return preg_match('/^[0-9]+$/D', $asked) === 1 ? (int) $asked : null;
    }

    /**
     * The envelope of a success; anything else is thrown, also what was ignored: it was meant to do something.
     *
     * @return array<string, mixed>
     */
    public function envelope(): array
    {
        $answer = json_decode($this->body, true);
        $answer = is_array($answer) ? $answer : [];
        if ($this->status < 200 || $this->status > 299 || ($answer['success'] ?? null) !== true) {
            throw Errors\ApiError::of($this, $answer);
        }
        $ignored = $this->headers['x-ignored-fields'] ?? '';
        if ($ignored !== '') {
            throw new Errors\FieldsIgnored(explode(', ', $ignored), $answer);
        }
        return $answer;
    }
}
