<?php

declare(strict_types=1);

namespace Lootkeep\Api;

use Lootkeep\Core;

/**
 * The methods of `$client`; written by `python -m tools.write_clients`.
 */
abstract class Api
{
    public readonly ReferralsApi $referrals;
    public readonly FraudApi $fraud;
    public readonly FraudRulesApi $fraudRules;
    public readonly FraudListsApi $fraudLists;
    public readonly CustomersApi $customers;
    public readonly WebhooksApi $webhooks;
    public readonly EventsApi $events;
    public readonly ProductsApi $products;
    public readonly OrdersApi $orders;
    public readonly AnalyticsApi $analytics;
    public readonly GiftCardsApi $giftCards;
    public readonly CouponsApi $coupons;
    public readonly CreatorsApi $creators;
    public readonly SupportTicketsApi $supportTickets;
    public readonly EmailCampaignsApi $emailCampaigns;
    public readonly AlertsApi $alerts;
    public readonly ServersApi $servers;
    public readonly CommandsApi $commands;
    public readonly PaymentsApi $payments;
    public readonly StoreApi $store;
    public readonly GameApi $game;

    protected function __construct(Core $core)
    {
        $this->referrals = new ReferralsApi($core);
        $this->fraud = new FraudApi($core);
        $this->fraudRules = new FraudRulesApi($core);
        $this->fraudLists = new FraudListsApi($core);
        $this->customers = new CustomersApi($core);
        $this->webhooks = new WebhooksApi($core);
        $this->events = new EventsApi($core);
        $this->products = new ProductsApi($core);
        $this->orders = new OrdersApi($core);
        $this->analytics = new AnalyticsApi($core);
        $this->giftCards = new GiftCardsApi($core);
        $this->coupons = new CouponsApi($core);
        $this->creators = new CreatorsApi($core);
        $this->supportTickets = new SupportTicketsApi($core);
        $this->emailCampaigns = new EmailCampaignsApi($core);
        $this->alerts = new AlertsApi($core);
        $this->servers = new ServersApi($core);
        $this->commands = new CommandsApi($core);
        $this->payments = new PaymentsApi($core);
        $this->store = new StoreApi($core);
        $this->game = new GameApi($core);
    }
}
