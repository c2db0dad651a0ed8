<?php

/** Reads the comments of each file that the test names as PHPStan does; prints their types, and what is no type. */

declare(strict_types=1);

use PHPStan\PhpDocParser\Ast\PhpDoc\InvalidTagValueNode;
use PHPStan\PhpDocParser\Ast\Type\ArrayShapeItemNode;
use PHPStan\PhpDocParser\Ast\Type\IdentifierTypeNode;
use PHPStan\PhpDocParser\Lexer\Lexer;
use PHPStan\PhpDocParser\Parser\ConstExprParser;
use PHPStan\PhpDocParser\Parser\PhpDocParser;
use PHPStan\PhpDocParser\Parser\TokenIterator;
use PHPStan\PhpDocParser\Parser\TypeParser;

require __DIR__ . '/loading.php';
require 'PHPStan/PhpDocParser/autoload.php';

/** The names of all types in a part of a comment. */
function names(mixed $node): array
{
    // The key of a field looks like a type.
    $node = $node instanceof ArrayShapeItemNode ? $node->valueType : $node;
    if ($node instanceof IdentifierTypeNode) {
        return [$node->name];
    }
    $parts = is_object($node) ? get_object_vars($node) : (is_array($node) ? $node : []);
    return array_merge([], ...array_values(array_map(names(...), $parts)));
}

$lexer = new Lexer();
$constants = new ConstExprParser();
$parser = new PhpDocParser(new TypeParser($constants), $constants);
$files = [];
foreach (input() as $file) {
    $read = ['wrong' => [], 'names' => [], 'aliases' => [], 'imports' => []];
    foreach (PhpToken::tokenize(file_get_contents($file)) as $token) {
        if (!$token->is(T_DOC_COMMENT)) {
            continue;
        }
        foreach ($parser->parse(new TokenIterator($lexer->tokenize($token->text)))->getTags() as $tag) {
            $kind = ['@phpstan-type' => 'aliases', '@phpstan-import-type' => 'imports'][$tag->name] ?? null;
            if ($tag->value instanceof InvalidTagValueNode) {
                $read['wrong'][] = (string) $tag;
            } elseif ($kind !== null) {
                $read[$kind][] = $tag->value->alias ?? $tag->value->importedAlias;
            }
            $read['names'] = array_merge($read['names'], $kind === 'imports' ? [] : names($tag->value));
        }
    }
    $files[$file] = array_map(static fn (array $words): array => array_values(array_unique($words)), $read);
}
output($files);
