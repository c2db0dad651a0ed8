"""Records as e-mails: two templates for each kind, plain text with the subject on its first line, and HTML."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined, select_autoescape

from lootkeep.domain.emails import NewEmail, one_line

_SUBJECT = "Subject: "


def render(
    kind: str,
    to_email: str,
    to_name: str,
    *,
    from_name: str | None = None,
    reply_to: str | None = None,
    **values: Any,
) -> NewEmail:
    """The e-mail of `KIND.txt` and `KIND.html`. Values go in as they are into the text, and escaped into the HTML."""
    first, _, text = _environment().get_template(f"{kind}.txt").render(values).partition("\n")
    if not first.startswith(_SUBJECT):
        raise ValueError(f"{kind}.txt must begin with `{_SUBJECT}`")
    return NewEmail(
        kind=kind,
        to_email=to_email,
        to_name=one_line(to_name),
        subject=one_line(first.removeprefix(_SUBJECT)),
        text=text.strip() + "\n",
        html=_environment().get_template(f"{kind}.html").render(values),
        from_name=None if from_name is None else one_line(from_name),
        reply_to=reply_to,
    )


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=FileSystemLoader(Path(__file__).parent),
        # Only what is HTML is escaped: in plain text `&amp;` would be read as it is.
        autoescape=select_autoescape(["html"]),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["one_line"] = one_line
    return environment
