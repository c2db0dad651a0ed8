"""The External API: one file per group of the specification."""

from lootkeep.api.external import gift_cards, referrals, webhooks
from lootkeep.api.http.routes import Group

GROUPS: tuple[Group, ...] = (referrals.GROUP, webhooks.GROUP, gift_cards.GROUP)
