"""All the SQL: functions take a transaction and speak in domain records."""
