"""The External API: one file per group of the specification."""
