"""What operators rely on: alert rules that fire, and a dashboard that shows something."""
