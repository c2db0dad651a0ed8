<?php

declare(strict_types=1);

namespace Lootkeep\Api;

use Lootkeep\Core;
use Lootkeep\Request;
use Lootkeep\Types;

/**
 * The methods of `$client->store->giftCards`; written by `python -m tools.write_clients`.
 *
 * @phpstan-import-type GiftCardWithCode from Types
 */
final class StoreGiftCardsApi
{
    public function __construct(private readonly Core $core) {}

    /**
     * Create a gift card.
     *
     * @param array{
     *     initial_balance: string|int|float,
     *     currency?: string|null,
     *     recipient_email?: string|null,
     *     recipient_name?: string|null,
     *     sender_name?: string|null,
     *     message?: string|null,
     *     customer_id?: int|null,
     *     starts_at?: string|null,
     *     expires_at?: string|null,
     *     note?: string|null,
     *     code?: string|null
     * } $body
     * @return GiftCardWithCode
     */
    public function create(array $body, ?string $idempotencyKey = null): array
    {
        /** @var GiftCardWithCode */
        return $this->core->data(Request::of('POST', '/api/store/v1/gift-cards', body: $body, key: $idempotencyKey));
    }
}
