"""What is not the service itself: the demo store, the backtest, imports, and tools for webhook receivers."""
