"""Rows of the staff lists on top of a generated shop, and what each filter must find."""

from __future__ import annotations

import random
from typing import Any

from lootkeep.kernel.clock import DAY, HOUR
from lootkeep.kernel.search import search_text
from lootkeep.storage.engine.database import Database
from lootkeep.storage.schema import (
    deliveries,
    email_campaigns,
    events,
    fraud_checks,
    gift_card_entries,
    gift_cards,
    referrals,
    support_tickets,
    users,
    webhooks,
)
from tests.storage.shop import DAYS, Filters, Row, RowFilter, ShopRows, add_rows
from tests.world import NOON

AGENTS = (101, 102)
_FLAGS = ("vpn", "proxy", "datacenter", "tor", "sanctioned_country", "disposable_email")
_COUNTS = ("recipients", "sent", "failed", "skipped", "outbox", "perhaps_twice", "opened", "clicked", "unsubscribed")


def _time(chance: random.Random) -> int:
    return NOON - chance.randrange(9) * DAY - chance.randrange(3) * HOUR


def _campaign(chance: random.Random, number: int) -> Row:
    name, time = chance.choice(["Sale", "sale", "Été", "News %"]), _time(chance)
    return {
        "id": number,
        "name": name,
        "subject": "S",
        "is_text_derived": False,
        "links": "[]",
        "audience": "{}",
        "status": chance.choice(["draft", "sent"]),
        "next_at": 0,
        "search_text": search_text(name, "S"),
        **{f"{count}_count": 0 for count in _COUNTS},
        "created_at": time,
        "updated_at": time,
    }


def _card(chance: random.Random, number: int) -> Row:
    time, balance = _time(chance), chance.choice([5_00, 10_00])
    email = chance.choice([None, "jun@mail.example", f"p{number}@mail.example"])
    return {
        "id": number,
        "code_hash": f"{number:064x}",
        "sealed_code": "",
        "last_four": f"{number:04}",
        "initial_balance": 20_00,
        "balance": balance,
        "currency": chance.choice(["USD", "EUR"]),
        "stored_status": "active",
        "recipient_email": email,
        "customer_id": chance.randint(1, 9),
        "order_id": chance.choice([None, 3]),
        "send_count": 0,
        "recent_sends": 0,
        "starts_at": chance.choice([None, None, NOON + DAY]),
        "expires_at": chance.choice([None, NOON - HOUR, NOON + 5 * DAY]),
        "search_text": search_text(email or "", f"{number:04}"),
        "created_at": time,
        "updated_at": time,
    }


def _ticket(chance: random.Random, number: int) -> Row:
    time, status = _time(chance), chance.choice(["open", "open", "closed", "resolved"])
    subject = chance.choice(["Key is missing", "Refund %", "key"])
    return {
        "id": number,
        "customer_id": chance.randint(1, 9),
        "order_id": chance.choice([None, 3]),
        "subject": subject,
        "status": status,
        "priority": chance.choice(["normal", "urgent"]),
        "category": chance.choice(["refund", "other"]),
        "assigned_to_id": chance.choice([None, *AGENTS]),
        "messages_count": 0,
        "last_message_at": _time(chance),
        "last_message_by": "customer",
        "reopened_count": 0,
        "resolved_at": None if status == "open" else time,
        "closed_at": time if status == "closed" else None,
        "search_text": search_text(subject),
        "created_at": time,
        "updated_at": time,
    }


def _check(chance: random.Random, order: Row) -> Row:
    is_reviewed = chance.random() < 0.3
    return {
        "id": order["id"],
        "order_id": order["id"],
        "customer_id": order["customer_id"],
        "email": "e@e.example",
        "risk_score": 1,
        "risk_level": chance.choice(["low", "high"]),
        "signals": "{}",
        "facts": "{}",
        "action_taken": chance.choice(["allowed", "flagged"]),
        "policy_version": 1,
        "is_latest": True,
        "is_reviewed": is_reviewed,
        "review_outcome": "fraud" if is_reviewed else None,
        "created_at": order["created_at"],
        **{f"is_{name}": False for name in _FLAGS},
        "has_geo_mismatch": False,
        "has_velocity_violation": False,
    }


def _delivery(chance: random.Random, number: int) -> Row:
    return {
        "id": number,
        "public_id": f"wh_{number}",
        "event_id": number,
        "webhook_id": chance.choice([1, 1, 2]),
        "event_type": chance.choice(["order.paid", "order.created"]),
        "priority": 0,
        "due_at": 0,
        "status": chance.choice(["delivered", "failed"]),
        "attempts_count": 0,
        "failures": 0,
        "created_at": NOON - (150 - number) * HOUR,
        "finished_at": NOON,
    }


