<?php

declare(strict_types=1);

namespace Lootkeep;

use Lootkeep\Errors\ConnectionFailed;

/** @internal Sends requests with curl, over a connection that stays open. */
final class Connection
{
    public const VERSION = '0.1.0';

    private readonly \CurlHandle $curl;

    /** @param array<int, mixed> $options */
    public function __construct(
        private readonly string $url,
        #[\SensitiveParameter] private readonly string $token,
        private readonly float $timeout,
        private readonly array $options,
    ) {
        $this->curl = curl_init();
    }

    public function send(Request $request): Response
    {
        $headers = [];
        // What the last request has set is gone, the connection is not.
        curl_reset($this->curl);
        curl_setopt_array($this->curl, $this->options + [
            CURLOPT_URL => $this->url . $request->target,
            CURLOPT_CUSTOMREQUEST => $request->method,
            CURLOPT_HTTPHEADER => $this->headers($request),
            CURLOPT_HEADERFUNCTION => static function (\CurlHandle $_, string $line) use (&$headers): int {
                // An answer may come after others, such as a proxy's.
                $headers = str_starts_with($line, 'HTTP/') ? [] : $headers;
                [$name, $value] = explode(':', $line, 2) + [1 => ''];
                $headers[strtolower($name)] = trim($value);
                return strlen($line);
            },
            CURLOPT_RETURNTRANSFER => true,
            CURLOPT_TIMEOUT_MS => max(1, (int) ($this->timeout * 1000)),
            CURLOPT_NOSIGNAL => true,
            // An id such as `..` must not lead to another path.
            CURLOPT_PATH_AS_IS => true,
            // Whatever curl can decompress.
            CURLOPT_ENCODING => '',
        ] + ($request->body === null ? [] : [CURLOPT_POSTFIELDS => $request->body]));
        $body = curl_exec($this->curl);
        if (!is_string($body)) {
            throw new ConnectionFailed('The service did not answer: ' . curl_error($this->curl));
        }
        return new Response(curl_getinfo($this->curl, CURLINFO_RESPONSE_CODE), $headers, $body);
    }

    /** @return array<string, string> nothing that a dump could show */
    public function __debugInfo(): array
    {
        return ['url' => $this->url];
    }

    /** @return list<string> */
    private function headers(Request $request): array
    {
        $headers = [
            "Authorization: Bearer {$this->token}",
            'Accept: application/json',
            'User-Agent: lootkeep-client-php/' . self::VERSION,
            // Otherwise curl waits for permission to send a long body.
            'Expect:',
        ];
        if ($request->body !== null) {
            $headers[] = 'Content-Type: application/json';
        }
        if ($request->key !== null) {
            $headers[] = "Idempotency-Key: {$request->key}";
        }
        // curl would send a second line as a header of its own.
        if (preg_grep('/[\r\n\0]/', $headers)) {
            throw new \InvalidArgumentException('A token or an idempotency key has no line breaks.');
        }
        return $headers;
    }
}
