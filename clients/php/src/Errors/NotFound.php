<?php

declare(strict_types=1);

namespace Lootkeep\Errors;

/** 404: there is no such thing. */
final class NotFound extends ApiError {}
