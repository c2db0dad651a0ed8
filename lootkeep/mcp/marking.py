"""What leaves in an answer: personal data is masked, and text of buyers and other outsiders is marked as data."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from ipaddress import ip_address
from typing import Any

import msgspec

from lootkeep.console.masking import mask as mask_emails
from lootkeep.views.analytics import TopCustomerView
from lootkeep.views.customers import CustomerView
from lootkeep.views.fraud import CheckCustomerView
from lootkeep.views.linked_accounts import EdgeView, HubView, LinkedAccountView
from lootkeep.views.orders import OrderCustomerView
from lootkeep.views.players import PlayerView
from lootkeep.views.referrals import CodeOwnerView

# The key under which an answer has text that someone outside wrote. JSON ends it, so no text can end it itself.
MARK = "buyer_text"
HIDDEN = "***"
# In bytes of JSON: a few thousand words.
MAX_ANSWER = 60_000
_MAX_TEXT = 4_000
# Entries of each list, the first that lets an answer fit.
_SIZES = (100, 50, 20, 10, 5, 2)


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


# Fields that say who someone is, in every view.
PERSONAL = _words(
    "email recipient_email sent_to ip_address user_agent username recipient_name sender_name detected_city "
    "bin instrument_id author_name"
)
_EMAILS = frozenset({"email", "recipient_email", "sent_to"})
# Fields that do so in the views of people and of what they share.
PERSONAL_OF: dict[type, tuple[str, ...]] = {
    CheckCustomerView: ("name",),
    CodeOwnerView: ("name",),
    CustomerView: ("name", "external_id"),
    EdgeView: ("value",),
    HubView: ("value",),
    LinkedAccountView: ("name",),
    OrderCustomerView: ("name",),
    PlayerView: ("id", "name"),
    TopCustomerView: ("name",),
}
# Fields whose text was written by buyers, receivers and game servers, or quotes them.
OUTSIDE = _words(
    "subject body message note notes review_notes reason cancel_reason status_reason revoke_reason "
    "fulfillment_note tags metadata text output facts fact response_excerpt external_id payment_method "
    "transaction_id reference"
)
_IP = re.compile(r"(?<![\w.:])[0-9A-Fa-f]*[.:][0-9A-Fa-f.:]+")
# Invisible characters could hide text from people that a model reads.
_INVISIBLE = frozenset({"Cc", "Cf", "Co", "Cs", "Cn"})


def encode(value: Any, *, has_personal_data: bool) -> str:
    """The answer as JSON that fits; what was left out is counted."""
    names = () if has_personal_data else _personal_values(value)
    text = ""
    for size in _SIZES:
        text = msgspec.json.encode(_Marking(names, size, has_personal_data=has_personal_data).mark(value)).decode()
        if len(text) <= MAX_ANSWER:
            break
    return text


class _Marking:
    def __init__(self, names: Sequence[str], size: int, *, has_personal_data: bool) -> None:
        self._has_personal_data = has_personal_data
        self._size = size
        self._max_text = _MAX_TEXT * size // _SIZES[0]
        longest_first = "|".join(sorted(map(re.escape, names), key=len, reverse=True))
        self._names = re.compile(rf"(?<!\w)(?:{longest_first})(?!\w)", re.IGNORECASE) if names else None

    def mark(self, value: Any, name: str = "", *, is_personal: bool = False) -> Any:
        match value:
            case str():
                return self._text(value, name, is_personal=is_personal)
            case msgspec.Raw():
                return self._text(bytes(value).decode(), name, is_personal=is_personal)
            case datetime():
                return value
            case msgspec.Struct():
                return {key: self.mark(each, key, is_personal=personal) for key, each, personal in _fields(value)}
            case Mapping():
                # Keys of metadata and the like are no names of fields: what holds for the whole holds for its parts.
                outer = name if name in OUTSIDE else ""
                return {key: self.mark(each, outer or key, is_personal=key in PERSONAL) for key, each in value.items()}
            case Sequence():
                rest = len(value) - self._size
                listed = [self.mark(each, name, is_personal=is_personal) for each in value[: self._size]]
                return [*listed, f"{rest} more are left out; ask for less at a time."] if rest > 0 else listed
        return value

    def _text(self, text: str, name: str, *, is_personal: bool) -> Any:
        if is_personal and not self._has_personal_data:
            return mask_emails(text) if name in _EMAILS else HIDDEN
        text = text if self._has_personal_data else _IP.sub(_hidden_ip, mask_emails(text))
        if not is_personal and name not in OUTSIDE:
            return self._cut(text)
        return {MARK: self._cut(_visible(self._names.sub(HIDDEN, text) if self._names else text))}

    def _cut(self, text: str) -> str:
        rest = len(text) - self._max_text
        return f"{text[: self._max_text]}… ({rest} more characters)" if rest > 0 else text


def _fields(view: msgspec.Struct) -> Iterator[tuple[str, Any, bool]]:
    """The fields of a view as they are written, each with whether it is personal."""
    own = {name for kind in type(view).__mro__ for name in PERSONAL_OF.get(kind, ())}
    for field in msgspec.structs.fields(view):
        value = getattr(view, field.name)
        if value is not msgspec.UNSET:
            yield field.encode_name, value, field.name in own or field.name in PERSONAL


def _personal_values(value: Any) -> list[str]:
    """Everything personal in an answer, which its other texts may quote."""
    return sorted({text for text in _personal_texts(value) if len(text) > 1})


def _personal_texts(value: Any, *, is_personal: bool = False) -> Iterator[str]:
    if isinstance(value, str):
        if is_personal:
            yield value
    elif isinstance(value, msgspec.Struct):
        for _, each, personal in _fields(value):
            yield from _personal_texts(each, is_personal=personal)
    elif isinstance(value, Mapping):
        for key, each in value.items():
            yield from _personal_texts(each, is_personal=key in PERSONAL)
    elif isinstance(value, Sequence) and not isinstance(value, bytes | msgspec.Raw):
        for each in value:
            yield from _personal_texts(each, is_personal=is_personal)


def _hidden_ip(match: re.Match[str]) -> str:
    text = match[0].rstrip(".:")
    try:
        ip_address(text)
    except ValueError:
        return match[0]
    return HIDDEN + match[0][len(text) :]


def _visible(text: str) -> str:
    return "".join(sign for sign in text if sign in "\n\t" or unicodedata.category(sign) not in _INVISIBLE)
