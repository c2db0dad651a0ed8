"""Files from users: CSV and NDJSON from spreadsheets and shops, parsed with one dialect."""
