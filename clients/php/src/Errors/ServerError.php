<?php

declare(strict_types=1);

namespace Lootkeep\Errors;

/** 5xx: the service failed or is not available. */
final class ServerError extends ApiError {}
