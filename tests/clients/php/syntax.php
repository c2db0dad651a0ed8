<?php

/** Parses and compiles each file that the test names; prints the functions that it calls, and its code as PHP reads it. */

declare(strict_types=1);

require __DIR__ . '/loading.php';

$files = [];
foreach (input() as $file) {
    $tokens = array_values(array_filter(
        PhpToken::tokenize(file_get_contents($file), TOKEN_PARSE),
        static fn (PhpToken $token): bool => !$token->isIgnorable(),
    ));
    $calls = [];
    foreach ($tokens as $index => $token) {
        $before = $tokens[$index - 1] ?? null;
        $isFunction = $token->is([T_STRING, T_NAME_FULLY_QUALIFIED])
            && ($tokens[$index + 1] ?? null)?->is('(')
            && !$before?->is([T_OBJECT_OPERATOR, T_NULLSAFE_OBJECT_OPERATOR, T_DOUBLE_COLON, T_NEW, T_FUNCTION]);
        if ($isFunction) {
            $calls[] = ltrim($token->text, '\\');
        }
    }
    $files[$file] = ['functions' => $calls, 'code' => implode(' ', array_column($tokens, 'text'))];
    // A class that cannot be compiled, such as one that lacks a method of its interface, ends the script here.
    if (str_contains($file, '/src/')) {
        require_once $file;
    }
}
output($files);
