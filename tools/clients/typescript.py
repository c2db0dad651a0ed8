"""Writes the TypeScript client's methods and types from the route table: one file each."""

from __future__ import annotations

from pathlib import Path

from lootkeep.api.http.openapi.client_names import camel_case
from tools.clients.endpoints import COMMAND, DOCUMENT, ROOT, Method, camel, content_schema, methods, path_ids, resolved
from tools.clients.typescript_types import Field, Types

PACKAGE = ROOT / "clients/typescript"
_GENERATED = PACKAGE / "src/generated"
_NOTE = f"// Generated: {{what}}; written by `{COMMAND}`.\n\n"
_IMPORTS = """import type { Core, PostOptions } from "../core.js";
import type { Pages } from "../pages.js";
import type * as types from "./types.js";

"""
_PREFIX = "types."
_TYPE_OF_ID = {"int": "number", "str": "string"}


def files() -> dict[Path, str]:
    """Every generated file with its text."""
    types, every = Types(), methods()
    owners = sorted({above for method in every for above in _with_parents(method.owner)})
    classes = [_class(owner, owners, every, types) for owner in owners]
    bodies = [operation["post"]["requestBody"] for operation in DOCUMENT["webhooks"].values()]
    types.add_union("WebhookDelivery", map(content_schema, bodies))
    return {
        _GENERATED / "types.ts": _NOTE.format(what="what methods take and return, and what a webhook receives")
        + types.text(),
        _GENERATED / "api.ts": _NOTE.format(what="every endpoint as a method") + _IMPORTS + "\n".join(classes),
    }


def _with_parents(owner: str) -> list[str]:
    """`referrals.tiers` is in `referrals`, and that in the root, which has no name."""
    parts = owner.split(".")
    return [".".join(parts[:length]) for length in range(len(parts) + 1)]


def _class(owner: str, owners: list[str], every: list[Method], types: Types) -> str:
    below = [other for other in owners if other and other.rpartition(".")[0] == owner]
    own = [method for method in every if method.owner == owner]
    names = {other: camel_case(other.rpartition(".")[2]) for other in below}
    fields = [f"  readonly {name}: {camel(other)};\n" for other, name in names.items()]
    starts = [f"    this.{name} = new {camel(other)}(core);\n" for other, name in names.items()]
    if own:
        fields.append("  readonly #core: Core;\n")
        starts.insert(0, "    this.#core = core;\n")
    title = f"`client.{camel_case(owner)}`." if owner else "The root of all methods."
    return (
        f"/** {title} */\nexport class {camel(owner) or 'Api'} {{\n{''.join(fields)}\n"
        f"  constructor(core: Core) {{\n{''.join(starts)}  }}\n"
        f"{''.join(_method(method, types) for method in own)}}}\n"
    )


def _method(method: Method, types: Types) -> str:
    ids = {camel_case(name): _TYPE_OF_ID[kind] for name, kind in path_ids(method)}
    takes = [f"{name}: {kind}" for name, kind in ids.items()]
    passes = [f"ids: [{', '.join(ids)}]"] if ids else []
    if source := _source(method, types):
        name, kind, is_required = source
        takes.append(f"{name}: {kind}" + ("" if is_required else " = {}"))
        passes.append(name)
    if method.route.method == "POST":
        takes.append("options: PostOptions = {}")
        passes.append("options")
    path = f'"{method.prefix}{method.route.path}"'
    arguments = [path] if method.answer == "pages" else [f'"{method.route.method}"', path]
    arguments += [f"{{ {', '.join(passes)} }}"] if passes else []
    call = {"pages": "pages", "message": "message"}.get(method.answer, "data")
    return (
        f"\n  /** {method.route.summary}: `{method.route.method} {method.prefix}{method.route.path}`. */\n"
        f"  {camel_case(method.own_name)}({', '.join(takes)}): {_answer(method, types)} {{\n"
        f"    return this.#core.{call}({', '.join(arguments)});\n  }}\n"
    )


def _source(method: Method, types: Types) -> tuple[str, str, bool] | None:
    """The argument with body or query: its name, its type, and whether it must be given."""
    if method.route.body:
        schema = content_schema(method.operation["requestBody"])
        return "body", types.type_of(schema, _PREFIX), bool(resolved(schema).get("required"))
    if not method.route.query:
        return None
    fields: list[Field] = [
        (parameter["name"], {**parameter["schema"], "description": parameter["description"]}, parameter["required"])
        for parameter in map(resolved, method.operation["parameters"])
        if parameter["in"] == "query"
    ]
    name = f"{method.parameters}Query"
    types.add_interface(name, fields)
    return "query", _PREFIX + name, any(is_required for _, _, is_required in fields)


def _answer(method: Method, types: Types) -> str:
    if method.answer == "message":
        return "Promise<string>"
    responses = method.operation["responses"]
    success = next(response for status, response in responses.items() if status.startswith("2"))
    schema = resolved(content_schema(success))["properties"]["data"]
    if method.answer == "pages":
        return f"Pages<{types.type_of(schema['items'], _PREFIX)}>"
    return f"Promise<{types.type_of(schema, _PREFIX)}>"
