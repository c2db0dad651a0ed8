<?php

declare(strict_types=1);

namespace Lootkeep\Errors;

/** Everything that this package throws, but for mistakes in how it is called. */
abstract class LootkeepError extends \RuntimeException {}
