"""The samples of an operation: one for each language of the table, ready to run."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from lootkeep.api.http.reference.samples import curl, php, python, typescript
from lootkeep.api.http.reference.samples.calls import ORIGIN, Call


class Language(NamedTuple):
    """A tab of the page. `write` returns a whole program, or none if the language has no method for the call."""

    title: str
    key: str
    write: Callable[[Call], str]


LANGUAGES = (
    Language("curl", "shell", curl.write),
    Language("Python", "python", python.write),
    Language("TypeScript", "typescript", typescript.write),
    Language("PHP", "php", php.write),
)


class Sample(NamedTuple):
    title: str
    key: str
    # The server's URL, which only the browser knows, goes between them.
    before: str
    after: str


def samples(call: Call) -> list[Sample]:
    """Only curl can call what is no method of the clients."""
    languages = LANGUAGES if call.client_method else LANGUAGES[:1]
    programs = [(language, language.write(call).partition(ORIGIN)) for language in languages]
    return [Sample(language.title, language.key, before, after) for language, (before, _, after) in programs]
