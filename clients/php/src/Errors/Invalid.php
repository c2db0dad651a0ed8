<?php

declare(strict_types=1);

namespace Lootkeep\Errors;

/** 422: the request is not acceptable; `fields` has the messages of every invalid field. */
final class Invalid extends ApiError {}
