"""The tests: domain and kernel alone, storage and API on both engines, rules over the whole tree."""
