"""Benchmarks: the CPU the service costs, beside its usual way of being built and beside the raw drivers."""
