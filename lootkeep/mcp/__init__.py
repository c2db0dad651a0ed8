"""The Model Context Protocol: tools with which an agent asks about the store, within the scopes of a token."""
