"""Benchmarks: the CPU the service costs, compared with the usual way of building it and with the raw drivers."""
