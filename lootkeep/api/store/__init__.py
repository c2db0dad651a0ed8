"""The Store API: how the store's own checkout feeds the service; one file per group."""

from lootkeep.api.http.routes import Group
from lootkeep.api.store import products

GROUPS: tuple[Group, ...] = (products.GROUP,)
