"""Writes the Python client's methods from the route table: `python -m tools.write_client`.

One file for each first word of the names, three times over: parameters, sync methods, async methods.
"""

import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

from lootkeep import wiring
from lootkeep.api.http.routes import Route
from tools.client_names import NAMES

PACKAGE = Path(__file__).parents[1] / "client/lootkeep_client"
COMMAND = "python -m tools.write_client"

_DOCUMENT = wiring.document()
_PLAIN_TYPES = {"string": "str", "integer": "int", "number": "float", "boolean": "bool", "null": "None"}
_KEYWORDS = {"from"}
# A method named `list` hides the type of that name, so the answers have names of their own.
_ANSWERS = {"pages": "Pages", "many": "Rows", "message": "str", "one": "Data"}


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
        return _camel(self.route.handler.__name__)

    @property
    def answer(self) -> str:
        shape = self.route.answer
        if shape.is_paged:
            return "pages"
        return "many" if shape.is_list else "one" if shape.view else "message"


def methods() -> list[Method]:
    result = []
    for group in wiring.groups():
        for route in group.routes:
            row = f"{route.method} {group.prefix}{route.path}"
            if row not in NAMES:
                raise SystemExit(f"{row} has no name in tools/client_names.py: add one, then run `{COMMAND}`.")
            result.append(Method(route, group.prefix, NAMES[row]))
    return result


def files() -> dict[Path, str]:
    """Every generated file with its text."""
    by_file: dict[str, list[Method]] = {}
    for method in methods():
        by_file.setdefault(method.file, []).append(method)
    texts = {PACKAGE / "parameters/__init__.py": '"""What each method takes, a file for each group."""\n'}
    for kind in ("synchronous", "asynchronous"):
        texts[PACKAGE / kind / "__init__.py"] = _tree(kind, sorted(by_file))
    for file, own in by_file.items():
        texts[PACKAGE / "parameters" / f"{file}.py"] = _parameters(file, own)
        for kind in ("synchronous", "asynchronous"):
            texts[PACKAGE / kind / f"{file}.py"] = _methods(kind, file, own)
    return {path: _formatted(text) for path, text in texts.items()}


def _tree(kind: str, names: list[str]) -> str:
    core = "Core" if kind == "synchronous" else "AsyncCore"
    lines = [f"from lootkeep_client.{kind}.{name} import {_camel(name)}\n" for name in names]
    imports = "".join(sorted([*lines, f"from lootkeep_client.cores import {core}\n"]))
    parts = "".join(f"        self.{name} = {_camel(name)}(core)\n" for name in names)
    return (
        f'"""All groups of methods; written by `{COMMAND}`."""\n\nfrom __future__ import annotations\n\n'
        f"{imports}\n\nclass Api:\n"
        f'    """The root of all methods."""\n\n    def __init__(self, core: {core}) -> None:\n{parts}'
    )


def _parameters(file: str, own: list[Method]) -> str:
    classes = [_typed_dict(method) for method in own if method.route.body or method.route.query]
    text = "\n\n".join(classes)
    words = {name for name in ("Any", "Literal", "Required", "TypedDict") if name in text}
    abstract = {name for name in ("Mapping", "Sequence") if name in text}
    imports = f"from collections.abc import {', '.join(sorted(abstract))}\n" if abstract else ""
    imports += f"from typing import {', '.join(sorted(words))}\n" if words else ""
    return (
        f'"""What the methods of `{file}` take; written by `{COMMAND}`."""\n\n'
        f"from __future__ import annotations\n\n{imports}\n\n{text}"
    )


def _typed_dict(method: Method) -> str:
    lines = [f"class {method.parameters}(TypedDict, total=False):", f'    """{method.route.summary}."""', ""]
    for name, kind, is_required in _fields(method):
        safe = f"{name}_" if name in _KEYWORDS else name
        lines.append(f"    {safe}: {f'Required[{kind}]' if is_required else kind}")
    return "\n".join(lines) + "\n"


def _fields(method: Method) -> Iterator[tuple[str, str, bool]]:
    operation = _DOCUMENT["paths"][method.prefix + method.route.path][method.route.method.lower()]
    if method.route.body:
        schema = _resolved(operation["requestBody"]["content"]["application/json"]["schema"])
        for name, field in schema["properties"].items():
            yield name, _type(field), name in schema.get("required", ())
        return
    for parameter in map(_resolved, operation["parameters"]):
        if parameter["in"] == "query":
            yield parameter["name"], _type(parameter["schema"]), parameter.get("required", False)


