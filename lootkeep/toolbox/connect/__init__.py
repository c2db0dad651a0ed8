"""Connectors: they run next to a game or for a Discord server, take the commands of its queue and run them there."""
