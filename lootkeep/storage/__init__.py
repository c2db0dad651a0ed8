"""All the SQL: functions take a transaction and use domain records."""
