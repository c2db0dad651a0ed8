"""The form of a campaign: its fields, whom it is for, and what was wrong with them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime
from typing import Any

from lootkeep.domain import inputs
from lootkeep.domain.analytics import midnight, zone
from lootkeep.domain.campaigns import MAX_CUSTOMERS, Audience, Campaign, SegmentFilters, audience_of
from lootkeep.kernel import money
from lootkeep.kernel.clock import Instant, instant, utc
from lootkeep.kernel.errors import InvalidFields, invalid

MAX_TEXT = 255
_YES = {"yes": True, "no": False}
AUDIENCES = {
    "all": "Everyone who accepts marketing",
    "segment": "A segment: everyone who meets all conditions",
    "customers": "Customers by their ids",
}
# Each text of the mail: what it is called, and whether there has to be one.
_TEXTS = {"name": True, "subject": True, "preview_text": False, "from_name": False, "reply_to": False}


@dataclass(frozen=True, slots=True)
class Condition:
    """A filter of a segment as a field: how its text is read (ValueError when it cannot be) and written."""

    label: str
    hint: str
    read: Callable[[str, str], Any]
    write: Callable[[Any, str], str]
    type: str = "text"


def _words(text: str) -> list[str]:
    return [word.strip() for word in text.replace("\n", ",").split(",") if word.strip()]


def _ids(text: str) -> tuple[int, ...]:
    numbers = tuple(_count(word) for word in _words(text))
    if 0 in numbers:
        raise ValueError("not an id")
    return numbers


def _count(text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) < 19):
        raise ValueError("not a number")
    return int(text)


def _amount(text: str) -> int:
    try:
        amount = money.parse(text)
    except money.NotMoney:
        raise ValueError("not an amount") from None
    if amount < 0:
        raise ValueError("less than nothing")
    return amount


def _tag(word: str) -> str:
    if len(word) > 64:
        raise ValueError("too long")
    return word


def _joined(values: Any, _: str) -> str:
    return ", ".join(str(value) for value in values)


def _day(text: str, timezone: str) -> Instant:
    return midnight(date.fromisoformat(text), timezone)


def _written_day(at: Instant, timezone: str) -> str:
    return f"{utc(at).astimezone(zone(timezone)):%Y-%m-%d}"


def _day_condition(label: str) -> Condition:
    return Condition(label, "", _day, _written_day, "date")


CONDITIONS = {
    "countries": Condition(
        "Countries",
        "Codes such as DE, AT",
        lambda text, _: tuple(inputs.country(word) for word in _words(text)),
        _joined,
    ),
    "tags": Condition(
        "Tags",
        "With one of these, separated by commas",
        lambda text, _: tuple(_tag(word) for word in _words(text)),
        _joined,
    ),
    "min_orders": Condition("Paid orders, at least", "", lambda text, _: _count(text), lambda value, _: str(value)),
    "min_total_spent": Condition(
        "Spent, at least", "", lambda text, _: _amount(text), lambda value, _: money.text(value)
    ),
    "product_ids": Condition(
        "Bought one of the products", "Ids, separated by commas", lambda text, _: _ids(text), _joined
    ),
    "last_order_before": _day_condition("Last order before"),
    "last_order_after": _day_condition("Last order on or after"),
    "registered_from": _day_condition("Signed up on or after"),
    "registered_to": _day_condition("Signed up before the end of"),
    "is_referrer": Condition(
        "Has referred somebody",
        "yes, no, or empty",
        lambda text, _: _YES[text.lower()],
        lambda value, _: "yes" if value else "no",
    ),
}


def read(form: Mapping[str, str], timezone: str) -> dict[str, Any]:
    """The fields of the campaign, or everything that is wrong with them."""
    errors: dict[str, list[str]] = {}
    fields: dict[str, Any] = {}
    for name, is_required in _TEXTS.items():
        fields[name] = form.get(name, "").strip() or None
        if is_required and fields[name] is None:
            errors[name] = ["This is needed."]
        elif len(fields[name] or "") > MAX_TEXT:
            errors[name] = [f"This must not be longer than {MAX_TEXT} characters."]
    if fields["reply_to"]:
        try:
            fields["reply_to"] = inputs.email(fields["reply_to"])
        except ValueError:
            errors["reply_to"] = ["This is not an e-mail address."]
    for name in ("body_html", "body_text"):
        fields[name] = form.get(name, "") if form.get(name, "").strip() else None
    fields["audience"] = _audience(form, timezone, errors)
    if errors:
        raise InvalidFields(errors)
    return fields


def _audience(form: Mapping[str, str], timezone: str, errors: dict[str, list[str]]) -> Audience:
    kind: Any = form.get("audience", "all")
    if kind not in AUDIENCES:
        errors["audience"] = ["Choose one of these."]
    ids: tuple[int, ...] = ()
    filters: dict[str, Any] = {}
    if kind == "customers":
        try:
            ids = _ids(form.get("customer_ids", ""))
        except ValueError:
            errors["customer_ids"] = ["These are not ids: numbers, separated by commas."]
        if "customer_ids" not in errors and not 0 < len(ids) <= MAX_CUSTOMERS:
            errors["customer_ids"] = [f"Name 1 to {MAX_CUSTOMERS:,} customers."]
    if kind == "segment":
        for name, condition in CONDITIONS.items():
            text = form.get(name, "").strip()
            try:
                if text:
                    filters[name] = condition.read(text, timezone)
            except (ValueError, KeyError, OverflowError):
                errors[name] = ["This cannot be read."]
        if not filters and not errors:
            errors["audience"] = ["A segment needs at least one condition."]
    return Audience(kind, ids, SegmentFilters(**filters))


def values(campaign: Campaign, timezone: str) -> dict[str, str]:
    """What the form shows of a campaign."""
    audience = audience_of(campaign)
    shown = {name: getattr(campaign, name) or "" for name in (*_TEXTS, "body_html")}
    shown["body_text"] = "" if campaign.is_text_derived else campaign.body_text or ""
    shown |= {"audience": audience.type, "customer_ids": _joined(audience.customer_ids, "")}
    for name, condition in CONDITIONS.items():
        value = getattr(audience.filters, name)
        shown[name] = "" if value is None else condition.write(value, timezone)
    return shown


def send_time(text: str | None, timezone: str) -> Instant | None:
    """A time of the store's zone; None is now."""
    if text is None:
        return None
    try:
        return instant(datetime.fromisoformat(text).replace(tzinfo=zone(timezone)).astimezone(UTC))
    except (ValueError, OverflowError):
        raise invalid("scheduled_at", "This is not a time.") from None
