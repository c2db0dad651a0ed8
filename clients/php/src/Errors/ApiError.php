<?php

declare(strict_types=1);

namespace Lootkeep\Errors;

use Lootkeep\Response;

/** The service said no. `errorCode` is a stable word for machines, `fields` has the sentences by field. */
class ApiError extends LootkeepError
{
    private const BY_STATUS = [
        401 => Unauthorized::class,
        403 => Forbidden::class,
        404 => NotFound::class,
        409 => Conflict::class,
        422 => Invalid::class,
        429 => RateLimited::class,
    ];

    /**
     * @param string $detail the message of the service alone; `getMessage()` has the rest, too
     * @param array<string, list<string>> $fields
     * @param string|null $requestId names the request in the service's logs
     */
    final private function __construct(
        public readonly int $status,
        public readonly string $error,
        public readonly string $errorCode,
        public readonly string $detail,
        public readonly array $fields,
        public readonly ?string $requestId,
        public readonly ?int $retryAfter,
    ) {
        $text = "{$status} {$errorCode}: {$detail}";
        foreach ($fields as $name => $sentences) {
            $text .= " [{$name}] " . implode(' ', $sentences);
        }
        parent::__construct($requestId === null ? $text : "{$text} (request {$requestId})", $status);
    }

    /**
     * The error of an answer. What is between client and service may answer too, and in other words.
     *
     * @internal
     * @param array<mixed> $answer
     */
    public static function of(Response $response, array $answer): self
    {
        $status = $response->status;
        $word = static fn (string $name, string $else): string =>
            is_string($answer[$name] ?? null) ? $answer[$name] : $else;
        $kind = self::BY_STATUS[$status] ?? ($status >= 500 ? ServerError::class : self::class);
        return new $kind(
            $status,
            $word('error', 'Error'),
            $word('code', 'unknown'),
            $word('message', "The server answered {$status}."),
            is_array($answer['errors'] ?? null) ? $answer['errors'] : [],
            $response->headers['x-request-id'] ?? null,
            $response->secondsAsked(),
        );
    }
}
