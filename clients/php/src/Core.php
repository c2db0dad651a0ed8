<?php

declare(strict_types=1);

namespace Lootkeep;

use Lootkeep\Errors\ConnectionFailed;

/** @internal Sends requests and tries again: the calls behind the methods of a client. */
final class Core
{
    /** @param \Closure(float): void $sleep */
    public function __construct(
        private readonly Connection $connection,
        private readonly Retry $retry,
        private readonly \Closure $sleep,
    ) {}

    /** What is under `data`. */
    public function data(Request $request): mixed
    {
        return $this->send($request)['data'] ?? null;
    }

    public function message(Request $request): string
    {
        $message = $this->send($request)['message'] ?? '';
        return is_string($message) ? $message : '';
    }

    /**
     * @param list<int|string> $ids
     * @param array<string, mixed> $query
     * @return Pages<mixed>
     */
    public function pages(string $path, array $ids = [], array $query = []): Pages
    {
        $fetch = fn (?int $number): Page => Page::of(
            $this->send(Request::of('GET', $path, $ids, ['page' => $number] + $query)),
        );
        return new Pages($fetch, $query['page'] ?? null);
    }

    /** @return array<string, mixed> */
    private function send(Request $request): array
    {
        for ($attempt = 1;; $attempt++) {
            try {
                $response = $this->connection->send($request);
                $wait = $this->retry->afterAnswer($attempt, $response);
                if ($wait === null) {
                    return $response->envelope();
                }
            } catch (ConnectionFailed $error) {
                $wait = $this->retry->afterFailure($attempt) ?? throw $error;
            }
            ($this->sleep)($wait);
        }
    }
}
