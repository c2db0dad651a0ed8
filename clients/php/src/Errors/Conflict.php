<?php

declare(strict_types=1);

namespace Lootkeep\Errors;

/** 409: the state of the thing forbids it. */
final class Conflict extends ApiError {}
