"""SQL: users, tokens, accounts and sessions."""
