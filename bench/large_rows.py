"""The rows of a store of two years, with as many orders as asked for and everything else in proportion, as SQL."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from bench.analytics import NUMBERS
from bench.lists import RARE
from lootkeep.domain.fraud.facts import DEVICE_MEMORY
from lootkeep.kernel.clock import DAY, HOUR, MINUTE, SECOND, Instant

SPAN = 730 * DAY
# Events and what is sent of them are kept this long.
KEPT = 30 * DAY
ORDERS_OF_A_CUSTOMER = 4
AGENTS = 4
Chain = Iterable[str]


@dataclass(frozen=True)
class Shape:
    """How many of everything, when, and the words of the engine."""

    engine: str
    orders: int
    end: Instant
    # How many statements fill a large table at the same time.
    parts: int = 1

    @property
    def step(self) -> int:
        return SPAN // self.orders

    @property
    def customers(self) -> int:
        return self.orders // ORDERS_OF_A_CUSTOMER

    @property
    def products(self) -> int:
        return max(50, self.orders // 5_000)

    @property
    def tenth_percent(self) -> int:
        return self.orders // 1_000

    @property
    def recent(self) -> int:
        """The first order whose events are there."""
        return self.orders - self.orders * KEPT // SPAN

    def flag(self, *, value: bool) -> str:
        return str(value).lower() if self.engine == "postgresql" else str(int(value))

    def numbers(self, count: int) -> str:
        return NUMBERS[self.engine].format(count)

    def at(self, order: str) -> str:
        return f"({self.end - SPAN} + ({order}) * {self.step})"


def rare(number: str, count: int) -> str:
    """In twenty rows, however many there are."""
    return f"CASE WHEN {number} % {max(1, count // 20)} = 0 THEN ' {RARE}' ELSE '' END"


def people(shape: Shape, false: str) -> Iterator[str]:
    yield (
        "INSERT INTO users (id, email, name, is_owner, created_at) SELECT i, 'a' || i || '@s.example', 'Agent ' || i,"
        f" {false}, {shape.at('0')} FROM {shape.numbers(AGENTS)}"
    )


def catalogue(shape: Shape, true: str, false: str) -> Iterator[str]:
    begin, coupons = shape.at("0"), shape.tenth_percent * 10
    yield (
        "INSERT INTO products (id, name, slug, delivery_type, billing_type, status, price, currency, stock, category,"
        " tags, sales_count, metadata, search_text, created_at, updated_at)"
        " SELECT i, 'Product ' || i, 'p' || i, 'manual', 'one_time', CASE WHEN i % 100 = 5 THEN 'draft' ELSE 'active'"
        f" END, {_price('i')}, 'USD', CASE WHEN i % 10 = 3 THEN 1000000 END, 'C' || (i % 20), '[]', 0, '{{}}',"
        f" 'product ' || i || {rare('i', shape.products)}, {begin} + i, {begin} + i"
        f" FROM {shape.numbers(shape.products)}"
    )
    yield (
        "INSERT INTO coupons (id, code, origin, discount_type, value, product_ids, categories, first_order_only,"
        " is_active, batch, uses_count, reserved_count, stored_state, search_text, created_at, updated_at)"
        " SELECT i, 'C' || i, 'owner', 'percentage', 1000, '[]', '[]',"
        f" {false}, {true}, 'B' || (i % 100), {shape.orders // 20 // coupons}, 0, 'active',"
        f" 'c' || i || {rare('i', coupons)}, {begin} + i, {begin} + i FROM {shape.numbers(coupons)}"
    )


def _price(product: str) -> str:
    return f"(499 + {product} * 137 % 4500)"


def _lines(shape: Shape) -> str:
    """Each order with its customer, who existed by then, and one product or two; every third buys the first product."""
    product = "1 + ({0}) * 31 % {1} * (({0}) * 17 % 3) / 2"
    known = "((i + 3) / 4)"
    # Of all who are known, and not of those whose number has the same remainder.
    returning = f"1 + i * 1103515245 % 2147483647 % {known}"
    return (
        f"(SELECT i, {shape.at('i')} AS at, CASE WHEN i % 4 = 1 THEN {known} ELSE {returning} END AS c,"
        f" {product.format('i', shape.products)} AS p,"
        f" CASE WHEN i % 4 = 0 THEN {product.format('i + 1', shape.products)} END AS q"
        f" FROM {shape.numbers(shape.orders)}) AS lines"
    )


def _is_new(shape: Shape) -> str:
    return f"i > {shape.orders - max(100, shape.orders // 2000)} AND i % 10 = 7"


def orders(shape: Shape) -> Iterator[Chain]:
    """Four of a hundred are cancelled, one is refunded, one of twenty has a coupon, the newest are not paid yet."""
    status = (
        f"CASE WHEN {_is_new(shape)} THEN 'pending' WHEN i % 100 < 4 THEN 'cancelled' WHEN i % 100 = 4 THEN 'refunded'"
        " WHEN i % 100 = 5 THEN 'paid' ELSE 'completed' END"
    )
    subtotal = f"{_price('p')} + CASE WHEN q IS NULL THEN 0 ELSE {_price('q')} END"
    ip = "'16.' || (c / 3 / 65536 % 256) || '.' || (c / 3 / 256 % 256) || '.' || (c / 3 % 256)"
    sums = (
        f"(SELECT *, {subtotal} AS subtotal, {status} AS status, {ip} AS ip,"
        f" CASE WHEN i % 20 = 9 THEN ({subtotal}) / 10 ELSE 0 END AS discount FROM {_lines(shape)}) AS sums"
    )
    # One order of fifty comes from elsewhere.
    ip_country = "'C' || (CASE WHEN i % 50 = 7 THEN c + 1 ELSE c END % 40)"
    is_paid, coupons = "status NOT IN ('pending', 'cancelled')", shape.tenth_percent * 10
    insert = (
        "INSERT INTO orders (id, customer_id, status, subtotal, discount_total, total, gift_card_total,"
        " refunded_total, currency, coupon_id, coupon_code, coupon_origin, payment_method, transaction_id, ip_address,"
        " ip_network, billing_country, user_agent, device_id, metadata, created_at, updated_at, paid_at, completed_at,"
        " cancelled_at, refunded_at, risk_level, payment_instrument, payment_country, external_id, tax_total, tax_rate,"
        " tax_country, ip_country)"
        " SELECT i, c, status, subtotal, discount, subtotal - discount, CASE WHEN i % 100 = 50 THEN 200 ELSE 0 END,"
        " CASE WHEN status = 'refunded' THEN subtotal - discount ELSE 0 END, 'USD',"
        f" CASE WHEN i % 20 = 9 THEN i / 20 % {coupons} + 1 END,"
        f" CASE WHEN i % 20 = 9 THEN 'C' || (i / 20 % {coupons} + 1) END, CASE WHEN i % 20 = 9 THEN 'owner' END,"
        " CASE WHEN i % 3 = 0 THEN 'paypal' ELSE 'card' END, 'pi_' || i, ip, ip, 'C' || (c % 40),"
        " 'Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0', 'd' || c, '{}', at, at,"
        f" CASE WHEN {is_paid} THEN at + {30 * SECOND} END,"
        f" CASE WHEN {is_paid} AND status <> 'paid' THEN at + {MINUTE} END,"
        f" CASE WHEN status = 'cancelled' THEN at + {HOUR} END, CASE WHEN status = 'refunded' THEN at + {DAY} END,"
        f" CASE WHEN i % 1000 = 7 THEN 'high' ELSE 'low' END, CASE WHEN {is_paid} THEN 'n' || c END,"
        f" 'C' || (c % 40), 'O' || i, (subtotal - discount) / 6, '20', 'C' || (c % 40), {ip_country} FROM {sums}"
    )
    yield from ([f"{insert} WHERE i % {shape.parts} = {part}"] for part in range(shape.parts))


def items(shape: Shape) -> Iterator[Chain]:
    for product, offset in (("p", 0), ("q", shape.orders)):
        yield [
            "INSERT INTO order_items (id, order_id, product_id, product_name, delivery_type, quantity, price, total,"
            f" fulfilled_quantity, holds_stock) SELECT i + {offset}, i, {product}, 'Product ' || {product}, 'manual',"
            f" 1, {_price(product)}, {_price(product)}, CASE WHEN i % 100 > 5 AND NOT ({_is_new(shape)}) THEN 1 ELSE 0"
            f" END, {shape.flag(value=False)} FROM {_lines(shape)} WHERE {product} IS NOT NULL"
        ]


def customers(shape: Shape, true: str, false: str) -> Chain:
    """From their orders, so that their totals are right; one of twenty was referred."""
    created = f"{shape.at('4 * c - 3')} - {HOUR}"
    is_referred = "c % 20 = 0"
    customers = (
        "INSERT INTO customers (id, external_id, email, name, country, status, accepts_marketing, email_status,"
        " referral_code, referred_by_id, orders_count, total_spent, first_order_at, last_order_at, tags, search_text,"
        " created_at, updated_at)"
        " SELECT c, 'E' || c, 'c' || c || '@c.example', 'Customer ' || c, 'C' || (c % 40), CASE WHEN c % 1000 = 3 THEN"
        f" 'blocked' ELSE 'active' END, CASE WHEN c % 3 = 0 THEN {true} ELSE {false} END, 'ok', 'R' || c,"
        f" CASE WHEN {is_referred} THEN c / 2 END, n, spent, first_at, last_at, '[]', 'customer ' || c || ' c' || c ||"
        f" '@c.example' || {rare('c', shape.customers)}, {created}, {created} FROM (SELECT customer_id AS c,"
        " count(paid_at) FILTER (WHERE status <> 'refunded') AS n, coalesce(sum(total - refunded_total)"
        " FILTER (WHERE paid_at IS NOT NULL), 0) AS spent, min(paid_at) AS first_at, max(paid_at) AS last_at"
        " FROM orders GROUP BY customer_id) AS bought ORDER BY c"
    )
    referrals = (
        "INSERT INTO referrals (customer_id, referrer_id, status, referred_at, first_order_at, marks)"
        " SELECT id, referred_by_id, CASE WHEN first_order_at IS NULL THEN 'pending' ELSE 'successful' END, created_at,"
        " first_order_at, '' FROM customers WHERE referred_by_id IS NOT NULL"
    )
    refunds = (
        "INSERT INTO refunds (order_id, amount, created_at, tax) SELECT id, total, refunded_at, tax_total FROM"
        " orders WHERE status = 'refunded'"
    )
    return [customers, referrals, refunds]


def sold() -> Chain:
    return [
        "UPDATE products SET sales_count = n FROM (SELECT product_id, sum(quantity) AS n FROM order_items JOIN orders"
        " ON orders.id = order_id WHERE paid_at IS NOT NULL GROUP BY product_id) AS sold WHERE products.id = product_id"
    ]


def referrers() -> Chain:
    return [
        "INSERT INTO referrers (customer_id, total_referrals, successful_referrals, rewards_claimed, total_reached_at,"
        " successful_reached_at) SELECT referrer_id, count(*), count(first_order_at), 0, max(referred_at),"
        " coalesce(max(first_order_at), 0) FROM referrals GROUP BY referrer_id"
    ]


def sightings(shape: Shape) -> Iterator[str]:
    seen = f"(SELECT * FROM orders WHERE created_at > {shape.end - DEVICE_MEMORY}) AS seen"
    for kind, value in (
        ("address", "max(ip_network)"),
        ("device", "'d' || customer_id"),
        ("instrument", "'n' || customer_id"),
        ("mailbox", "'c' || customer_id || '@c.example'"),
    ):
        yield (
            "INSERT INTO sightings (kind, value, customer_id, first_seen_at, last_seen_at)"
            f" SELECT '{kind}', {value}, customer_id, min(created_at), max(created_at) FROM {seen}"
            " GROUP BY customer_id ORDER BY 2, 3"
        )
