"""SQL: orders, their payments and disputes."""
