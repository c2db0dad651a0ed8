<?php

declare(strict_types=1);

namespace Lootkeep\Errors;

/** A delivery that must not be believed; `reason` is a stable word, the message a sentence. */
final class WebhookNotVerified extends LootkeepError
{
    public function __construct(public readonly string $reason, string $message)
    {
        parent::__construct($message);
    }
}
