<?php

/**
 * A shop in one file: its checkout, and the receiver of webhooks that sends the key to the buyer.
 *
 * LOOTKEEP_URL=http://127.0.0.1:8000 LOOTKEEP_TOKEN=lk_... WEBHOOK_SECRET=whsec_... \
 *     php -S 127.0.0.1:8080 clients/php/example/shop.php
 */

declare(strict_types=1);

use Lootkeep\Client;
use Lootkeep\Errors\ApiError;
use Lootkeep\Errors\WebhookNotVerified;
use Lootkeep\Webhook;

// With Composer: require 'vendor/autoload.php';
require __DIR__ . '/../autoload.php';

$client = new Client();
match ($_SERVER['REQUEST_METHOD'] . ' ' . strtok($_SERVER['REQUEST_URI'], '?')) {
    'GET /' => products($client),
    'POST /buy' => buy($client),
    'POST /webhook' => receive($client),
    default => page('Not found', 'There is no such page.', 404),
};

/** Everything that is for sale, with a form each. */
function products(Client $client): void
{
    $forms = '';
    foreach ($client->products->list(['status' => 'active']) as $product) {
        $forms .= sprintf(
            '<form method="post" action="/buy"><h2>%s, %s %s</h2>'
            . '<input type="hidden" name="product" value="%d"><input type="hidden" name="cart" value="%s">'
            . '<label>Name <input name="name" required></label> '
            . '<label>E-mail <input name="email" type="email" required></label> <button>Buy</button></form>',
            htmlspecialchars($product['name']),
            $product['price'],
            $product['currency'],
            $product['id'],
            bin2hex(random_bytes(16)),
        );
    }
    page('Shop', $forms);
}

/** Places the order and pays it. The number of the cart makes a second click the same order. */
function buy(Client $client): void
{
    $cart = (string) $_POST['cart'];
    try {
        $order = $client->store->orders->create([
            'customer_id' => customer($client, (string) $_POST['email'], (string) $_POST['name']),
            'items' => [['product_id' => (int) $_POST['product'], 'quantity' => 1]],
            'ip_address' => $_SERVER['REMOTE_ADDR'],
        ], idempotencyKey: "{$cart}-order");
        if ($order['next'] !== 'pay') {
            page('Thank you', 'We look at your order first, and write to you.');
            return;
        }
        // Your payment provider takes the money here, and its id of the payment is the transaction id.
        $client->store->orders->pay($order['order']['id'], ['transaction_id' => $cart], "{$cart}-payment");
    } catch (ApiError $error) {
        page('That did not work', htmlspecialchars($error->detail), 422);
        return;
    }
    page('Thank you', "Order {$order['order']['order_number']} is paid. Your key comes by e-mail.");
}

function customer(Client $client, string $email, string $name): int
{
    foreach ($client->store->customers->list(['email' => $email]) as $customer) {
        return $customer['id'];
    }
    return $client->store->customers->create(['email' => $email, 'name' => $name])['customer']['id'];
}

/** Sends the buyer what the order has handed over. A delivery may come twice, so its id is remembered. */
function receive(Client $client): void
{
    try {
        $body = (string) file_get_contents('php://input');
        $delivery = Webhook::verify($body, getallheaders(), (string) getenv('WEBHOOK_SECRET'));
    } catch (WebhookNotVerified $error) {
        page('Not verified', $error->reason, 401);
        return;
    }
    // A real shop has a table for it.
    $seen = sys_get_temp_dir() . "/lootkeep-{$delivery['id']}";
    if ($delivery['event_type'] === 'order.delivered' && !is_file($seen)) {
        $data = $delivery['data'];
        foreach ($client->store->orders->goods($data['order_id']) as $good) {
            if ($good['item_id'] === $data['item_id'] && $good['kind'] === 'key') {
                mail($data['customer_email'], "Your order {$data['order_number']}", "Your key: {$good['value']}");
            }
        }
        touch($seen);
    }
    http_response_code(204);
}

function page(string $title, string $content, int $status = 200): void
{
    http_response_code($status);
    header('Content-Type: text/html; charset=utf-8');
    echo "<!doctype html><html lang=\"en\"><title>{$title}</title><h1>{$title}</h1>{$content}</html>";
}
