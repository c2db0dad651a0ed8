"""The call as a curl command."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from urllib.parse import quote, urlencode

from lootkeep.api.http.reference.samples.calls import ORIGIN, Call


def write(call: Call) -> str:
    return " \\\n  ".join([f"curl '{ORIGIN}{_url(call)}'", *_options(call)])


def _url(call: Call) -> str:
    path = quote(call.path, safe="/{}")
    for parameter in call.needed:
        if parameter.location == "path":
            path = path.replace(f"{{{parameter.field.name}}}", quote(parameter.example, safe=""))
    query = urlencode(
        [(parameter.field.name, parameter.example) for parameter in call.needed if parameter.location == "query"]
    )
    return f"{path}?{query}" if query else path


def _options(call: Call) -> Iterator[str]:
    if call.method != "get":
        yield f"-X {call.method.upper()}"
    if call.needs_token:
        # A variable, so no token ends up in a shell history or a chat by copying.
        yield '-H "Authorization: Bearer $LOOTKEEP_TOKEN"'
    for parameter in call.needed:
        if parameter.location == "header":
            yield f"-H {_quoted(f'{parameter.field.name}: {parameter.example}')}"
    if call.body:
        yield '-H "Content-Type: application/json"'
        yield f"-d {_quoted(textwrap.indent(call.body.example, '  ').lstrip())}"


def _quoted(text: str) -> str:
    # The quoting of an apostrophe by shlex.quote is safe too, but unreadable.
    return "'" + text.replace("'", "'\\''") + "'"
