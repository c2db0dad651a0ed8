"""`lootkeep fraud backtest` on rows of past orders, and a year of a made-up shop to give it."""

from __future__ import annotations

import csv
import json
import random
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from typing import Any

from tests.cli.import_store import csv_text
from tests.cli.terminal import CommandResult, Terminal

BEGIN = datetime(2026, 1, 1, tzinfo=UTC)
ORDER = {"order_id": "1", "created_at": "2026-01-01T00:00:00Z", "email": "ada@a.example", "fraud": "0"}


class BacktestRun:
    """The command, on a file of rows."""

    def __init__(self, terminal: Terminal) -> None:
        self.terminal = terminal

    def __call__(self, rows: Iterable[dict[str, Any]] | str, *options: str, label: str = "fraud") -> CommandResult:
        text = rows if isinstance(rows, str) else csv_text([{k: str(v) for k, v in row.items()} for row in rows])
        (self.terminal.folder / "past.csv").write_text(text)
        return self.terminal.call("fraud", "backtest", "past.csv", "--label", label, *options)

    def report(self, rows: Iterable[dict[str, Any]] | str, *options: str, label: str = "fraud") -> dict[str, Any]:
        outcome = self(rows, "--json", *options, label=label)
        assert outcome.code == 0, outcome.err
        result: dict[str, Any] = json.loads(outcome.out)
        return result

    def scores(self, rows: Iterable[dict[str, Any]] | str) -> list[dict[str, str]]:
        self.report(rows, "--scores", "scores.csv")
        with (self.terminal.folder / "scores.csv").open(newline="") as file:
            return list(csv.DictReader(file))


def past(count: int, seed: int = 1) -> list[dict[str, Any]]:
    """A year of a made-up shop: most are customers, some are rings of fresh accounts on one device."""
    rng = random.Random(seed)
    rows: list[dict[str, Any]] = []

    def add(signed_up: datetime, at: datetime, device: str, ip: int, is_fraud: bool) -> None:
        rows.append(
            {
                "order_id": f"o{len(rows)}",
                "customer_id": f"c{len(rows)}",
                "email": f"p{len(rows)}@mail.example",
                "customer_created_at": signed_up.isoformat(),
                "created_at": at.isoformat(),
                "ip_address": ip,
                "device_id": device,
                "total": f"{rng.randint(5, 99)}.00",
                "fraud": int(is_fraud),
            }
        )

    # In a range that is not in use, of which no list knows anything: a network's points would blur the picture.
    while len(rows) < count:
        signed_up = BEGIN + timedelta(minutes=rng.randrange(500_000))
        device, ip = f"d{rng.randrange(count * 20)}", rng.randrange(240 << 24, 2**32 - 1)
        if rng.random() < 0.02:
            for index in range(rng.randint(2, 8)):
                moment = signed_up + timedelta(minutes=index * rng.randint(1, 90))
                add(moment, moment + timedelta(seconds=1), device, ip, True)
        else:
            bought = signed_up + timedelta(minutes=rng.randrange(200_000))
            add(signed_up, bought, device, ip, rng.random() < 0.02)
    rng.shuffle(rows)
    return rows
