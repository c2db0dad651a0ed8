<?php

/** Calls every method that the test names, and prints what kind of answer each returned. */

declare(strict_types=1);

require __DIR__ . '/loading.php';

['url' => $url, 'token' => $token, 'calls' => $calls] = input();
$client = new Lootkeep\Client($url, $token);
$kinds = [];
foreach ($calls as ['method' => $names, 'arguments' => $arguments]) {
    $name = array_pop($names);
    $group = array_reduce($names, static fn (object $owner, string $part): object => $owner->$part, $client);
    $answer = $group->$name(...$arguments);
    if ($answer instanceof Lootkeep\Pages) {
        iterator_to_array($answer);
    }
    $kinds[] = get_debug_type($answer);
}
output($kinds);
