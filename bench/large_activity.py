"""What comes with the orders of a large store, as SQL: checks, deliveries, payments, tickets and gift cards."""

from collections.abc import Iterator

import msgspec

from bench.large_rows import AGENTS, Chain, Shape, rare
from lootkeep.domain.fraud.facts import History, NetworkFacts, OrderFacts
from lootkeep.kernel.clock import DAY, HOUR, MINUTE, Instant
from lootkeep.kernel.money import Hundredths

# What an event carries of an order.
EVENT_BYTES = 1_000
_MARKS = {"at": 1_111_111_111_111_111, "customer": 2_222_222_222, "created": 3_333_333_333_333_333}


def _facts(shape: Shape) -> str:
    """A document as a check stores it, as an expression."""
    document = msgspec.json.encode(
        OrderFacts(
            at=Instant(_MARKS["at"]),
            email="c@c.example",
            customer_id=_MARKS["customer"],
            ip_address="16.0.0.1",
            amount=Hundredths(999),
            quantity=1,
            customer_created_at=Instant(_MARKS["created"]),
            billing_country="DE",
            user_agent="Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0",
            has_device=True,
            device="d1",
            network=NetworkFacts(),
            history=History(paid_orders=3, first_paid_at=Instant(_MARKS["created"]), large_from=Hundredths(5_000)),
        )
    ).decode()
    values = {"at": "created_at", "customer": "customer_id", "created": f"{shape.at('4 * customer_id - 3')}"}
    for name, mark in _MARKS.items():
        document = document.replace(str(mark), f"' || {values[name]} || '")
    return f"'{document}'"


def checks(shape: Shape, true: str, false: str) -> Iterator[Chain]:
    """One of two hundred was flagged; the newest of those wait for a review, a page of them at least."""
    is_flagged = "id % 200 = 11"
    is_reviewed = f"{is_flagged} AND id < {shape.orders - max(10_000, shape.orders // 100)}"
    insert = (
        "INSERT INTO fraud_checks (id, order_id, customer_id, ip_address, email, user_agent, risk_score, risk_level,"
        " action_taken, signals, is_vpn, is_proxy, is_datacenter, is_tor, is_sanctioned_country, has_geo_mismatch,"
        " has_velocity_violation, is_disposable_email, is_reviewed, review_outcome, reviewed_at, facts,"
        " policy_version, is_latest, created_at, truth, truth_source, truth_at, detected_country, billing_country)"
        " SELECT id, id, customer_id, ip_address, 'c' || customer_id || '@c.example', user_agent,"
        f" CASE WHEN {is_flagged} THEN 55 ELSE id % 20 END, CASE WHEN {is_flagged} THEN 'medium' ELSE 'low' END,"
        f" CASE WHEN {is_flagged} THEN 'flagged' ELSE 'allowed' END,"
        " CASE WHEN id % 10 = 1 THEN '{\"new_account\":15}' ELSE '{}' END"
        f"{f', {false}' * 8}, CASE WHEN {is_reviewed} THEN {true} ELSE {false} END,"
        f" CASE WHEN {is_reviewed} THEN 'legitimate' END, CASE WHEN {is_reviewed} THEN created_at + {HOUR} END,"
        f" {_facts(shape)}, 1, {true}, created_at, CASE WHEN {is_reviewed} THEN 'legitimate' END,"
        f" CASE WHEN {is_reviewed} THEN 'review' END, CASE WHEN {is_reviewed} THEN created_at + {HOUR} END,"
        " ip_country, billing_country FROM orders"
    )
    yield from ([f"{insert} WHERE id % {shape.parts} = {part}"] for part in range(shape.parts))


def deliveries(shape: Shape, true: str) -> Iterator[str]:
    """Of the orders of the last 30 days: two events each with a delivery."""
    begin = shape.at("0")
    events = '["order.created","order.paid"]'
    yield (
        "INSERT INTO webhooks (id, url, events, is_active, secret, created_at, updated_at, header_names) VALUES"
        f" (1, 'https://hooks.example/bot', '{events}', {true}, '', {begin}, {begin}, '[]')"
    )
    types = "(SELECT 0 AS k, 'order.created' AS type UNION ALL SELECT 1, 'order.paid') AS types"
    data = f"""'{{"order_id":' || id || ',"text":"{"x" * EVENT_BYTES}"}}'"""
    yield (
        "INSERT INTO events (id, type, data, created_at, fanned_out_at) SELECT 2 * id + k, type,"
        f" {data}, created_at + k, created_at + k FROM orders CROSS JOIN {types} WHERE id > {shape.recent} ORDER BY 1"
    )
    yield (
        "INSERT INTO deliveries (id, public_id, event_id, webhook_id, event_type, status, priority, due_at,"
        " attempts_count, failures, response_code, created_at, finished_at) SELECT id, 'wh_' || id, id, 1, type,"
        " 'delivered', 0, created_at, 1, 0, 200, created_at, created_at FROM events"
    )
    yield (
        "INSERT INTO attempts (delivery_id, number, outcome, started_at, finished_at, response_code, latency_ms)"
        " SELECT id, 1, 'delivered', created_at, created_at, 200, 9 FROM deliveries"
    )


