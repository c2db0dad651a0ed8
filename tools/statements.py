"""Prints the SQL of the storage modules: `python -m tools.statements [--engine postgresql] [NAME]`.

NAME is a part of what a statement is called, such as `orders._ADD` or `webhooks.`. Statements that are built for a
choice of filters are not constants, and not among them.
"""

import argparse
import pkgutil
from collections.abc import Iterator
from importlib import import_module
from typing import Any

import lootkeep.storage
from lootkeep.storage.engine.query import Query
from lootkeep.storage.rows import Rows

_PREFIX = f"{lootkeep.storage.__name__}."
# Changes of the schema.
_NO_STATEMENTS = f"{_PREFIX}migrations"


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tools.statements", description="Print the SQL of storage.")
    parser.add_argument("--engine", choices=("sqlite", "postgresql"), default="sqlite")
    parser.add_argument("name", nargs="?", default="", help="part of a statement's name")
    options = parser.parse_args()
    for name, query in statements():
        if options.name in name:
            print(f"-- {name}\n{sql(query, options.engine)}\n")


def statements() -> Iterator[tuple[str, Query[Any]]]:
    """Each constant once, under the module that defines it."""
    seen: set[int] = set()
    for module in pkgutil.walk_packages(lootkeep.storage.__path__, _PREFIX):
        if module.name.startswith(_NO_STATEMENTS):
            continue
        for name, query in _constants(vars(import_module(module.name))):
            if id(query) not in seen:
                seen.add(id(query))
                yield f"{module.name.removeprefix(_PREFIX)}.{name}", query


def sql(query: Query[Any], engine: str) -> str:
    """What runs; on PostgreSQL also the form for many rows of values, of a statement that takes them at once."""
    if engine == "sqlite":
        return query.sqlite.sql
    return (
        f"{query.postgres.sql}\n-- for many rows\n{query.postgres_set.sql}" if query.set_based else query.postgres.sql
    )


def _constants(variables: dict[str, Any]) -> Iterator[tuple[str, Query[Any]]]:
    for name, value in variables.items():
        if isinstance(value, Query):
            yield name, value
        elif isinstance(value, dict):
            yield from ((f"{name}[{key!r}]", query) for key, query in value.items() if isinstance(query, Query))
        elif isinstance(value, Rows):
            yield from ((f"{name}.{key}", query) for key, query in vars(value).items() if isinstance(query, Query))


if __name__ == "__main__":
    main()
