<?php

declare(strict_types=1);

namespace Lootkeep\Api;

use Lootkeep\Core;

/**
 * The methods of `$client->store`; written by `python -m tools.write_clients`.
 */
final class StoreApi
{
    public readonly StoreCustomersApi $customers;
    public readonly StoreProductsApi $products;
    public readonly StoreOrdersApi $orders;
    public readonly StoreCouponsApi $coupons;
    public readonly StoreSubscriptionsApi $subscriptions;
    public readonly StoreGiftCardsApi $giftCards;
    public readonly StoreSupportTicketsApi $supportTickets;

    public function __construct(Core $core)
    {
        $this->customers = new StoreCustomersApi($core);
        $this->products = new StoreProductsApi($core);
        $this->orders = new StoreOrdersApi($core);
        $this->coupons = new StoreCouponsApi($core);
        $this->subscriptions = new StoreSubscriptionsApi($core);
        $this->giftCards = new StoreGiftCardsApi($core);
        $this->supportTickets = new StoreSupportTicketsApi($core);
    }
}
