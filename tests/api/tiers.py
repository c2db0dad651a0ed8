"""A tier as it is sent."""

from __future__ import annotations

BRONZE = {"name": "Bronze", "referrals_required": 5, "reward_type": "percentage_discount", "reward_value": 10}
