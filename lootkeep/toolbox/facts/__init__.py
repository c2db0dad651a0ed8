"""Facts for analysts: one row per order in Parquet files by month, written from a store and read without it."""
