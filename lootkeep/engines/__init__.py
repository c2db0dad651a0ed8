"""The outside world: a folder per need, a file per engine."""
