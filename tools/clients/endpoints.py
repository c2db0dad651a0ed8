"""The endpoints as methods of a client: the route table with its names; every client is generated from it."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

from lootkeep import wiring
from lootkeep.api.http.openapi.client_names import client_method
from lootkeep.api.http.router import IDENTIFIERS
from lootkeep.api.http.routes import Route

ROOT = Path(__file__).parents[2]
COMMAND = "python -m tools.write_clients"
DOCUMENT = wiring.document()


@dataclass(frozen=True)
class Method:
    """A row of the route table as a method."""

    route: Route
    prefix: str
    name: str

    @property
    def file(self) -> str:
        return self.name.split(".")[0]

    @property
    def owner(self) -> str:
        """The class it belongs to, as in `referrals.tiers`."""
        return self.name.rpartition(".")[0]

    @property
    def own_name(self) -> str:
        return self.name.rpartition(".")[2]

    @property
    def parameters(self) -> str:
        return camel(self.route.handler.__name__)

    @property
    def operation(self) -> dict[str, Any]:
        operation: dict[str, Any] = DOCUMENT["paths"][self.prefix + self.route.path][self.route.method.lower()]
        return operation

    @property
    def answer(self) -> str:
        shape = self.route.answer
        if shape.is_paged:
            return "pages"
        return "many" if shape.is_list else "one" if shape.view else "message"


def methods() -> list[Method]:
    return [
        Method(route, group.prefix, client_method(group.prefix, route))
        for group in wiring.groups()
        for route in group.routes
    ]


def resolved(part: dict[str, Any]) -> dict[str, Any]:
    """The component that a part of the document refers to."""
    if "$ref" not in part:
        return part
    _, _, kind, name = part["$ref"].split("/")
    component: dict[str, Any] = DOCUMENT["components"][kind][name]
    return component


def content_schema(part: dict[str, Any]) -> dict[str, Any]:
    schema: dict[str, Any] = part["content"]["application/json"]["schema"]
    return schema


def path_ids(method: Method) -> Iterator[tuple[str, str]]:
    """`{id}` is named after the word before it: `tier_id`."""
    parts = method.route.path.split("/")
    for before, part in pairwise(parts):
        if part == "{id}":
            yield before.replace("-", "_").removesuffix("s") + "_id", "int"
        elif part.startswith("{"):
            yield part[1:-1], "int" if part[1:-1] in IDENTIFIERS else "str"


def camel(name: str) -> str:
    return "".join(part.capitalize() for part in name.replace(".", "_").split("_"))