def _resolved(part: dict[str, Any]) -> dict[str, Any]:
    """The component that a part of the document refers to."""
    if "$ref" not in part:
        return part
    _, _, kind, name = part["$ref"].split("/")
    component: dict[str, Any] = _DOCUMENT["components"][kind][name]
    return component


def _type(schema: dict[str, Any]) -> str:
    schema = _resolved(schema)
    if "enum" in schema or "const" in schema:
        words = schema.get("enum", [schema.get("const")])
        return f"Literal[{', '.join(map(repr, words))}]"
    if "anyOf" in schema and not schema.get("type"):
        return " | ".join(dict.fromkeys(_type(part) for part in schema["anyOf"]))
    kind = schema.get("type")
    if isinstance(kind, list):
        return " | ".join(_PLAIN_TYPES[kind_name] for kind_name in kind)
    if kind == "array":
        return f"Sequence[{_type(schema['items'])}]"
    return _PLAIN_TYPES.get(str(kind), "Mapping[str, Any]")


def _methods(kind: str, file: str, own: list[Method]) -> str:
    core, pages = ("Core", "Pages") if kind == "synchronous" else ("AsyncCore", "AsyncPages")
    owners = sorted({_above for method in own for _above in _with_parents(method.owner)})
    text = "\n\n".join(_class(kind, owner, owners, own, core) for owner in reversed(owners))
    answers = sorted({name for name in (pages, "Data", "Rows") if f"-> {name}:" in text})
    imports = "from typing import Unpack\n\n" if "Unpack[" in text else ""
    imports += f"from lootkeep_client.cores import {core}\n"
    imports += f"from lootkeep_client.pages import {', '.join(answers)}\n" if answers else ""
    imports += f"from lootkeep_client.parameters import {file} as takes\n" if "takes." in text else ""
    return (
        f'"""The methods of `{file}`; written by `{COMMAND}`."""\n\n'
        f"from __future__ import annotations\n\n{imports}\n\n{text}"
    )


def _with_parents(owner: str) -> list[str]:
    parts = owner.split(".")
    return [".".join(parts[: place + 1]) for place in range(len(parts))]


def _class(kind: str, owner: str, owners: list[str], own: list[Method], core: str) -> str:
    below = [other for other in owners if other.rpartition(".")[0] == owner]
    parts = "".join(f"        self.{other.rpartition('.')[2]} = {_camel(other)}(core)\n" for other in below)
    bodies = "\n".join(_method(kind, method) for method in own if method.owner == owner)
    return (
        f'class {_camel(owner)}:\n    """`client.{owner}`."""\n\n'
        f"    def __init__(self, core: {core}) -> None:\n        self._core = core\n{parts}\n{bodies}"
    )


def _method(kind: str, method: Method) -> str:
    route, is_async = method.route, kind == "asynchronous"
    ids = list(_path_ids(method))
    takes = [f"{name}: {of}" for name, of in ids]
    passes = [f'"{route.method}"', f'"{method.prefix}{route.path}"', *(name for name, _ in ids)]
    if route.method == "POST":
        takes += ["*", "idempotency_key: str | None = None"]
    given = "body" if route.body else "query" if route.query else None
    if given:
        takes.append(f"**{given}: Unpack[takes.{method.parameters}]")
        passes.append(f"{given}={given}")
    if route.method == "POST":
        passes.append("key=idempotency_key")
    answer = _ANSWERS[method.answer]
    waits = is_async and method.answer != "pages"
    if is_async and method.answer == "pages":
        answer = "AsyncPages"
    return (
        f"    {'async ' if waits else ''}def {method.own_name}({', '.join(['self', *takes])}) -> {answer}:\n"
        f'        """{route.summary}."""\n'
        f"        return {'await ' if waits else ''}self._core.{method.answer}({', '.join(passes)})\n"
    )


def _path_ids(method: Method) -> Iterator[tuple[str, str]]:
    """`{id}` is named after the word before it: `tier_id`."""
    parts = method.route.path.split("/")
    for before, part in pairwise(parts):
        if part == "{id}":
            yield before.replace("-", "_").removesuffix("s") + "_id", "int"
        elif part.startswith("{"):
            yield part[1:-1], "str"


def _camel(name: str) -> str:
    return "".join(part.capitalize() for part in name.replace(".", "_").split("_"))


def _formatted(text: str) -> str:
    ruff = Path(sys.executable).parent / "ruff"
    outcome = subprocess.run([ruff, "format", "-"], input=text, capture_output=True, text=True, check=True)
    return outcome.stdout


def main() -> None:
    for path, text in files().items():
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)


if __name__ == "__main__":
    main()
