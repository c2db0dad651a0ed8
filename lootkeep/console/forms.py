"""Forms: each field is declared once, with how it is shown, how it is read and how a stored value is written."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import msgspec

from lootkeep.console.page import Answer, Handler, Page, Visit, change, url
from lootkeep.domain import inputs
from lootkeep.domain.accounts import Role
from lootkeep.domain.analytics import zone
from lootkeep.kernel import money
from lootkeep.kernel.clock import Instant, utc
from lootkeep.kernel.errors import InvalidFields

MAX_NAME_LENGTH = 255


def _as_text(value: Any, _timezone: str) -> str:
    return str(value)


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of value: read from a text and the store's zone (ValueError says what to enter), and written as one."""

    read: Callable[[str, str], Any]
    write: Callable[[Any, str], str] = _as_text
    type: str = "text"
    attributes: Mapping[str, Any] = field(default_factory=dict)
    # The values there are, with what people read.
    options: Mapping[Any, str] | None = None
    # Nothing is a value, too.
    reads_nothing: bool = False
    # What an empty field says when it must not be empty.
    missing: str = "This must not be empty."


@dataclass(frozen=True, slots=True)
class Field:
    name: str
    label: str
    kind: Kind
    hint: str = ""
    is_required: bool = False
    # What a form for a new record shows.
    default: str = ""
    placeholder: str = ""

    @property
    def attributes(self) -> dict[str, Any]:
        shown = {"required": self.is_required or None, "placeholder": self.placeholder or None}
        return dict(self.kind.attributes) | {name: value for name, value in shown.items() if value is not None}

    def read(self, text: str, timezone: str) -> Any:
        if not text and not self.kind.reads_nothing:
            if self.is_required:
                raise ValueError(self.kind.missing)
            return None
        return self.kind.read(text, timezone)

    def write(self, value: Any, timezone: str) -> str:
        return "" if value is None else self.kind.write(value, timezone)


# The fields of a form, by the cards that they are on when there are several.
Fields = Sequence[Field] | Mapping[str, Sequence[Field]]


def read(visit: Visit, fields: Sequence[Field], sent: Mapping[str, str] | None = None) -> dict[str, Any]:
    """The values of a form, or everything that is wrong with it."""
    values: dict[str, Any] = {}
    errors: dict[str, list[str]] = {}
    for item in fields:
        text = (visit.form if sent is None else sent).get(item.name, "").strip()
        try:
            values[item.name] = item.read(text, visit.options.timezone)
        except ValueError as wrong:
            errors[item.name] = [str(wrong)]
    if errors:
        raise InvalidFields(errors)
    return values


def written(visit: Visit, fields: Sequence[Field], record: object) -> dict[str, str]:
    """What the fields show of a record; without one, of a new one."""
    if record is None:
        return {item.name: item.default for item in fields}
    return {item.name: item.write(getattr(record, item.name, None), visit.options.timezone) for item in fields}


def show(
    visit: Visit,
    cards: Fields,
    record: Any,
    *,
    title: str,
    text: str = "",
    submit: str = "Save",
    back: str,
    **more: Any,
) -> dict[str, Any]:
    """The page of a form.

    Among `more`, `values` count before those of the record, and `actions` are buttons: a path, a text and a look.
    """
    grouped = cards if isinstance(cards, Mapping) else {"": cards}
    fields = [item for card in grouped.values() for item in card]
    values = written(visit, fields, record) | more.pop("values", {})
    version = record.updated_at if record is not None else None
    page = {"cards": grouped, "values": values, "version": version, "title": title, "text": text, "submit": submit}
    return page | {"back": url(back), "hidden": {}, "actions": (), "state": "", "look": "main", "leave": "Back"} | more


def new(cards: Fields, *, submit: str = "Create", **page: str) -> Handler:
    """The handler of a form that creates a record."""

    async def handler(visit: Visit) -> Answer:
        return show(visit, cards, None, submit=submit, **page)

    return handler


