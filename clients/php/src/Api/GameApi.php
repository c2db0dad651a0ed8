<?php

declare(strict_types=1);

namespace Lootkeep\Api;

use Lootkeep\Core;

/**
 * The methods of `$client->game`; written by `python -m tools.write_clients`.
 */
final class GameApi
{
    public readonly GameCommandsApi $commands;

    public function __construct(Core $core)
    {
        $this->commands = new GameCommandsApi($core);
    }
}
