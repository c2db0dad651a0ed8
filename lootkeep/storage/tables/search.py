"""Full-text search on SQLite: a trigram index beside a table, kept by triggers. PostgreSQL has pg_trgm indexes."""

from __future__ import annotations

from sqlalchemy import DDL, Table, event

from lootkeep.storage.tables.customers import customers


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


def _beside(table: Table) -> None:
    for statement in statements(table.name):
        ddl = DDL(statement).execute_if(dialect="sqlite")  # type: ignore[no-untyped-call]
        event.listen(table, "after_create", ddl)


_beside(customers)
