<?php

/** What every script of these tests needs: the client, and an error for each warning. */

declare(strict_types=1);

require __DIR__ . '/../../../clients/php/autoload.php';

error_reporting(E_ALL);
set_error_handler(static function (int $level, string $message, string $file, int $line): bool {
    throw new ErrorException($message, 0, $level, $file, $line);
});

/** What the test sends. */
function input(): array
{
    return json_decode(stream_get_contents(STDIN), true, flags: JSON_THROW_ON_ERROR);
}

function output(mixed $value): void
{
    echo json_encode($value, JSON_THROW_ON_ERROR | JSON_PRESERVE_ZERO_FRACTION);
}
