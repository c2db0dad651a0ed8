"""A whole store row by row: read as of one moment, and written into an empty database of either engine."""
