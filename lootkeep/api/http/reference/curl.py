"""A ready-to-run curl command for an operation, built from its examples."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from urllib.parse import quote, urlencode

from lootkeep.api.http.reference.shown import BodyDoc, ParameterDoc


def command(method: str, path: str, parameters: list[ParameterDoc], body: BodyDoc | None, *, needs_token: bool) -> str:
    """All that follows the server's address, which only the browser knows.

    Optional parameters stay out: what is copied must work as it is, not come back filtered to nothing.
    """
    needed = [parameter for parameter in parameters if parameter.field.is_required]
    options = _options(method, needed, body, needs_token=needs_token)
    return " \\\n  ".join([url_of(path, needed) + "'", *options])


def url_of(path: str, needed: list[ParameterDoc]) -> str:
    path = quote(path, safe="/{}")
    for parameter in needed:
        if parameter.location == "path":
            path = path.replace(f"{{{parameter.field.name}}}", quote(parameter.example, safe=""))
    query = urlencode(
        [(parameter.field.name, parameter.example) for parameter in needed if parameter.location == "query"]
    )
    return f"{path}?{query}" if query else path


def _options(method: str, needed: list[ParameterDoc], body: BodyDoc | None, *, needs_token: bool) -> Iterator[str]:
    if method != "get":
        yield f"-X {method.upper()}"
    if needs_token:
        # A variable, so no token ends up in a shell history or a chat by copying.
        yield '-H "Authorization: Bearer $LOOTKEEP_TOKEN"'
    for parameter in needed:
        if parameter.location == "header":
            yield f"-H {_quoted(f'{parameter.field.name}: {parameter.example}')}"
    if body:
        yield '-H "Content-Type: application/json"'
        yield f"-d {_quoted(textwrap.indent(body.example, '  ').lstrip())}"


def _quoted(text: str) -> str:
    # The quoting of an apostrophe by shlex.quote is safe too, but unreadable.
    return "'" + text.replace("'", "'\\''") + "'"
