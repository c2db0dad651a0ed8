"""The search over endpoints, events and guides. page.js has the same rules: both give the same results."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from lootkeep.api.http.guides import contents
from lootkeep.api.http.guides.sections import sections
from lootkeep.api.http.reference.shown import ApiDoc, OperationDoc

MAX_QUERY_CHARACTERS = 200
MAX_RESULTS = 30


class Target(NamedTuple):
    """Something that can be searched for."""

    # Relative to /docs/search.
    url: str
    title: str
    # Where it is: a path of the API, or the page of a section.
    context: str
    # The method of an operation, `event`, or empty for a guide.
    kind: str
    # What its text says beyond that.
    words: str


def targets(api: ApiDoc) -> list[Target]:
    return [*_guides(), *_operations(api)]


def find(every: list[Target], query: str) -> list[Target]:
    """The targets that have all words of the query anywhere: those that have them in the title come first."""
    text = query[:MAX_QUERY_CHARACTERS].lower().strip()
    words = text.split()
    ranks = [(_rank(target, text, words), target) for target in every] if words else []
    return [target for rank, target in sorted(ranks, key=lambda pair: pair[0]) if rank < _NO_MATCH]


_NO_MATCH = 5


def _rank(target: Target, text: str, words: list[str]) -> int:
    title = target.title.lower()
    if title.startswith(text):
        return 0 if title == text else 1
    for rank, haystack in ((2, title), (3, f"{title} {target.context.lower()}")):
        if all(word in haystack for word in words):
            return rank
    haystack = f"{title} {target.context.lower()} {target.words}"
    return 4 if all(word in haystack for word in words) else _NO_MATCH


def _guides() -> Iterator[Target]:
    for path, page in contents.pages().items():
        first, *others = sections(contents.markdown(path))
        yield Target(f"guides/{path}", first.title, " › ".join(page.trail), "", first.words)
        # The first page has nothing but links to others.
        for section in others if path != contents.START else ():
            yield Target(f"guides/{path}#{section.anchor}", section.title, first.title, "", section.words)


def _operations(api: ApiDoc) -> Iterator[Target]:
    for group in api.groups:
        for operation in group.operations:
            url = f"../docs#{operation.anchor}"
            yield Target(url, operation.summary, operation.path, operation.method, _words(operation))
    for event in api.events:
        yield Target(f"../docs#{event.anchor}", event.name, "Events", "event", event.description.lower())


def _words(operation: OperationDoc) -> str:
    fields = [parameter.field for _, parameters in operation.parameters for parameter in parameters]
    fields += operation.body.fields if operation.body else []
    fields += [field for answer in operation.answers for field in answer.fields]
    names = [operation.description, *operation.scopes, *(field.name for field in fields)]
    return " ".join(dict.fromkeys(" ".join(names).lower().split()))
