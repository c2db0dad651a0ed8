"""What happens after the answer."""
