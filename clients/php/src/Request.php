<?php

declare(strict_types=1);

namespace Lootkeep;

/** @internal A request as it goes out. One call; `$target` has the ids and the query in it already. */
final class Request
{
    /** JSON as the service writes it. */
    public const JSON = JSON_THROW_ON_ERROR | JSON_UNESCAPED_UNICODE | JSON_UNESCAPED_SLASHES
        | JSON_UNESCAPED_LINE_TERMINATORS | JSON_PRESERVE_ZERO_FRACTION;

    private function __construct(
        public readonly string $method,
        public readonly string $target,
        public readonly ?string $body,
        public readonly ?string $key,
    ) {}

    /**
     * Every POST gets a key, so that the service does it once however often it is sent.
     *
     * @param list<int|string> $ids
     * @param array<string, mixed> $query
     * @param array<string, mixed>|null $body
     * @param list<string> $maps the fields of the body that are objects: PHP has one array for these and for lists
     */
    public static function of(
        string $method,
        string $path,
        array $ids = [],
        array $query = [],
        ?array $body = null,
        array $maps = [],
        ?string $key = null,
    ): self {
        foreach ($ids as $id) {
            $path = (string) preg_replace('/\{\w+\}/', rawurlencode((string) $id), $path, 1);
        }
        foreach ($maps as $name) {
            if (($body[$name] ?? null) === []) {
                $body[$name] = new \stdClass();
            }
        }
        $words = array_map(static fn (mixed $value): mixed => is_bool($value) ? json_encode($value) : $value, $query);
        $search = http_build_query($words, '', '&', PHP_QUERY_RFC3986);
        return new self(
            $method,
            $search === '' ? $path : "{$path}?{$search}",
            // An object also where it has no field.
            $body === null ? null : json_encode((object) $body, self::JSON),
            $method === 'POST' ? $key ?? bin2hex(random_bytes(16)) : null,
        );
    }
}
