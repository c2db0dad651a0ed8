"""A store with buyers whose outcomes are known, the same orders as a file, and what a folder of facts contains."""

from __future__ import annotations

import json
import random
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import duckdb

from tests.cli.import_store import CUSTOMER, ORDER, ImportedStore, csv_text

ORDERS = 150
AGENTS = ("Mozilla/5.0 (X11; Linux)", "curl/8.0", "")
FIGURES = (
    *("orders", "frauds", "auc", "tpr_at_1pct_fpr", "last_fifth", "thresholds", "sensitivity", "signals", "roc"),
    "scores",
)


def buyers() -> list[dict[str, str]]:
    """Orders of half a year, some of them of accounts that share a device or an IP address, and some were disputed."""
    rng = random.Random(7)
    begin = datetime(2024, 3, 1, tzinfo=UTC)
    rows = []
    for number in range(ORDERS):
        bought = begin + timedelta(hours=number * 29, minutes=rng.randrange(60))
        # Of a ring within an hour, and now and then of someone who was here before.
        person = number - number % 3 if number % 10 < 4 else number
        rows.append(
            {
                "number": str(number),
                "email": f"p{person}{'+x' if person % 5 == 0 else ''}@mail{person % 3}.example",
                "signed_up": (begin - timedelta(days=person % 40)).isoformat(),
                "bought": bought.isoformat(),
                "ip": f"203.0.113.{rng.randrange(20)}",
                "device": f"device-{rng.randrange(60)}",
                "country": rng.choice(("DE", "US", "FR")),
                "agent": rng.choice(AGENTS),
                "total": f"{rng.randrange(5, 90)}.50",
                "disputed": (bought + timedelta(days=20)).isoformat() if rng.random() < 0.15 else "",
            }
        )
    return rows


def fill(store: ImportedStore) -> None:
    rows = buyers()
    people = {row["email"]: row["signed_up"] for row in rows}
    customers = [CUSTOMER | {"email": email, "created_at": created} for email, created in people.items()]
    store.run("customers", csv_text(customers))
    orders = [
        ORDER
        | {
            "external_id": row["number"],
            "customer_email": row["email"],
            "items": f"SWORD:1@{row['total']}",
            **dict.fromkeys(("created_at", "paid_at", "completed_at"), row["bought"]),
            "ip_address": row["ip"],
            "device_id": row["device"],
            "billing_country": row["country"],
            "user_agent": row["agent"],
            "disputed_at": row["disputed"],
        }
        for row in rows
    ]
    assert store.tally("orders", csv_text(orders)) == (ORDERS, 0, 0)


def past_file() -> str:
    return csv_text(
        {
            "order_id": row["number"],
            "customer_id": row["email"],
            "email": row["email"],
            "customer_created_at": row["signed_up"],
            "created_at": row["bought"],
            "ip_address": row["ip"],
            "device_id": row["device"],
            "billing_country": row["country"],
            "user_agent": row["agent"],
            "total": row["total"],
            "disputed_at": row["disputed"],
            "fraud": "1" if row["disputed"] else "0",
        }
        for row in buyers()
    )


def answer(store: ImportedStore, *arguments: str) -> Any:
    outcome = store.terminal.call(*arguments, "--json", **store.settings)
    assert outcome.code == 0, outcome.err
    return json.loads(outcome.out)


def backtest(store: ImportedStore, *source: str) -> dict[str, Any]:
    report = answer(store, "fraud", "backtest", *source)
    return {name: report[name] for name in FIGURES}


def rows_of(folder: Path, select: str) -> list[Any]:
    return duckdb.execute(select.replace("orders", f"read_parquet('{folder}/*.parquet')")).fetchall()
