"""Writes the Python client's methods from the route table.

One file for each first word of the names, four times over: types, parameters, sync methods, async methods.
"""

import keyword
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

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
from tools.clients.python_types import Types, written

PACKAGE = ROOT / "clients/python/lootkeep_client"
METHODS_PAGE = ROOT / "docs/api/client-methods.md"
_PAGE = f"""# The methods of the clients

Every endpoint is a method of each client, with the same name. This page is written by `{COMMAND}`.

| client | the same method |
|---|---|
| [Python](../client.md) | `client.support_tickets.add_message(123, message="Hello")` |
| [TypeScript](../typescript.md) | `await client.supportTickets.addMessage(123, {{ message: "Hello" }})` |
| [PHP](../php.md) | `$client->supportTickets->addMessage(123, ['message' => 'Hello'])` |

"""

# A method named `list` hides the type of that name, so a list of records is `Rows`.
_ANSWERS = {"pages": "Pages[{record}]", "many": "Rows[{record}]", "message": "str", "one": "{record}"}


def files() -> dict[Path, str]:
    """Every generated file with its text."""
    by_file: dict[str, list[Method]] = {}
    for method in methods():
        by_file.setdefault(method.file, []).append(method)
    types = Types()
    texts = {
        "parameters/__init__": '"""What each method takes, a file for each group."""\n',
    }
    for kind in ("synchronous", "asynchronous"):
        texts[f"{kind}/__init__"] = _tree(kind, sorted(by_file))
    for file, own in by_file.items():
        types.start(file)
        texts[f"parameters/{file}"] = _parameters(file, own, types)
        for kind in ("synchronous", "asynchronous"):
            texts[f"{kind}/{file}"] = _methods(kind, file, own, types)
    _deliveries(types)
    note = f"What `{{file}}` has; written by `{COMMAND}`."
    texts |= {f"types/{file}": text for file, text in types.texts(note).items()}
    return {PACKAGE / f"{name}.py": _formatted(text) for name, text in texts.items()} | {METHODS_PAGE: _methods_page()}


def _methods_page() -> str:
    rows = [f"| `{m.name}` | `{m.route.method} {m.prefix}{m.route.path}` | {m.route.summary} |" for m in methods()]
    return _PAGE + "\n".join(["| method | call | |", "|---|---|---|", *rows]) + "\n"


def _tree(kind: str, names: list[str]) -> str:
    core = "Core" if kind == "synchronous" else "AsyncCore"
    lines = [f"from lootkeep_client.{kind}.{name} import {camel(name)}\n" for name in names]
    imports = "".join(sorted([*lines, f"from lootkeep_client.cores import {core}\n"]))
    parts = "".join(f"        self.{name} = {camel(name)}(core)\n" for name in names)
    return (
        f'"""All groups of methods; written by `{COMMAND}`."""\n\nfrom __future__ import annotations\n\n'
        f"{imports}\n\nclass Api:\n"
        f'    """The root of all methods."""\n\n    def __init__(self, core: {core}) -> None:\n{parts}'
    )


def _parameters(file: str, own: list[Method], types: Types) -> str:
    text = "\n\n".join(_typed_dict(method, types) for method in own if method.route.body or method.route.query)
    imports = ["from lootkeep_client import types\n"] if "types." in text else []
    return written(f"What the methods of `{file}` take; written by `{COMMAND}`.", text, imports)


def _typed_dict(method: Method, types: Types) -> str:
    lines = [f"class {method.parameters}(TypedDict, total=False):", f'    """{method.route.summary}."""', ""]
    for name, kind, is_required in _fields(method, types):
        safe = f"{name}_" if keyword.iskeyword(name) else name
        lines.append(f"    {safe}: {f'Required[{kind}]' if is_required else kind}")
    return "\n".join(lines) + "\n"


