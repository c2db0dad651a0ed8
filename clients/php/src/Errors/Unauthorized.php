<?php

declare(strict_types=1);

namespace Lootkeep\Errors;

/** 401: the token is missing, unknown, expired or revoked. */
final class Unauthorized extends ApiError {}
