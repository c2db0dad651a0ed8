"""The External API: one file per group of the specification."""

from lootkeep.api.external import email_campaigns, referrals, webhooks
from lootkeep.api.http.routes import Group

GROUPS: tuple[Group, ...] = (referrals.GROUP, webhooks.GROUP, email_campaigns.GROUP)
