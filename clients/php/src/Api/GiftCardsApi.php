<?php

declare(strict_types=1);

namespace Lootkeep\Api;

use Lootkeep\Core;
use Lootkeep\Pages;
use Lootkeep\Request;
use Lootkeep\Types;

/**
 * The methods of `$client->giftCards`; written by `python -m tools.write_clients`.
 *
 * @phpstan-import-type GiftCard from Types
 * @phpstan-import-type GiftCardDetail from Types
 * @phpstan-import-type GiftCardStatistics from Types
 * @phpstan-import-type GiftCardStatus from Types
 * @phpstan-import-type GiftCardValidation from Types
 * @phpstan-import-type RedeemedGiftCard from Types
 * @phpstan-import-type SentGiftCard from Types
 * @phpstan-import-type SortDirection from Types
 */
final class GiftCardsApi
{
    public function __construct(private readonly Core $core) {}

    /**
     * List gift cards.
     *
     * @param array{
     *     page?: int,
     *     per_page?: int,
     *     status?: GiftCardStatus,
     *     currency?: string,
     *     recipient_email?: string,
     *     customer_id?: int,
     *     order_id?: int,
     *     search?: string,
     *     from?: string,
     *     to?: string,
     *     sort?: 'id'|'created_at'|'balance'|'expires_at',
     *     order?: SortDirection
     * } $query
     * @return Pages<GiftCard>
     */
    public function list(array $query = []): Pages
    {
        /** @var Pages<GiftCard> */
        return $this->core->pages('/api/external/v1/gift-cards', query: $query);
    }

    /**
     * Read gift card statistics.
     *
     * @return GiftCardStatistics
     */
    public function statistics(): array
    {
        /** @var GiftCardStatistics */
        return $this->core->data(Request::of('GET', '/api/external/v1/gift-cards/statistics'));
    }

    /**
     * Read a gift card with its transactions.
     *
     * @return GiftCardDetail
     */
    public function get(int $giftCardId): array
    {
        /** @var GiftCardDetail */
        return $this->core->data(Request::of('GET', '/api/external/v1/gift-cards/{id}', [$giftCardId]));
    }

    /**
     * Check a gift card's code and balance.
     *
     * @param array{
     *     code: string,
     *     amount?: string|int|float|null
     * } $body
     * @return GiftCardValidation
     */
    public function validate(array $body, ?string $idempotencyKey = null): array
    {
        /** @var GiftCardValidation */
        return $this->core->data(Request::of('POST', '/api/external/v1/gift-cards/validate', body: $body, key: $idempotencyKey));
    }

    /**
     * Redeem an amount.
     *
     * @param array{
     *     amount: string|int|float,
     *     order_id?: int|null,
     *     reference?: string|null
     * } $body
     * @return RedeemedGiftCard
     */
    public function redeem(int $giftCardId, array $body, ?string $idempotencyKey = null): array
    {
        /** @var RedeemedGiftCard */
        return $this->core->data(Request::of('POST', '/api/external/v1/gift-cards/{id}/redeem', [$giftCardId], body: $body, key: $idempotencyKey));
    }

    /**
     * Revoke a gift card.
     *
     * @param array{
     *     reason?: string|null
     * } $body
     * @return GiftCard
     */
    public function revoke(int $giftCardId, array $body = [], ?string $idempotencyKey = null): array
    {
        /** @var GiftCard */
        return $this->core->data(Request::of('POST', '/api/external/v1/gift-cards/{id}/revoke', [$giftCardId], body: $body, key: $idempotencyKey));
    }

    /**
     * Resend a gift card by e-mail.
     *
     * @param array{
     *     email?: string|null
     * } $body
     * @return SentGiftCard
     */
    public function resendEmail(int $giftCardId, array $body = [], ?string $idempotencyKey = null): array
    {
        /** @var SentGiftCard */
        return $this->core->data(Request::of('POST', '/api/external/v1/gift-cards/{id}/resend-email', [$giftCardId], body: $body, key: $idempotencyKey));
    }

    /**
     * Update a gift card.
     *
     * @param array{
     *     recipient_email?: string|null,
     *     recipient_name?: string|null,
     *     message?: string|null,
     *     expires_at?: string|null,
     *     note?: string|null
     * } $body
     * @return GiftCard
     */
    public function update(int $giftCardId, array $body = []): array
    {
        /** @var GiftCard */
        return $this->core->data(Request::of('PUT', '/api/external/v1/gift-cards/{id}', [$giftCardId], body: $body));
    }
}
