"""Forms: each field is declared once, with how it is shown, how it is read and how a stored value is written."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from typing import Any, TypeVar

import msgspec

from lootkeep.console.page import Answer, Visit, url
from lootkeep.domain import inputs
from lootkeep.domain.analytics import midnight, zone
from lootkeep.kernel import money
from lootkeep.kernel.clock import Instant, instant, utc
from lootkeep.kernel.errors import InvalidFields
from lootkeep.kernel.money import Hundredths

MAX_NAME_LENGTH = 255
V = TypeVar("V")
_WHOLE = re.compile(r"-?[0-9]{1,15}")


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
    cards: Sequence[Field] | Mapping[str, Sequence[Field]],
    record: Any,
    *,
    title: str,
    text: str = "",
    submit: str = "Save",
    back: str,
    **more: Any,
) -> Answer:
    """The page of a form; `values` among `more` count before those of the record."""
    grouped = cards if isinstance(cards, Mapping) else {"": cards}
    fields = [item for card in grouped.values() for item in card]
    values = written(visit, fields, record) | more.pop("values", {})
    version = record.updated_at if record is not None else None
    page = {"cards": grouped, "values": values, "version": version, "title": title, "text": text, "submit": submit}
    return page | {"back": url(back), "hidden": {}} | more


# The kinds of values


def text(most: int = MAX_NAME_LENGTH, shown_as: str = "text") -> Kind:
    def parse(text: str, _timezone: str) -> str:
        return _checked(text, len(text) <= most, f"This must not be longer than {most:,} characters.")

    return Kind(parse, type=shown_as, attributes={"maxlength": most})


def amount(least: int = 0, most: int = money.MAX_AMOUNT) -> Kind:
    limits = f"{money.text(Hundredths(least))} to {money.text(Hundredths(most))}"

    def parse(text: str, _timezone: str) -> Hundredths:
        try:
            value = money.parse(text)
        except money.NotMoney:
            value = Hundredths(least - 1)
        return _checked(value, least <= value <= most, f"This must be an amount of {limits}, such as 12.50.")

    missing = "Enter an amount, such as 12.50."
    return Kind(parse, lambda value, _: money.text(value), attributes={"inputmode": "decimal"}, missing=missing)


def whole(least: int, most: int) -> Kind:
    def parse(text: str, _timezone: str) -> int:
        value = int(text) if _WHOLE.fullmatch(text) else least - 1
        return _checked(value, least <= value <= most, f"This must be a whole number of {least:,} to {most:,}.")

    return Kind(parse, attributes={"inputmode": "numeric"}, missing="Enter a whole number.")


def choice(options: Mapping[Any, str], values: Mapping[str, Any] | None = None) -> Kind:
    """One of a few: what is sent of each, and what people read; `values` are what is meant where that is no text."""

    def parse(text: str, _timezone: str) -> Any:
        _checked(text, text in options, "Choose one of the values.")
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
        return _checked(chosen, bool(chosen), missing)

    return Kind(parse, lambda value, _: "\n".join(_decoded(value)), "several", options=options, reads_nothing=True)


def email() -> Kind:
    def parse(text: str, _timezone: str) -> str:
        _checked(text, len(text) <= MAX_NAME_LENGTH, f"This must not be longer than {MAX_NAME_LENGTH} characters.")
        try:
            return inputs.email(text)
        except ValueError:
            raise ValueError("This must be a valid e-mail address.") from None

    return Kind(parse, type="email", attributes={"maxlength": MAX_NAME_LENGTH})


def country(text: str) -> str:
    try:
        return inputs.country(text)
    except ValueError:
        raise ValueError("This must be a country code of two letters, such as KR.") from None


def country_code() -> Kind:
    return Kind(lambda text, _: country(text), attributes={"maxlength": 2})


def words(most: int, max_length: int, parse: Callable[[str], Any] = str) -> Kind:
    """Distinct words, separated by commas."""

    def parse_all(text: str, _timezone: str) -> list[Any]:
        found = list(dict.fromkeys(word.strip() for word in text.replace("\n", ",").split(",") if word.strip()))
        is_short = len(found) <= most and all(len(word) <= max_length for word in found)
        _checked(found, is_short, f"There may be up to {most:,} words of up to {max_length} characters.")
        return [parse(word) for word in found]

    return Kind(parse_all, lambda value, _: ", ".join(str(word) for word in _decoded(value)))


def day(*, is_included: bool = False) -> Kind:
    """When the day begins in the store's zone; when it ends, for a last day that counts."""

    def parse(text: str, timezone: str) -> Instant:
        try:
            return midnight(date.fromisoformat(text) + timedelta(days=is_included), timezone)
        except (ValueError, OverflowError):
            raise ValueError("This must be a day, such as 2026-11-15.") from None

    def write(at: Instant, timezone: str) -> str:
        return utc(Instant(at - is_included)).astimezone(zone(timezone)).date().isoformat()

    return Kind(parse, write, "date")


def time() -> Kind:
    """A time in the store's zone."""

    def parse(text: str, timezone: str) -> Instant:
        try:
            return instant(datetime.fromisoformat(text).replace(tzinfo=zone(timezone)))
        except (ValueError, OverflowError):
            raise ValueError("Enter a date and a time, such as 2026-11-15 14:00.") from None

    return Kind(parse, lambda at, name: f"{utc(at).astimezone(zone(name)):%Y-%m-%dT%H:%M}", "datetime-local")


def _checked(value: V, is_right: bool, sentence: str) -> V:
    if not is_right:
        raise ValueError(sentence)
    return value


def _as_yes(value: object, _timezone: str) -> str:
    return "yes" if value else "no"


def _decoded(value: Any) -> Sequence[Any]:
    """Lists are stored as JSON."""
    words: Sequence[Any] = msgspec.json.decode(value) if isinstance(value, str) else value
    return words
