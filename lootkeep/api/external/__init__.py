"""The External API: one file per group of the specification."""

from lootkeep.api.external import referrals, support_tickets, webhooks
from lootkeep.api.http.routes import Group

GROUPS: tuple[Group, ...] = (referrals.GROUP, webhooks.GROUP, support_tickets.GROUP)
