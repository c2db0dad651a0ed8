"""The public JSON of each record: API responses and webhook bodies."""
