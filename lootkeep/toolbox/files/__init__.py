"""Files that people bring: CSV and NDJSON from spreadsheets and shops, read in one dialect."""
