"""SQL: e-mail campaigns and their recipients."""
