"""Game servers, and the queue of their commands."""

from __future__ import annotations

from sqlalchemy import CheckConstraint, Index, text as sql

from lootkeep.storage.schema.columns import flag, instant, link, number, numbered_table, partial_index, text

# Literals, also in queries: a cached plan can use a partial index only if it sees the words.
OPEN = sql("status IN ('waiting', 'leased')")
FAILED = sql("status = 'failed'")
# Of commands that hand over what was bought.
IS_DELIVERING = sql("cause IN ('paid', 'renewed')")

servers = numbered_table(
    "servers",
    text("name"),
    text("game"),
    # No two servers share a token: each sees its own queue.
    link("token_id", "tokens.id", unique=True),
    instant("last_seen_at", optional=True),
    instant("created_at"),
    instant("updated_at"),
    # Its commands stay, as evidence.
    instant("deleted_at", optional=True),
)

commands = numbered_table(
    "commands",
    link("server_id", "servers.id"),
    link("order_id", "orders.id"),
    link("item_id", "order_items.id"),
    link("customer_id", "customers.id"),
    text("cause"),
    # Fixed when it is queued.
    text("text"),
    text("player_game", optional=True),
    text("player_id", optional=True),
    text("player_name", optional=True),
    flag("needs_player_online"),
    text("status"),
    # When it can be handed out; while a server has it, when the lease ends and it can be handed out again.
    instant("due_at"),
    text("lease", optional=True),
    number("attempts_count"),
    number("failures"),
    # What the server answered.
    text("reason", optional=True),
    # Why it is a repeat: the command that was sent again.
    link("resent_from_id", "commands.id", optional=True),
    instant("finished_at", optional=True),
    instant("created_at"),
    CheckConstraint("cause IN ('paid', 'renewed', 'expired', 'refunded', 'disputed')", name="cause"),
    CheckConstraint("status IN ('waiting', 'leased', 'done', 'failed', 'cancelled')", name="status"),
    CheckConstraint("(status = 'leased') = (lease IS NOT NULL)", name="lease"),
    CheckConstraint("(status IN ('waiting', 'leased')) = (finished_at IS NULL)", name="finished_at"),
    # The queue of a server. The last two columns are for those that wait for a player.
    partial_index("ix_commands_open", OPEN, "server_id", "due_at", "id", "needs_player_online", "player_id"),
    partial_index("ix_commands_failed", FAILED, "server_id", "id"),
    # The sort order of the list, and its filters in this order.
    Index(None, "server_id", "id"),
    Index(None, "status", "id"),
    Index(None, "order_id", "id"),
    Index(None, "customer_id", "id"),
    # For foreign keys.
    Index(None, "item_id"),
    Index(None, "resent_from_id"),
)
