"""The Game API, which a game server calls with its own token."""

from lootkeep.api.game import commands
from lootkeep.api.http.routes import Group

GROUPS: tuple[Group, ...] = (commands.GROUP,)
