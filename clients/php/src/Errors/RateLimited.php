<?php

declare(strict_types=1);

namespace Lootkeep\Errors;

/** 429: too many requests; `retryAfter` says for how many seconds. */
final class RateLimited extends ApiError {}
