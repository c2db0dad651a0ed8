"""Fraud detection: facts about an order, the store's policy, and the resulting verdict."""
