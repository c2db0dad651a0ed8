<?php

declare(strict_types=1);

namespace Lootkeep\Errors;

/** The service did what it understood, but ignored `names`: it does not know them. `answer` is its whole answer. */
final class FieldsIgnored extends LootkeepError
{
    /**
     * @param list<string> $names
     * @param array<string, mixed> $answer
     */
    public function __construct(public readonly array $names, public readonly array $answer)
    {
        parent::__construct('The service answered, but does not know and ignored: ' . implode(', ', $names) . '.');
    }
}
