"""The call with the TypeScript client, which reads the token from LOOTKEEP_TOKEN."""

from __future__ import annotations

from lootkeep.api.http.openapi.client_names import camel_case
from lootkeep.api.http.reference.samples.calls import ORIGIN, Call, Notation, json_text

_NOTATION = Notation(
    "true",
    "false",
    "null",
    ("{ ", " }"),
    ("[", "]"),
    key=lambda name: f"{name if name.isidentifier() else json_text(name)}: ",
    step="  ",
)


def write(call: Call) -> str:
    values = [*call.ids, call.fields] if call.fields else call.ids
    method = f"client.{camel_case(call.client_method)}({', '.join(map(_NOTATION.write, values))})"
    act = (
        f"for await (const row of {method}) {{\n  console.log(row);\n}}"
        if call.is_paged
        else f"const answer = await {method};\nconsole.log(answer);"
    )
    return f'import {{ Client }} from "lootkeep-client";\n\nconst client = new Client("{ORIGIN}");\n{act}'
