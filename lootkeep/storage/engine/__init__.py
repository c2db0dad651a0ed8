"""How statements run: on SQLite and on PostgreSQL."""
