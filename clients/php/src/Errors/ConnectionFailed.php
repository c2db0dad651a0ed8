<?php

declare(strict_types=1);

namespace Lootkeep\Errors;

/** No answer came, also not after trying again. */
final class ConnectionFailed extends LootkeepError {}
