"""How the clients are generated: the endpoints, and one file for each language."""
