"""What the store can do: one function per operation, one write transaction each."""
