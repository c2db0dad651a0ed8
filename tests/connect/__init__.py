"""Connectors, against a game server on a real socket and a Discord of our own."""
