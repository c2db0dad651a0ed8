"""SQL: the outbox and the list of events."""
