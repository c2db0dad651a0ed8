"""The call with the PHP client, which reads the token from LOOTKEEP_TOKEN."""

from __future__ import annotations

from lootkeep.api.http.openapi.client_names import camel_case
from lootkeep.api.http.reference.samples.calls import ORIGIN, Call, Notation


def _text(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace("'", "\\'")
    return f"'{escaped}'"


_NOTATION = Notation(
    "true", "false", "null", ("[", "]"), ("[", "]"), key=lambda name: f"{_text(name)} => ", step="    ", text=_text
)


def write(call: Call) -> str:
    values = [*call.ids, call.fields] if call.fields else call.ids
    name = camel_case(call.client_method).replace(".", "->")
    method = f"$client->{name}({', '.join(map(_NOTATION.write, values))})"
    act = f"foreach ({method} as $row) {{\n    print_r($row);\n}}" if call.is_paged else f"print_r({method});"
    opening = "<?php\n\nuse Lootkeep\\Client;\n\nrequire 'vendor/autoload.php';"
    return f"{opening}\n\n$client = new Client('{ORIGIN}');\n{act}"
