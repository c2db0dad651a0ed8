"""Objects that SQLAlchemy cannot express: search on SQLite, triggers and statistics on PostgreSQL."""

from __future__ import annotations

from sqlalchemy import DDL, Table, event

from lootkeep.storage.schema.access import tokens
from lootkeep.storage.schema.campaigns import email_campaigns
from lootkeep.storage.schema.coupons import coupons
from lootkeep.storage.schema.customers import customers
from lootkeep.storage.schema.events import events
from lootkeep.storage.schema.gift_cards import gift_cards
from lootkeep.storage.schema.products import products
from lootkeep.storage.schema.support_tickets import support_tickets


def statements(table: str) -> list[str]:
    """The index and its triggers for a table with `id` and `search_text`, which is case folded by us."""
    fts = f"{table}_search"
    leave = f"INSERT INTO {fts} ({fts}, rowid, search_text) VALUES ('delete', old.id, old.search_text);"
    enter = f"INSERT INTO {fts} (rowid, search_text) VALUES (new.id, new.search_text);"
    return [
        f"CREATE VIRTUAL TABLE {fts} USING fts5 (search_text, content='{table}', content_rowid='id', "
        "tokenize='trigram case_sensitive 1')",
        f"CREATE TRIGGER {fts}_added AFTER INSERT ON {table} BEGIN {enter} END",
        f"CREATE TRIGGER {fts}_removed AFTER DELETE ON {table} BEGIN {leave} END",
        f"CREATE TRIGGER {fts}_changed AFTER UPDATE OF search_text ON {table} BEGIN {leave} {enter} END",
    ]


def _search_table(table: Table) -> None:
    for statement in statements(table.name):
        ddl = DDL(statement).execute_if(dialect="sqlite")  # type: ignore[no-untyped-call]
        event.listen(table, "after_create", ddl)


_search_table(customers)
_search_table(gift_cards)
_search_table(support_tickets)
_search_table(products)
_search_table(email_campaigns)
_search_table(coupons)

# Ids are given out before the commit, in any order. So a transaction announces, by a shared lock that ends with it and
# before its first event gets an id, the last id given out so far: its own are larger. `Horizon` reads these locks.
# Once per transaction, for locks are few; a lock's number has 31 bits to spare.
_ANNOUNCEMENT = (
    "CREATE FUNCTION lootkeep_announce_events() RETURNS trigger LANGUAGE plpgsql AS "
    "$$ BEGIN IF coalesce(current_setting('lootkeep.announced', true), '') = '' THEN "
    "PERFORM pg_advisory_xact_lock_shared(cast(TG_RELID AS int), cast(last & 2147483647 AS int)) "
    "FROM (SELECT last_value - cast(NOT is_called AS int) AS last FROM events_id_seq) AS ids; "
    "PERFORM set_config('lootkeep.announced', 'yes', true); "
    "END IF; RETURN NULL; END $$",
    "CREATE TRIGGER events_announce BEFORE INSERT ON events "
    "FOR EACH STATEMENT EXECUTE FUNCTION lootkeep_announce_events()",
)
for _statement in _ANNOUNCEMENT:
    event.listen(events, "after_create", DDL(_statement).execute_if(dialect="postgresql"))  # type: ignore[no-untyped-call]
# Every process that caches tokens listens to it. Recording their use is not a change.
TOKENS = (
    "CREATE FUNCTION lootkeep_tokens_changed() RETURNS trigger LANGUAGE plpgsql AS "
    "$$ BEGIN PERFORM pg_notify('lootkeep_tokens', ''); RETURN NULL; END $$",
    "CREATE TRIGGER tokens_changed "
    "AFTER UPDATE OF user_id, digest, scopes, rate_limit, expires_at, revoked_at OR DELETE OR TRUNCATE ON tokens "
    "FOR EACH STATEMENT EXECUTE FUNCTION lootkeep_tokens_changed()",
)
for _statement in TOKENS:
    event.listen(tokens, "after_create", DDL(_statement).execute_if(dialect="postgresql"))  # type: ignore[no-untyped-call]
# The planner ignores the statistics of a partial index's expression. PostgreSQL 13 works without them.
_STATISTICS = (
    "DO $$ BEGIN IF cast(current_setting('server_version_num') AS int) >= 140000 THEN "
    "CREATE STATISTICS products_by_stock ON (coalesce(stock, 2147483648)) FROM products; END IF; END $$"
)
event.listen(products, "after_create", DDL(_STATISTICS).execute_if(dialect="postgresql"))  # type: ignore[no-untyped-call]
