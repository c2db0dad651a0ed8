"""The External API: one file per group of the specification."""

from lootkeep.api.external import fraud, gift_cards, referrals, support_tickets, webhooks
from lootkeep.api.http.routes import Group

GROUPS: tuple[Group, ...] = (
    referrals.GROUP,
    fraud.GROUP,
    webhooks.GROUP,
    gift_cards.GROUP,
    support_tickets.GROUP,
)
