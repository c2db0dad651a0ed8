"""Files from users: CSV, NDJSON and Excel files from spreadsheets and shops, parsed with one dialect."""
