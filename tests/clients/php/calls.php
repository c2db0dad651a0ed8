<?php

/** Calls the real service through a front that loses answers, and prints what was seen; then verifies deliveries. */

declare(strict_types=1);

use Lootkeep\Client;
use Lootkeep\Errors\ApiError;
use Lootkeep\Errors\LootkeepError;
use Lootkeep\Errors\WebhookNotVerified;
use Lootkeep\Retry;
use Lootkeep\Webhook;

require __DIR__ . '/loading.php';

$input = input();
$front = $input['url'];
const BRONZE = [
    'name' => 'Bronze',
    'referrals_required' => 5,
    'reward_type' => 'percentage_discount',
    'reward_value' => 10,
];

/** A client behind a fault of the front; what it waits for is noted, and passes on the clock of the service. */
function client(string $fault, array &$waits, ?string $token = null, ?Retry $retry = null): Client
{
    global $input, $front;
    $sleep = static function (float $seconds) use (&$waits, $front): void {
        $waits[] = $seconds;
        file_get_contents("{$front}/advance/{$seconds}");
    };
    return new Client("{$front}/{$fault}", $token ?? $input['token'], retry: $retry, sleep: $sleep);
}

/** The error of a call, as far as it can be compared. */
function failure(Closure $call): array
{
    try {
        $call();
    } catch (ApiError $error) {
        return [
            'class' => $error::class,
            'status' => [$error->status, $error->getCode()],
            'code' => $error->errorCode,
            'error' => $error->error,
            'detail' => $error->detail,
            'fields' => $error->fields,
            'retry after' => $error->retryAfter,
            'has request' => $error->requestId !== null
                && str_ends_with($error->getMessage(), "(request {$error->requestId})"),
        ];
    } catch (LootkeepError | InvalidArgumentException $error) {
        return ['class' => $error::class, 'message' => $error->getMessage()] + get_object_vars($error);
    }
    return [];
}

$waits = [];
$client = client('no-fault', $waits);
$tiers = $client->referrals->tiers;

$tier = $tiers->create(BRONZE);
$changed = $tiers->update($tier['id'], ['name' => 'Silver', 'description' => null]);
$results = ['tier' => [
    $tier['name'],
    $tier['reward_value'],
    $changed['name'],
    array_column($tiers->list(), 'name'),
    $tiers->toggle($tier['id'])['is_active'],
    $tiers->delete($tier['id']),
]];

// An array without names is a list to PHP, and an object to the service.
$product = $client->store->products->create(['name' => 'VIP rank', 'price' => '20.00', 'metadata' => []]);
$results['metadata'] = $product['metadata'];

$ids = static fn (iterable $tickets): array => array_column(iterator_to_array($tickets), 'id');
$page = $client->supportTickets->list(['per_page' => 2])->page(2);
$results['pages'] = [
    'all' => $ids($client->supportTickets->list(['per_page' => 3])),
    'from the second' => $ids($client->supportTickets->list(['per_page' => 3, 'page' => 2])),
    'unassigned' => $ids($client->supportTickets->list(['assigned_to' => 'none', 'from' => '2026-11-15'])),
    'none' => $ids($client->supportTickets->list(['status' => 'closed'])),
    'second' => [array_column($page->items, 'id'), $page->currentPage, $page->lastPage, $page->perPage, $page->total],
    'third' => $client->supportTickets->list(['per_page' => 2, 'page' => 3])->page()->currentPage,
];

