"""The call of an operation in Python and JavaScript, built from its examples."""

from __future__ import annotations

import json
import pprint
import textwrap
from typing import NamedTuple

from lootkeep.api.http.reference.curl import url_of
from lootkeep.api.http.reference.shown import BodyDoc, ParameterDoc


class Snippet(NamedTuple):
    title: str
    # The server's URL, which only the browser knows, goes between them.
    before: str
    after: str


def snippets(
    method: str, path: str, parameters: list[ParameterDoc], body: BodyDoc | None, *, needs_token: bool
) -> list[Snippet]:
    needed = [parameter for parameter in parameters if parameter.field.is_required]
    headers = {parameter.field.name: parameter.example for parameter in needed if parameter.location == "header"}
    url = url_of(path, needed)
    return [
        _python(method, url, headers, body, needs_token=needs_token),
        _javascript(method, url, headers, body, needs_token=needs_token),
    ]


def _python(method: str, url: str, headers: dict[str, str], body: BodyDoc | None, *, needs_token: bool) -> Snippet:
    lines = [f"{name!r}: {value!r}" for name, value in headers.items()]
    if needs_token:
        lines.insert(0, '"Authorization": "Bearer " + os.environ["LOOTKEEP_TOKEN"]')
    options = [f"headers={{{', '.join(lines)}}}"] if lines else []
    if body:
        value = pprint.pformat(json.loads(body.example), width=72, sort_dicts=False)
        options.append("json=" + textwrap.indent(value, "    ").lstrip())
    after = "".join(f"\n    {option}," for option in options)
    return Snippet(
        "Python",
        f'import os\n\nimport httpx\n\nanswer = httpx.request(\n    "{method.upper()}",\n    "',
        f'{url}",{after}\n)\nprint(answer.json())',
    )


def _javascript(method: str, url: str, headers: dict[str, str], body: BodyDoc | None, *, needs_token: bool) -> Snippet:
    sent = [f"{json.dumps(name)}: {json.dumps(value)}" for name, value in headers.items()]
    if body:
        sent.insert(0, '"Content-Type": "application/json"')
    if needs_token:
        sent.insert(0, "Authorization: `Bearer ${process.env.LOOTKEEP_TOKEN}`")
    options = [f'method: "{method.upper()}"']
    if sent:
        options.append(f"headers: {{ {', '.join(sent)} }}")
    if body:
        options.append("body: JSON.stringify(" + textwrap.indent(body.example, "  ").lstrip() + ")")
    after = "".join(f"\n  {option}," for option in options)
    return Snippet(
        "JavaScript", 'const answer = await fetch("', f'{url}", {{{after}\n}});\nconsole.log(await answer.json());'
    )
