"""Versions of a schema that nobody has released: the first, one that only adds, and one that needs a pause."""

from __future__ import annotations

from lootkeep.storage.engine.database import Engine
from lootkeep.storage.migrations.versions import Version

FIRST = Version("0001", "The first release.")
ONLINE = Version(
    "0002",
    "Adds the channel of an order.",
    (
        "ALTER TABLE orders ADD COLUMN channel TEXT DEFAULT 'shop' NOT NULL",
        "CREATE TABLE channels (name TEXT PRIMARY KEY)",
        "CREATE INDEX orders_channel ON orders (channel)",
    ),
)
OFFLINE = Version(
    "0003",
    "Moves the channels of orders to their table.",
    (
        "INSERT INTO channels SELECT DISTINCT channel FROM orders WHERE id > 0 GROUP BY channel",
        "UPDATE orders SET channel = upper(channel)",
    ),
    sqlite=("CREATE TABLE moved AS SELECT id FROM orders", "CREATE INDEX ix_moved ON moved (id)", "DROP TABLE moved"),
    is_online=False,
)
VERSIONS = (FIRST, ONLINE, OFFLINE)


async def release(engine: Engine) -> None:
    """A store that was created today is one of the first release."""
    await engine.migrate(lambda _: f"UPDATE schema_version SET version = '{FIRST.name}'")


_COLUMNS = (
    "customer_id, status, subtotal, discount_total, total, gift_card_total, refunded_total, currency, metadata, "
    "created_at, updated_at"
)
# The least that orders need to exist, in SQL that both engines understand.
ORDERS = f"""
    INSERT INTO customers (id, email, name, status, accepts_marketing, email_status, referral_code, orders_count,
        total_spent, tags, search_text, created_at, updated_at)
    SELECT 1, 'a@a.example', 'A', 'active', 1 = 1, 'ok', 'A', 0, 0, '[]', '', 1, 1;
    INSERT INTO orders ({_COLUMNS})
    VALUES (1, 'pending', 0, 0, 0, 0, 0, 'USD', '{{}}', 1, 1), (1, 'pending', 0, 0, 0, 0, 0, 'USD', '{{}}', 2, 2)
"""
DOUBLED = f"INSERT INTO orders ({_COLUMNS}) SELECT {_COLUMNS} FROM orders"
