"""Forms: each field is declared once, with how it is shown, how it is read and how a stored value is written."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from typing import Any

import msgspec
from markupsafe import Markup, escape

from lootkeep.console import masking
from lootkeep.console.formats import country, day_of
from lootkeep.console.page import Answer, Handler, Page, Visit, change, url
from lootkeep.domain import inputs as inputs_rules
from lootkeep.domain.analytics import zone
from lootkeep.domain.codes import country_code
from lootkeep.domain.roles import Scope
from lootkeep.kernel import money
from lootkeep.kernel.clock import Instant, in_zone
from lootkeep.kernel.errors import InvalidFields

MAX_NAME_LENGTH = 255
# Bytes of all values of a form, so that no page is large.
_MAX_SHOWN = 60_000


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of value: read from a text and the store's zone (ValueError says what to enter), and written as one."""

    read: Callable[[str, str], Any]
    write: Callable[[Any, str], str] = lambda value, _timezone: str(value)
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
        options = {"required": self.is_required or None, "placeholder": self.placeholder or None}
        return dict(self.kind.attributes) | {name: value for name, value in options.items() if value is not None}

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


def flat(fields: Fields) -> Sequence[Field]:
    return [item for card in fields.values() for item in card] if isinstance(fields, Mapping) else fields


def read(visit: Visit, fields: Fields) -> dict[str, Any]:
    """The values of a form, or everything that is wrong with it; what stays as it is stored is left out."""
    values: dict[str, Any] = {}
    errors: dict[str, list[str]] = {}
    kept = visit.form.get("kept", "").split("\n")
    for item in flat(fields):
        text = visit.form.get(item.name, "").strip()
        if (not text and item.name in kept) or (item.kind is EMAIL and masking.stays(visit, text)):
            continue
        try:
            masking.check_typed(visit, text)
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


def show(visit: Visit, cards: Fields, record: Any, *, title: str, back: str, **more: Any) -> dict[str, Any]:
    """The page of a form.

    Among `more`, `values` count before those of the record, and `actions` are buttons: a path, a text and a look.
    Fields that are `kept`, and those that are too long for a page, stay as they are when nothing is entered.
    """
    kept, room = [*more.pop("kept", ())], _MAX_SHOWN
    values = written(visit, flat(cards), record) | more.pop("values", {}) | dict.fromkeys(kept, "")
    for name in sorted(values, key=lambda name: len(values[name])):
        size = len(escape(values[name]).encode())
        if size > room:
            kept.append(name)
        room -= size
    grouped = cards if isinstance(cards, Mapping) else {"": cards}
    page = {
        "cards": {
            title: [_kept(item, values[item.name]) if item.name in kept else item for item in card]
            for title, card in grouped.items()
        },
        "values": values | dict.fromkeys(kept, ""),
        "kept": kept,
        "whole": {name: values[name] for name in kept},
        "version": record.updated_at if record is not None else None,
        "back": url(back),
    }
    words = {"title": title, "text": "", "submit": "Save", "look": "main", "leave": "Back", "state": ""}
    return page | words | {"hidden": {}, "actions": ()} | more


def _kept(item: Field, text: str) -> Field:
    stored = Markup('<a href="?whole={}" download>what is stored</a>').format(item.name) if text else "what is stored"
    return replace(item, is_required=False, hint=Markup("{} Empty leaves {} as it is.").format(item.hint, stored))


def differences(visit: Visit, values: Mapping[str, Any]) -> list[tuple[str, str, str]]:
    """Of the form on a page: the label, what is stored and what was typed, where that is not the same."""
    items = flat(values.get("cards") or values.get("edited") or values.get("fields") or ())
    # A box that is not ticked sends nothing. Nor does another form of the page, or what the environment fixes.
    boxes = ("checkbox", "several", "sentences") if any(item.name in visit.form for item in items) else ()
    passed_over = [*visit.form.get("kept", "").split("\n"), *values.get("fixed", ())]
    rows = []
    for item in items:
        stored = values["values"].get(item.name, "")
        typed = visit.form.get(item.name, "no" if item.kind.type == "checkbox" else "").strip()
        if (item.name in visit.form or item.kind.type in boxes) and item.name not in passed_over and typed != stored:
            rows.append((item.label, _words(visit, item, stored), _words(visit, item, typed)))
    return rows


def _words(visit: Visit, item: Field, text: str) -> str:
    """As pages show it: amounts in the store's currency, days and times in its zone, options by their names."""
    if item.kind.options is not None:
        return ", ".join(str(item.kind.options.get(part) or part) for part in text.split("\n"))
    try:
        if text and item.kind.attributes.get("inputmode") == "decimal":
            return visit.formats.money(item.read(text, visit.options.timezone))
        if text and item.kind.type == "datetime-local":
            return visit.formats.time(item.read(text, visit.options.timezone))
        if item.kind.type == "country":
            return country(text)
        return day_of(date.fromisoformat(text)) if text and item.kind.type == "date" else text
    except ValueError:
        return text


