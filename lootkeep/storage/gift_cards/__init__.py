"""SQL: gift cards and their ledger."""
