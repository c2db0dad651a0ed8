"""The Store API: how the store's own checkout feeds the service; one file per group."""

from lootkeep.api.http.routes import Group

GROUPS: tuple[Group, ...] = ()
