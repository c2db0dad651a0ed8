"""The External API: one file per group of the specification."""

from lootkeep.api.external import referrals
from lootkeep.api.http.routes import Group

GROUPS: tuple[Group, ...] = (referrals.GROUP,)
