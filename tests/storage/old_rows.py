"""Rows as earlier schemas had them, in SQL that both engines understand."""

from __future__ import annotations

_CUSTOMER = """
    INSERT INTO customers (id, email, name, status, accepts_marketing, email_status, referral_code, orders_count,
        total_spent, tags, search_text, created_at, updated_at)
    SELECT 1, 'a@a.example', 'A', 'active', 1 = 1, 'ok', 'A', 0, 0, '[]', '', 1, 1"""
_ORDER = """
    INSERT INTO orders (customer_id, status, subtotal, discount_total, total, gift_card_total, refunded_total,
        currency, metadata, created_at, updated_at, ip_address)
    VALUES (1, 'pending', 0, 0, 0, 0, 0, 'USD', '{{}}', 1, 1, {})"""
OLD_IPS = (
    "203.0.113.9",
    "2001:db8::1",
    "2001:db8::2",
    "::1",
    "1::",
    "::5:6:7:8:9:a",
    "1:0:0:2::7",
    "a:b:c:d::e",
    "1:2:3::4:5",
    "a:b:c:d:e:f:1:2",
    "1:0:3:4:5:6:7:8",
)


def old_orders() -> str:
    """An order from each address and one from nowhere, by one customer, who was seen everywhere."""
    ips = enumerate(OLD_IPS, 1)
    sighting_inserts = [f"INSERT INTO sightings VALUES ('address', '{ip}', 1, {i}, {i + 10})" for i, ip in ips]
    placed = [_ORDER.format(f"'{ip}'") for ip in OLD_IPS]
    return ";".join([_CUSTOMER, *placed, _ORDER.format("NULL"), *sighting_inserts])


# The first order was reviewed as fraud, the second waits.
OLD_CHECKS = """
    INSERT INTO users (id, name, email, is_owner, created_at) VALUES (1, 'Ada', 'ada@a.example', TRUE, 1);
    INSERT INTO sightings (kind, value, customer_id, first_seen_at, last_seen_at)
        VALUES ('mailbox', 'jun@mail.example', 1, 2, 13);
    INSERT INTO fraud_checks (order_id, customer_id, email, risk_score, risk_level, action_taken, signals, is_vpn,
            is_proxy, is_datacenter, is_tor, is_sanctioned_country, has_geo_mismatch, has_velocity_violation,
            is_disposable_email, is_reviewed, reviewed_by, reviewed_at, review_outcome, facts, policy_version,
            created_at)
        VALUES (1, 1, 'jun@mail.example', 60, 'high', 'flagged', '{}', FALSE, FALSE, FALSE, FALSE, FALSE, FALSE,
            FALSE, FALSE, TRUE, 1, 90, 'fraud', '{"at": 5, "payment": {"instrument": "card"}}', 0, 5),
            (2, 1, 'jun@mail.example', 60, 'high', 'flagged', '{}', FALSE, FALSE, FALSE, FALSE, FALSE, FALSE,
            FALSE, FALSE, FALSE, NULL, NULL, NULL, '{"at": 6}', 0, 6);
"""
