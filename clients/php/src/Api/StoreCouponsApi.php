<?php

declare(strict_types=1);

namespace Lootkeep\Api;

use Lootkeep\Core;
use Lootkeep\Request;
use Lootkeep\Types;

/**
 * The methods of `$client->store->coupons`; written by `python -m tools.write_clients`.
 *
 * @phpstan-import-type CouponPreview from Types
 * @phpstan-import-type PreviewLineBody from Types
 */
final class StoreCouponsApi
{
    public function __construct(private readonly Core $core) {}

    /**
     * Price a cart with a coupon.
     *
     * @param array{
     *     code: string,
     *     customer_id?: int|null,
     *     items: list<PreviewLineBody>
     * } $body
     * @return CouponPreview
     */
    public function preview(array $body, ?string $idempotencyKey = null): array
    {
        /** @var CouponPreview */
        return $this->core->data(Request::of('POST', '/api/store/v1/coupons/preview', body: $body, key: $idempotencyKey));
    }
}
