"""Sources of payment events, and the events."""
