"""SQL: customers, and what is personal about them."""