$client->supportTickets->close(1);
$reader = client('no-fault', $waits, $input['reader']);
$results['errors'] = [
    'ignored' => failure(fn () => $tiers->create(BRONZE + ['colour' => 'brown', 'sort' => 1])),
    'invalid' => failure(fn () => $tiers->create(['name' => '', 'reward_value' => -1] + BRONZE)),
    'not found' => failure(fn () => $client->supportTickets->get(99)),
    'conflict' => failure(fn () => $client->supportTickets->setStatus(1, ['status' => 'pending'])),
    'unauthorized' => failure(fn () => client('no-fault', $waits, 'lk_nobody')->referrals->tiers->list()),
    'forbidden' => failure(fn () => $reader->referrals->tiers->create(BRONZE)),
    'another path' => failure(fn () => $client->webhooks->deliveries->get('../../referrals/tiers')),
    'a header in a key' => failure(fn () => $tiers->create(BRONZE, "key\r\nX-Other: 1")),
    'a header in a token' => failure(fn () => client('no-fault', $waits, "lk_\n1")->referrals->tiers->list()),
];
$results['waits before'] = $waits;
failure(fn () => $client->webhooks->deliveries->get('..'));

$lostWaits = [];
$lost = client('lost-2', $lostWaits)->referrals->tiers;
$results['lost'] = [$lost->create(BRONZE)['name'], count($lostWaits)];
$keyed = [$tiers->create(BRONZE, 'bronze')['id'], $tiers->create(BRONZE, idempotencyKey: 'bronze')['id']];
$results['keys'] = [$keyed[0] === $keyed[1], $tiers->create(BRONZE)['id'] === $keyed[0]];

foreach (['408-3', '502-3', '503-3', '504-3', 'cut-3', '503-99', 'cut-99', '500-1', 'used-2'] as $fault) {
    $faultWaits = [];
    $faulty = client($fault, $faultWaits);
    $error = failure(fn () => $faulty->store->customers->create(['email' => "{$fault}@example.com", 'name' => 'Jun']));
    $results['faults'][$fault] = ['waits' => $faultWaits, 'error' => $error];
}
$onceWaits = [];
$once = client('503-99', $onceWaits, retry: new Retry(attempts: 1));
$results['once'] = [failure(fn () => $once->referrals->tiers->list())['detail'], $onceWaits];

$limitedWaits = [];
$limited = client('no-fault', $limitedWaits, $input['limited']);
$answers = array_map(fn () => $limited->referrals->tiers->list(), [1, 2, 3]);
$results['limited'] = [count($answers), $limitedWaits];
$impatientWaits = [];
$impatient = client('no-fault', $impatientWaits, $input['impatient'], new Retry(patience: 5));
$impatient->referrals->tiers->list();
$results['impatient'] = [failure(fn () => $impatient->referrals->tiers->list()), $impatientWaits];

$retry = new Retry();
$results['first waits'] = array_map(fn (int $attempt) => array_map(
    fn () => $retry->afterFailure($attempt),
    range(1, 50),
), [1, 2, 3, 4]);
$results['last waits'] = [$retry->afterFailure(5), (new Retry(attempts: 99))->afterFailure(50) <= 8];

$results['addresses'] = array_map(
    fn (string $url) => failure(fn () => new Client($url, 'lk_token')),
    ['127.0.0.1:8000', 'store.example', 'ftp://store.example', 'http://'],
);
$results['missing'] = [failure(fn () => new Client()), failure(fn () => new Client('https://store.example'))];
putenv('LOOTKEEP_URL=https://store.example/');
$_ENV['LOOTKEEP_TOKEN'] = 'lk_secret';
$results['environment'] = [(new Client())->url, str_contains(print_r(new Client(), true), 'lk_secret')];
$timeout = new Client("{$front}/silent-9", 'lk_token', timeout: 0.2, retry: new Retry(attempts: 1));
$results['timeout'] = failure(fn () => $timeout->orders->get(1))['class'];

$verified = static function (array $case): string {
    try {
        return Webhook::verify(
            base64_decode($case['body']),
            $case['headers'],
            $case['secret'],
            $case['require_timestamp'],
            $case['now'],
        )['id'];
    } catch (WebhookNotVerified $error) {
        return str_ends_with($error->getMessage(), '.') ? $error->reason : 'no sentence';
    }
};
$results['webhooks'] = array_map($verified, array_column($input['webhooks'], null, 'title'));
output($results);
