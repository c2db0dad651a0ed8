"""Writes the PHP client's methods from the route table: one class for each group of methods, and the types."""

import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from lootkeep.api.http.openapi.client_names import camel_case
from tools.clients.endpoints import (
    COMMAND,
    DOCUMENT,
    ROOT,
    Method,
    camel,
    content_schema,
    methods,
    path_ids,
    resolved,
)
from tools.clients.php_types import Types, is_map, properties

PACKAGE = ROOT / "clients/php"
NEW_LINE = "\n"
_RUNTIME = ("Core", "Pages", "Request", "Types")
_NATIVE = {"pages": "Pages", "many": "array", "message": "string", "one": "array"}
_DOCUMENTED = {"pages": "Pages<{record}>", "many": "list<{record}>", "message": "string", "one": "{record}"}


def files() -> dict[Path, str]:
    """Every generated file with its text."""
    types = Types()
    own: dict[str, list[Method]] = {"": []}
    for method in methods():
        parts = method.owner.split(".")
        for index in range(len(parts)):
            own.setdefault(".".join(parts[: index + 1]), [])
        own[method.owner].append(method)
    texts = {f"Api/{_class_name(owner)}": _class(owner, own, types) for owner in own}
    bodies = [operation["post"]["requestBody"] for operation in DOCUMENT["webhooks"].values()]
    types.add_union("WebhookDelivery", map(content_schema, bodies))
    texts["Types"] = types.file()
    return {PACKAGE / f"src/{name}.php": text for name, text in texts.items()}


def _class_name(owner: str) -> str:
    """`SupportTicketsApi`; `Game` alone would hide the type of that name."""
    return camel(owner) + "Api"


def _class(owner: str, own: dict[str, list[Method]], types: Types) -> str:
    """The class of a group; the root has the groups only."""
    below = {
        camel_case(other.rpartition(".")[2]): _class_name(other)
        for other in own
        if other and other.rpartition(".")[0] == owner
    }
    groups = "".join(f"    public readonly {of} ${name};\n" for name, of in below.items())
    assignments = "".join(f"        $this->{name} = new {of}($core);\n" for name, of in below.items())
    bodies = "".join(_method(method, types) for method in own[owner])
    core = "private readonly Core $core" if bodies else "Core $core"
    constructor = f"    {'public' if owner else 'protected'} function __construct({core}){_block(assignments)}"
    path = "".join(f"->{camel_case(part)}" for part in owner.split(".") if part)
    imports = types.imports(bodies)
    before_imports = " *\n" if imports else ""
    text = (
        f"/**\n * The methods of `$client{path}`; written by `{COMMAND}`.\n{before_imports}{imports} */\n"
        f"{'final' if owner else 'abstract'} class {_class_name(owner)}\n{{\n"
        f"{groups and groups + NEW_LINE}{constructor}{bodies}}}\n"
    )
    uses = "".join(f"use Lootkeep\\{name};\n" for name in _RUNTIME if re.search(rf"\b{name}\b", text))
    return f"<?php\n\ndeclare(strict_types=1);\n\nnamespace Lootkeep\\Api;\n\n{uses}\n{text}"


def _block(lines: str) -> str:
    return f"\n    {{\n{lines}    }}\n" if lines else " {}\n"


def _method(method: Method, types: Types) -> str:
    route = method.route
    ids = [(camel_case(name), "string" if of == "str" else "int") for name, of in path_ids(method)]
    takes = [f"{of} ${name}" for name, of in ids]
    passes = [f"'{method.prefix}{route.path}'"]
    passes += [f"[{', '.join(f'${name}' for name, _ in ids)}]"] if ids else []
    documents = ""
    if source := "body" if route.body else "query" if route.query else "":
        fields = list(_fields(method))
        takes.append(f"array ${source}" + ("" if any(must for _, _, must in fields) else " = []"))
        passes.append(f"{source}: ${source}")
        maps = ", ".join(f"'{name}'" for name, schema, _ in fields if is_map(schema))
        passes += [f"maps: [{maps}]"] if maps else []
        documents = f"     * @param {types.shape(fields, '    ')} ${source}\n"
    if route.method == "POST":
        takes.append("?string $idempotencyKey = null")
        passes.append("key: $idempotencyKey")
    answer = _DOCUMENTED[method.answer].format(record=_record(method, types))
    documents += "" if answer == "string" else f"     * @return {answer}\n"
    return (
        f"\n    /**\n     * {route.summary}.\n{f'     *{NEW_LINE}' if documents else ''}{documents}     */\n"
        f"    public function {camel_case(method.own_name)}({', '.join(takes)}): {_NATIVE[method.answer]}\n    {{\n"
        f"{_call(method, passes, answer)}    }}\n"
    )


def _call(method: Method, passes: list[str], answer: str) -> str:
    note = "" if answer == "string" else f"        /** @var {answer} */\n"
    if method.answer == "pages":
        return f"{note}        return $this->core->pages({', '.join(passes)});\n"
    kind = "message" if method.answer == "message" else "data"
    request = ", ".join([f"'{method.route.method}'", *passes])
    return f"{note}        return $this->core->{kind}(Request::of({request}));\n"


def _fields(method: Method) -> Iterable[tuple[str, dict[str, Any], bool]]:
    """Name, schema and whether it must be there, for each field of the body or parameter of the query."""
    if method.route.body:
        return properties(resolved(content_schema(method.operation["requestBody"])))
    parameters = [part for part in map(resolved, method.operation["parameters"]) if part["in"] == "query"]
    return [(part["name"], part["schema"], part.get("required", False)) for part in parameters]


def _record(method: Method, types: Types) -> str:
    """The type of what is under `data`; of one row where it is a list."""
    if method.answer == "message":
        return "string"
    responses = method.operation["responses"]
    success = next(response for status, response in responses.items() if status.startswith("2"))
    schema = resolved(content_schema(success))["properties"]["data"]
    return types.type_of(schema["items"] if method.route.answer.is_list else schema)
