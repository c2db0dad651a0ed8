<?php

declare(strict_types=1);

namespace Lootkeep\Api;

use Lootkeep\Core;
use Lootkeep\Request;
use Lootkeep\Types;

/**
 * The methods of `$client->analytics`; written by `python -m tools.write_clients`.
 *
 * @phpstan-import-type AnalyticsInterval from Types
 * @phpstan-import-type AnalyticsPeriod from Types
 * @phpstan-import-type Revenue from Types
 * @phpstan-import-type Sales from Types
 * @phpstan-import-type TaxSum from Types
 */
final class AnalyticsApi
{
    public function __construct(private readonly Core $core) {}

    /**
     * Read revenue figures.
     *
     * @param array{
     *     period?: AnalyticsPeriod,
     *     from?: string,
     *     to?: string,
     *     interval?: AnalyticsInterval,
     *     timezone?: string,
     *     product_id?: int,
     *     compare?: bool
     * } $query
     * @return Revenue
     */
    public function revenue(array $query = []): array
    {
        /** @var Revenue */
        return $this->core->data(Request::of('GET', '/api/external/v1/analytics/revenue', query: $query));
    }

    /**
     * Read sales figures.
     *
     * @param array{
     *     period?: AnalyticsPeriod,
     *     from?: string,
     *     to?: string,
     *     interval?: AnalyticsInterval,
     *     timezone?: string,
     *     product_id?: int,
     *     compare?: bool
     * } $query
     * @return Sales
     */
    public function sales(array $query = []): array
    {
        /** @var Sales */
        return $this->core->data(Request::of('GET', '/api/external/v1/analytics/sales', query: $query));
    }

    /**
     * Read the tax report.
     *
     * @param array{
     *     quarter?: string,
     *     from?: string,
     *     to?: string
     * } $query
     * @return list<TaxSum>
     */
    public function tax(array $query = []): array
    {
        /** @var list<TaxSum> */
        return $this->core->data(Request::of('GET', '/api/external/v1/analytics/tax', query: $query));
    }
}
