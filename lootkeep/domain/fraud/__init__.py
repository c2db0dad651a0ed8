"""Fraud detection: facts about an order, the store's policy, and the verdict that follows from both."""
