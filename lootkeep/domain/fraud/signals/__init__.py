"""SIGNALS, the table of everything that counts against an order."""
