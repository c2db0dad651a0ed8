"""The clients, each against the real service."""