def new(cards: Fields, **texts: str) -> Handler:
    """The handler of a form that creates a record. The address may fill in fields by their names."""

    async def handler(visit: Visit) -> Answer:
        page = {"title": visit.page.title, "submit": "Create", "back": visit.page.path.removesuffix("/new")}
        filled = {item.name: visit.query[item.name] for item in flat(cards) if item.name in visit.query}
        return show(visit, cards, None, values=filled, **(page | texts))

    return handler


def rows(
    path: str, scope: Scope, title: str, show: Handler, save: Handler, action: str = "", **options: Any
) -> tuple[Page, Page]:
    """The rows of a form's page and of its change; `action` is what the log calls the change, if not the title."""
    page = Page("GET", path, scope, title, show, "form.html")
    return page, change(path, scope, action or title, save, **options)


# The kinds of values


def text(most: int = MAX_NAME_LENGTH, shown_as: str = "text") -> Kind:
    return Kind(lambda text, _: inputs_rules.short_text(text, most), type=shown_as, attributes={"maxlength": most})


def amount(least: int = 0, most: int = money.MAX_AMOUNT) -> Kind:
    return Kind(
        lambda text, _: inputs_rules.amount(text, least, most),
        lambda value, _: money.text(value),
        attributes={"inputmode": "decimal"},
        missing="Enter an amount, such as 12.50.",
    )


def whole(least: int, most: int) -> Kind:
    attributes, missing = {"inputmode": "numeric"}, "Enter a whole number."
    return Kind(lambda text, _: inputs_rules.whole(text, least, most), attributes=attributes, missing=missing)


ID = whole(1, 10**15 - 1)


def choice(options: Mapping[Any, str]) -> Kind:
    """One of a few: what is sent of each, and what people read."""

    def parse(text: str, _timezone: str) -> str | None:
        if text not in options:
            raise ValueError("Choose one of the values.")
        return text or None

    return Kind(parse, options=options, type="select", reads_nothing=True)


def yes_or_no(yes: str, no: str, neither: str | None = None) -> Kind:
    kind = choice(({"": neither} if neither else {}) | {"yes": yes, "no": no})
    return replace(kind, read=lambda *text: {"yes": True, "no": False}.get(kind.read(*text)), write=_as_yes)


def switch() -> Kind:
    """A box that is ticked; one that is not sends nothing."""
    return Kind(lambda text, _: text == "yes", _as_yes, "checkbox", reads_nothing=True)


def several(options: Mapping[Any, str], missing: str, kind: str = "several") -> Kind:
    """Some of the options, each with a text, which says enough without the option if the kind is `sentences`."""

    def parse(text: str, _timezone: str) -> list[str]:
        chosen = [name for name in text.split("\n") if name in options]
        if not chosen:
            raise ValueError(missing)
        return chosen

    return Kind(parse, lambda value, _: "\n".join(_decoded(value)), kind, options=options, reads_nothing=True)


def parsed(parse: Callable[[str], Any], sentence: str, shown_as: str = "text") -> Kind:
    """What a function reads; the sentence is for what it refuses."""

    def parse_text(text: str, _timezone: str) -> Any:
        try:
            return parse(text)
        except ValueError:
            raise ValueError(sentence) from None

    return Kind(parse_text, type=shown_as, attributes={"maxlength": MAX_NAME_LENGTH})


COUNTRY = parsed(country_code, "This must be a country, or its code of two letters, such as KR.", "country")
EMAIL = parsed(inputs_rules.email, "This must be a valid e-mail address.", "email")


def words(most: int, max_length: int, kind: Kind | None = None) -> Kind:
    """Distinct words, separated by commas, each of the kind."""

    def parse(text: str, timezone: str) -> tuple[Any, ...]:
        listed = inputs_rules.words(text, most, max_length)
        return tuple(dict.fromkeys(kind.read(word, timezone) for word in listed)) if kind else tuple(listed)

    return Kind(parse, lambda value, _: ", ".join(str(word) for word in _decoded(value)))


def tags(most: int, max_length: int, each: Kind | None = None) -> Kind:
    """Words that are stored as JSON."""
    kind = words(most, max_length, each)
    return replace(kind, read=lambda *text: msgspec.json.encode(kind.read(*text)).decode(), reads_nothing=True)


def day(*, is_included: bool = False) -> Kind:
    """When the day begins in the store's zone; when it ends, for a last day that counts."""

    def write(at: Instant, timezone: str) -> str:
        return in_zone(Instant(at - is_included), zone(timezone)).date().isoformat()

    return Kind(lambda text, timezone: inputs_rules.day(text, timezone, is_included=is_included), write, "date")


def time() -> Kind:
    """A time in the store's zone."""
    return Kind(inputs_rules.time, lambda at, name: f"{in_zone(at, zone(name)):%Y-%m-%dT%H:%M}", "datetime-local")


def _as_yes(value: object, _timezone: str) -> str:
    return "yes" if value else "no"


def _decoded(value: Any) -> Sequence[Any]:
    """Lists are stored as JSON."""
    words: Sequence[Any] = msgspec.json.decode(value) if isinstance(value, str) else value
    return words
