"""SQL: referrals, tiers and reward claims."""