class BackOffice:
    """The rows, as they were written."""

    def __init__(self, shop: ShopRows) -> None:
        chance = random.Random(5)
        self.shop = shop
        self.campaigns = [_campaign(chance, number) for number in range(1, 61)]
        self.cards = [_card(chance, number) for number in range(1, 121)]
        self.tickets = [_ticket(chance, number) for number in range(1, 121)]
        self.checks = [_check(chance, order) for order in shop.orders]
        self.deliveries = [_delivery(chance, number) for number in range(1, 121)]

    async def open(self, db: Database) -> None:
        await self.shop.open(db)
        agents = [
            {"id": number, "email": f"a{number}@s.example", "name": "A", "is_owner": False, "created_at": NOON}
            for number in AGENTS
        ]
        hooks = [
            {
                "id": number,
                "url": "https://s.example/",
                "events": "[]",
                "is_active": True,
                "secret": "s",
                "header_names": "[]",
            }
            | {"created_at": NOON, "updated_at": NOON}
            for number in (1, 2)
        ]
        recorded = [
            {"id": row["event_id"], "type": row["event_type"], "data": "{}", "created_at": row["created_at"]}
            for row in self.deliveries
        ]
        issued = [
            {"gift_card_id": card["id"], "type": "issue", "amount": card["balance"], "balance_after": card["balance"]}
            | {"is_tender": False, "created_at": card["created_at"]}
            for card in self.cards
        ]
        referred = [
            {"customer_id": row["id"], "referrer_id": 1, "status": "pending", "referred_at": row["created_at"]}
            | {"marks": ""}
            for row in self.shop.customers
            if row["referred_by_id"] is not None
        ]
        for table, rows in (
            *((users, agents), (webhooks, hooks), (events, recorded), (deliveries, self.deliveries)),
            *((email_campaigns, self.campaigns), (gift_cards, self.cards), (gift_card_entries, issued)),
            *((support_tickets, self.tickets), (fraud_checks, self.checks), (referrals, referred)),
        ):
            await add_rows(db, table, rows)

    def filters(self, kind: str) -> Filters:
        """Of the table of this name."""
        filters: dict[str, Filters] = {
            "email_campaigns": {
                "search": ({"search": "SALE"}, lambda c: "sale" in c["search_text"]),
                "short": ({"search": "%"}, lambda c: "%" in c["search_text"]),
                "status": _same("status", "draft"),
            },
            "gift_cards": {
                "customer_id": _same("customer_id", 7),
                "order_id": _same("order_id", 3),
                "recipient_email": _same("recipient_email", "jun@mail.example"),
                "search": ({"search": "mail.exa"}, lambda c: "mail.exa" in c["search_text"]),
                "short": ({"search": "17"}, lambda c: "17" in c["search_text"]),
                "currency": _same("currency", "EUR"),
                "status": ({"status": "scheduled"}, lambda c: c["stored_status"] == "scheduled"),
            },
            "support_tickets": {
                "number": ({"search": "TKT-000012"}, lambda t: t["id"] == 12),
                "search": ({"search": "KEY"}, lambda t: "key" in t["search_text"]),
                "short": ({"search": "%"}, lambda t: "%" in t["search_text"]),
                **{name: _same(name, value) for name, value in (("customer_id", 7), ("order_id", 3))},
                **{name: _same(name, value) for name, value in (("status", "open"), ("priority", "urgent"))},
                "category": _same("category", "refund"),
                "agent": ({"agent": 101}, lambda t: t["assigned_to_id"] == 101),
                "unassigned": ({"unassigned": True}, lambda t: t["assigned_to_id"] is None),
            },
            "fraud_checks": {
                "risk_level": _same("risk_level", "high"),
                "action_taken": _same("action_taken", "flagged"),
                "is_reviewed": ({"is_reviewed": True}, lambda c: bool(c["is_reviewed"])),
                "is_open": ({"is_reviewed": False}, lambda c: not c["is_reviewed"]),
            },
            "deliveries": {"status": _same("status", "failed"), "event_type": _same("event_type", "order.paid")},
            "referrals": {
                "status": _same("status", "successful"),
                "search": ({"search": "Ann"}, lambda r: "ann" in self.shop.search[r["customer_id"]]),
                "short": ({"search": "Z"}, lambda r: "z" in self.shop.search[r["customer_id"]]),
            },
        }
        within: Filters = {
            "from": ({"from": DAYS[0]}, lambda row: row["created_at"] >= DAYS[0]),
            "to": ({"to": DAYS[1]}, lambda row: row["created_at"] < DAYS[1]),
        }
        return filters[kind] if kind == "referrals" else filters[kind] | within


def _same(name: str, value: Any) -> tuple[dict[str, Any], RowFilter]:
    return {name: value}, lambda row: bool(row[name] == value)