def payments(shape: Shape, true: str, false: str) -> Iterator[str]:
    """Of the orders of the last 30 days: the event of the payment provider."""
    begin = shape.at("0")
    yield (
        "INSERT INTO payment_sources (id, provider, name, slug, secret, is_active, is_test, created_at, updated_at)"
        f" VALUES (1, 'stripe', 'Account', 's1', '', {true}, {false}, {begin}, {begin})"
    )
    yield (
        "INSERT INTO payment_events (id, source_id, provider_event_id, type, operation, status, order_id, amount,"
        " currency, due_at, attempts_count, failures, created_at, finished_at) SELECT id, 1, 'evt_' || id,"
        " 'payment_intent.succeeded', 'paid', 'applied', id, total, currency, paid_at, 1, 0, paid_at, paid_at"
        f" FROM orders WHERE id > {shape.recent} AND paid_at IS NOT NULL"
    )
    yield "INSERT INTO payment_event_names (name, event_id) SELECT 'pi_' || id, id FROM payment_events ORDER BY 1"


def support_tickets(shape: Shape, false: str) -> Iterator[str]:
    """One for fifty orders; all but the newest hundredth are closed."""
    count = shape.orders // 50
    opened, is_open = shape.at("i * 50"), f"i > {count - count // 100}"
    yield (
        "INSERT INTO support_tickets (id, customer_id, order_id, subject, status, priority, category, assigned_to_id,"
        " messages_count, last_message_at, last_message_by, first_response_at, resolved_at, closed_at, reopened_count,"
        f" search_text, created_at, updated_at) SELECT i, i, i * 50, 'Ticket ' || i, CASE WHEN {is_open} THEN 'open'"
        f" ELSE 'closed' END, 'normal', 'order', i % {AGENTS} + 1, 1, {opened}, 'customer',"
        f" CASE WHEN {is_open} THEN NULL ELSE {opened} + i % 999 * {MINUTE} END,"
        f" CASE WHEN {is_open} THEN NULL ELSE {opened} + {DAY} END, CASE WHEN {is_open} THEN NULL ELSE {opened} + {DAY}"
        f" END, 0, 'ticket ' || i || {rare('i', count)}, {opened}, {opened} FROM {shape.numbers(count)}"
    )
    yield (
        "INSERT INTO ticket_messages (ticket_id, author_type, author_name, body, is_internal, created_at)"
        f" SELECT i, 'customer', 'Customer', 'The key was used before, it says.', {false}, {opened}"
        f" FROM {shape.numbers(count)}"
    )


def gift_cards(shape: Shape, true: str, false: str) -> Iterator[str]:
    """Each has paid a part of one order."""
    count, issued = shape.orders // 100, shape.at("100 * i - 80")
    yield (
        "INSERT INTO gift_cards (id, code_hash, sealed_code, last_four, initial_balance, balance, currency,"
        " stored_status, recipient_email, customer_id, send_count, recent_sends, search_text, created_at, updated_at)"
        " SELECT i, 'h' || i, '', '' || (1000 + i % 9000), 2500, 2300, 'USD', 'active', 'r' || i ||"
        f" '@c.example', i, 0, 0, 'r' || i || '@c.example' || {rare('i', count)}, {issued}, {issued}"
        f" FROM {shape.numbers(count)}"
    )
    issue = f"SELECT 0 AS k, 'issue' AS type, 2500 AS amount, {false} AS tender"
    kinds = f"({issue} UNION ALL SELECT 1, 'redeem', -200, {true})"
    yield (
        "INSERT INTO gift_card_entries (id, gift_card_id, type, amount, balance_after, order_id, is_tender, created_at)"
        " SELECT 2 * i + k, i, type, amount, 2500 - 200 * k, CASE WHEN k = 1 THEN 100 * i - 50 END, tender,"
        f" {issued} + k FROM {shape.numbers(count)} CROSS JOIN {kinds} AS kinds ORDER BY 1"
    )