def rows(
    path: str,
    title: str,
    show: Handler,
    save: Handler,
    action: str | None = None,
    *,
    template: str = "form.html",
    role: Role = "staff",
    is_foreign: bool = False,
) -> tuple[Page, Page]:
    """The rows of a form's page and of its change; `action` is what the log calls the change, if not the title."""
    page = Page("GET", path, role, title, show, template)
    return page, change(path, action or title, save, (template, show), role=role, is_foreign=is_foreign)


# The kinds of values


def text(most: int = MAX_NAME_LENGTH, shown_as: str = "text") -> Kind:
    return Kind(lambda text, _: inputs.short_text(text, most), type=shown_as, attributes={"maxlength": most})


def amount(least: int = 0, most: int = money.MAX_AMOUNT) -> Kind:
    return Kind(
        lambda text, _: inputs.amount(text, least, most),
        lambda value, _: money.text(value),
        attributes={"inputmode": "decimal"},
        missing="Enter an amount, such as 12.50.",
    )


def whole(least: int, most: int) -> Kind:
    attributes, missing = {"inputmode": "numeric"}, "Enter a whole number."
    return Kind(lambda text, _: inputs.whole(text, least, most), attributes=attributes, missing=missing)


def choice(options: Mapping[Any, str], values: Mapping[str, Any] | None = None) -> Kind:
    """One of a few: what is sent of each, and what people read; `values` are what is meant where that is no text."""

    def parse(text: str, _timezone: str) -> Any:
        if text not in options:
            raise ValueError("Choose one of the values.")
        return values.get(text) if values else text or None

    return Kind(parse, _as_yes if values else _as_text, options=options, type="select", reads_nothing=True)


def yes_or_no(yes: str, no: str, neither: str | None = None) -> Kind:
    options = {"": neither} if neither else {}
    return choice(options | {"yes": yes, "no": no}, {"yes": True, "no": False})


def switch() -> Kind:
    """A box that is ticked; one that is not sends nothing."""
    return Kind(lambda text, _: text == "yes", _as_yes, "checkbox", reads_nothing=True)


def several(options: Mapping[Any, str], missing: str) -> Kind:
    """Some of the options, each with a text."""

    def parse(text: str, _timezone: str) -> list[str]:
        chosen = [name for name in text.split("\n") if name in options]
        if not chosen:
            raise ValueError(missing)
        return chosen

    return Kind(parse, lambda value, _: "\n".join(_decoded(value)), "several", options=options, reads_nothing=True)


def parsed(parse: Callable[[str], Any], sentence: str, shown_as: str = "text") -> Kind:
    """What a function reads; the sentence is for what it refuses."""

    def parse_text(text: str, _timezone: str) -> Any:
        try:
            return parse(text)
        except ValueError:
            raise ValueError(sentence) from None

    return Kind(parse_text, type=shown_as, attributes={"maxlength": MAX_NAME_LENGTH})


COUNTRY = parsed(inputs.country, "This must be a country code of two letters, such as KR.")
EMAIL = parsed(inputs.email, "This must be a valid e-mail address.", "email")


def words(most: int, max_length: int, kind: Kind | None = None) -> Kind:
    """Distinct words, separated by commas, each of the kind."""

    def parse(text: str, timezone: str) -> list[Any]:
        found = inputs.words(text, most, max_length)
        return [kind.read(word, timezone) for word in found] if kind else found

    return Kind(parse, lambda value, _: ", ".join(str(word) for word in _decoded(value)))


def day(*, is_included: bool = False) -> Kind:
    """When the day begins in the store's zone; when it ends, for a last day that counts."""

    def write(at: Instant, timezone: str) -> str:
        return utc(Instant(at - is_included)).astimezone(zone(timezone)).date().isoformat()

    return Kind(lambda text, timezone: inputs.day(text, timezone, is_included=is_included), write, "date")


def time() -> Kind:
    """A time in the store's zone."""
    return Kind(inputs.time, lambda at, name: f"{utc(at).astimezone(zone(name)):%Y-%m-%dT%H:%M}", "datetime-local")


def _as_yes(value: object, _timezone: str) -> str:
    return "yes" if value else "no"


def _decoded(value: Any) -> Sequence[Any]:
    """Lists are stored as JSON."""
    words: Sequence[Any] = msgspec.json.decode(value) if isinstance(value, str) else value
    return words
