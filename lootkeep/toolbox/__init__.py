"""Tools around the service: the demo store, the backtest, imports, and tools for webhook receivers."""
