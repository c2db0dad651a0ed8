"""Webhooks: where events are sent, the queue of their deliveries, the log of attempts, and replays."""