def _fields(method: Method, types: Types) -> Iterator[tuple[str, str, bool]]:
    if method.route.body:
        schema = resolved(content_schema(method.operation["requestBody"]))
        for name, field in schema["properties"].items():
            yield name, types.public(field), name in schema.get("required", ())
        return
    for parameter in map(resolved, method.operation["parameters"]):
        if parameter["in"] == "query":
            yield parameter["name"], types.public(parameter["schema"]), parameter.get("required", False)


def _record(method: Method, types: Types) -> str:
    """The type of what is under `data`; of one row where it is a list."""
    if method.answer == "message":
        return "str"
    responses = method.operation["responses"]
    success = next(response for status, response in responses.items() if status.startswith("2"))
    schema = resolved(content_schema(success))["properties"]["data"]
    return types.record(schema["items"] if method.route.answer.is_list else schema)


def _deliveries(types: Types) -> None:
    """What a webhook receives, distinguished by `event_type`."""
    types.start("deliveries")
    bodies = [operation["post"]["requestBody"] for operation in DOCUMENT["webhooks"].values()]
    types.add_union("WebhookDelivery", map(content_schema, bodies))


def _methods(kind: str, file: str, own: list[Method], types: Types) -> str:
    core = "Core" if kind == "synchronous" else "AsyncCore"
    owners = sorted({_above for method in own for _above in _with_parents(method.owner)})
    text = "\n\n".join(_class(kind, owner, owners, own, core, types) for owner in reversed(owners))
    answers = sorted(set(re.findall(r"-> (\w*Pages|Rows)\[", text)))
    imports = [f"from lootkeep_client.cores import {core}\n"]
    imports += [f"from lootkeep_client.pages import {', '.join(answers)}\n"] if answers else []
    imports += [f"from lootkeep_client.parameters import {file} as takes\n"] if "takes." in text else []
    imports += ["from lootkeep_client import types\n"] if "types." in text else []
    return written(f"The methods of `{file}`; written by `{COMMAND}`.", text, imports)


def _with_parents(owner: str) -> list[str]:
    parts = owner.split(".")
    return [".".join(parts[: index + 1]) for index in range(len(parts))]


def _class(kind: str, owner: str, owners: list[str], own: list[Method], core: str, types: Types) -> str:
    below = [other for other in owners if other.rpartition(".")[0] == owner]
    parts = "".join(f"        self.{other.rpartition('.')[2]} = {camel(other)}(core)\n" for other in below)
    bodies = "\n".join(_method(kind, method, types) for method in own if method.owner == owner)
    return (
        f'class {camel(owner)}:\n    """`client.{owner}`."""\n\n'
        f"    def __init__(self, core: {core}) -> None:\n        self._core = core\n{parts}\n{bodies}"
    )


def _method(kind: str, method: Method, types: Types) -> str:
    route, is_async = method.route, kind == "asynchronous"
    record = _record(method, types)
    ids = list(path_ids(method))
    takes = [f"{name}: {of}" for name, of in ids]
    passes = [] if method.answer == "message" else [record]
    passes += [f'"{route.method}"', f'"{method.prefix}{route.path}"', *(name for name, _ in ids)]
    if route.method == "POST":
        takes += ["*", "idempotency_key: str | None = None"]
    source = "body" if route.body else "query" if route.query else None
    if source:
        takes.append(f"**{source}: Unpack[takes.{method.parameters}]")
        passes.append(f"{source}={source}")
    if route.method == "POST":
        passes.append("key=idempotency_key")
    waits = is_async and method.answer != "pages"
    answer = ("Async" if is_async and not waits else "") + _ANSWERS[method.answer].format(record=record)
    return (
        f"    {'async ' if waits else ''}def {method.own_name}({', '.join(['self', *takes])}) -> {answer}:\n"
        f'        """{route.summary}."""\n'
        f"        return {'await ' if waits else ''}self._core.{method.answer}({', '.join(passes)})\n"
    )


def _formatted(text: str) -> str:
    ruff = Path(sys.executable).parent / "ruff"
    for step in (["check", "--select", "I", "--fix", "--quiet"], ["format"]):
        text = subprocess.run([ruff, *step, "-"], input=text, capture_output=True, text=True, check=True).stdout
    return text
