<?php

declare(strict_types=1);

namespace Lootkeep\Api;

use Lootkeep\Core;

/**
 * The methods of `$client->payments`; written by `python -m tools.write_clients`.
 */
final class PaymentsApi
{
    public readonly PaymentsSourcesApi $sources;
    public readonly PaymentsEventsApi $events;

    public function __construct(Core $core)
    {
        $this->sources = new PaymentsSourcesApi($core);
        $this->events = new PaymentsEventsApi($core);
    }
}
