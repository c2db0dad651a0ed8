"""The versions of the schema since the first release: what each changes, for the database and for its operator."""

from __future__ import annotations

from typing import NamedTuple


class Version(NamedTuple):
    """One change of the schema. What was released is never changed or renumbered."""

    name: str
    sentence: str
    # SQL for both engines, and then for one of them.
    statements: tuple[str, ...] = ()
    sqlite: tuple[str, ...] = ()
    postgresql: tuple[str, ...] = ()
    # Whether processes of the version before may continue: it only adds tables, indexes, and columns that such a
    # process need not fill.
    is_online: bool = True
    # The version that was the first to neither read nor write what this one drops.
    unused_since: str = ""

    def on(self, engine: str) -> tuple[str, ...]:
        return self.statements + (self.sqlite if engine == "sqlite" else self.postgresql)


# The first release adds the first one, without statements: its schema is what an empty database gets.
VERSIONS: tuple[Version, ...] = ()
