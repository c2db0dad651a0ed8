<?php

declare(strict_types=1);

namespace Lootkeep\Api;

use Lootkeep\Core;
use Lootkeep\Pages;
use Lootkeep\Request;
use Lootkeep\Types;

/**
 * The methods of `$client->coupons`; written by `python -m tools.write_clients`.
 *
 * @phpstan-import-type CouponDetails from Types
 * @phpstan-import-type CouponOrigin from Types
 * @phpstan-import-type CouponState from Types
 * @phpstan-import-type CouponUse from Types
 * @phpstan-import-type DiscountType from Types
 * @phpstan-import-type GeneratedCoupons from Types
 * @phpstan-import-type SortDirection from Types
 */
final class CouponsApi
{
    public function __construct(private readonly Core $core) {}

    /**
     * List coupons.
     *
     * @param array{
     *     page?: int,
     *     per_page?: int,
     *     from?: string,
     *     to?: string,
     *     search?: string,
     *     order?: SortDirection,
     *     state?: CouponState,
     *     origin?: CouponOrigin,
     *     batch?: string,
     *     sort?: 'id'|'created_at'|'uses_count'
     * } $query
     * @return Pages<CouponDetails>
     */
    public function list(array $query = []): Pages
    {
        /** @var Pages<CouponDetails> */
        return $this->core->pages('/api/external/v1/coupons', query: $query);
    }

    /**
     * Create a coupon.
     *
     * @param array{
     *     discount_type: DiscountType,
     *     discount_value: string|int|float,
     *     currency?: string|null,
     *     product_ids?: list<int>,
     *     categories?: list<string>,
     *     min_total?: string|int|float|null,
     *     first_order_only?: bool,
     *     max_uses?: int|null,
     *     max_uses_per_customer?: int|null,
     *     starts_at?: string|null,
     *     ends_at?: string|null,
     *     is_active?: bool,
     *     note?: string|null,
     *     code?: string|null
     * } $body
     * @return CouponDetails
     */
    public function create(array $body, ?string $idempotencyKey = null): array
    {
        /** @var CouponDetails */
        return $this->core->data(Request::of('POST', '/api/external/v1/coupons', body: $body, key: $idempotencyKey));
    }

    /**
     * Generate coupons.
     *
     * @param array{
     *     discount_type: DiscountType,
     *     discount_value: string|int|float,
     *     currency?: string|null,
     *     product_ids?: list<int>,
     *     categories?: list<string>,
     *     min_total?: string|int|float|null,
     *     first_order_only?: bool,
     *     max_uses?: int|null,
     *     max_uses_per_customer?: int|null,
     *     starts_at?: string|null,
     *     ends_at?: string|null,
     *     is_active?: bool,
     *     note?: string|null,
     *     count: int,
     *     prefix?: string
     * } $body
     * @return GeneratedCoupons
     */
    public function generate(array $body, ?string $idempotencyKey = null): array
    {
        /** @var GeneratedCoupons */
        return $this->core->data(Request::of('POST', '/api/external/v1/coupons/generate', body: $body, key: $idempotencyKey));
    }

    /**
     * Read a coupon.
     *
     * @return CouponDetails
     */
    public function get(int $couponId): array
    {
        /** @var CouponDetails */
        return $this->core->data(Request::of('GET', '/api/external/v1/coupons/{id}', [$couponId]));
    }

    /**
     * Update a coupon.
     *
     * @param array{
     *     discount_type?: DiscountType,
     *     discount_value?: string|int|float,
     *     currency?: string|null,
     *     product_ids?: list<int>,
     *     categories?: list<string>,
     *     min_total?: string|int|float|null,
     *     first_order_only?: bool,
     *     max_uses?: int|null,
     *     max_uses_per_customer?: int|null,
     *     starts_at?: string|null,
     *     ends_at?: string|null,
     *     is_active?: bool,
     *     note?: string|null,
     *     code?: string|null
     * } $body
     * @return CouponDetails
     */
    public function update(int $couponId, array $body = []): array
    {
        /** @var CouponDetails */
        return $this->core->data(Request::of('PUT', '/api/external/v1/coupons/{id}', [$couponId], body: $body));
    }

    /**
     * Delete a coupon.
     */
    public function delete(int $couponId): string
    {
        return $this->core->message(Request::of('DELETE', '/api/external/v1/coupons/{id}', [$couponId]));
    }

    /**
     * List the uses of a coupon.
     *
     * @param array{
     *     page?: int,
     *     per_page?: int
     * } $query
     * @return Pages<CouponUse>
     */
    public function uses(int $couponId, array $query = []): Pages
    {
        /** @var Pages<CouponUse> */
        return $this->core->pages('/api/external/v1/coupons/{id}/uses', [$couponId], query: $query);
    }
}
