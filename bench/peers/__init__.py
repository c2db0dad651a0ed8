"""The same endpoints built the usual way, so that the benchmarks have something to stand beside."""
