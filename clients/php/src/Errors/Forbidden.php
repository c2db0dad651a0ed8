<?php

declare(strict_types=1);

namespace Lootkeep\Errors;

/** 403: the token lacks a scope. */
final class Forbidden extends ApiError {}
