"""What the store can do: one function per deed, one write transaction each."""
