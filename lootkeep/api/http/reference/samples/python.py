"""The call with the Python client, which reads the token from LOOTKEEP_TOKEN."""

from __future__ import annotations

import keyword

from lootkeep.api.http.reference.samples.calls import MAX_LINE, ORIGIN, Call, Notation, json_text

_NOTATION = Notation(
    "True", "False", "None", ("{", "}"), ("[", "]"), key=lambda name: f"{json_text(name)}: ", step="    "
)
_INDENT = "    "


def write(call: Call) -> str:
    method = f"client.{call.client_method}({_arguments(call)})"
    act = f"for row in {method}:\n        print(row)" if call.is_paged else f"answer = {method}\n    print(answer)"
    return f'from lootkeep_client import Client\n\nwith Client("{ORIGIN}") as client:\n{_INDENT}{act}'


def _arguments(call: Call) -> str:
    inner = _INDENT * 2
    parts = [_NOTATION.write(value, inner) for value in call.ids]
    parts += [f"{_safe(name)}={_NOTATION.write(value, inner)}" for name, value in call.fields.items()]
    line = ", ".join(parts)
    if "\n" not in line and len(call.client_method) + len(line) <= MAX_LINE - len("    answer = client."):
        return line
    return "".join(f"\n{inner}{part}," for part in parts) + f"\n{_INDENT}"


def _safe(name: str) -> str:
    """`from` is a keyword, so the argument is `from_`."""
    return f"{name}_" if keyword.iskeyword(name) else name
