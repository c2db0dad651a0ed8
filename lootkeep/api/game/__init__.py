"""The Game API, which a game server calls with its own token."""
