"""Rows as lines of JSON in their public form, and back, by what the schema says of each column."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import UTC, datetime, timedelta
from typing import Any

import msgspec

from lootkeep.domain.goods import KEY_PURPOSE
from lootkeep.domain.payments.sources import SECRET_PURPOSE as SOURCE_PURPOSE
from lootkeep.domain.webhooks import SECRET_PURPOSE
from lootkeep.engines.card_codes import CODE_PURPOSE
from lootkeep.engines.vault import Vault
from lootkeep.kernel import money
from lootkeep.kernel.clock import Instant, instant
from lootkeep.kernel.money import Hundredths
from lootkeep.storage.transfer.tables import FIELDS, Field, Row

Convert = Callable[[Any], Any]

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
# What a store takes with it that leaves with its secrets; all other sealed values stay sealed.
SECRETS = {
    "gift_cards": {"sealed_code": CODE_PURPOSE},
    "product_keys": {"sealed_key": KEY_PURPOSE},
    "webhooks": {"secret": SECRET_PURPOSE, "previous_secret": SECRET_PURPOSE},
    "payment_sources": {"secret": SOURCE_PURPOSE, "previous_secret": SOURCE_PURPOSE},
}
PLAIN = "_plain"
_TYPES: dict[str, Any] = {
    "document": msgspec.Raw,
    "money": str,
    "instant": int | str,
    "flag": bool,
    "text": str,
    "number": int,
}


class Encoder:
    """Writes the rows of a table; with a vault, each secret is written a second time, in plain."""

    def __init__(self, table: str, vault: Vault | None) -> None:
        self._names = [field.name for field in FIELDS[table]]
        self._converts = [(field.name, _WRITERS[field.kind]) for field in FIELDS[table] if field.kind in _WRITERS]
        self._vault, self._secrets = vault, SECRETS.get(table, {}) if vault else {}
        self._encode = msgspec.json.Encoder().encode

    def lines(self, rows: Iterable[Row]) -> bytes:
        return b"".join(self._line(row) for row in rows)

    def _line(self, row: Row) -> bytes:
        record = dict(zip(self._names, row, strict=True))
        for name, purpose in self._secrets.items():
            assert self._vault
            sealed = record[name]
            record[name + PLAIN] = self._vault.open(sealed, purpose) if sealed else None
        for name, convert in self._converts:
            if record[name] is not None:
                record[name] = convert(record[name])
        return self._encode(record) + b"\n"


class Decoder:
    """Reads them; a line that is no such record raises `msgspec.DecodeError`."""

    def __init__(self, table: str) -> None:
        fields = [(field.name, _type(field)) for field in FIELDS[table]]
        self._decode = msgspec.json.Decoder(msgspec.defstruct(table, fields)).decode
        self._converts = [_READERS.get(field.kind, _same) for field in FIELDS[table]]

    def row(self, line: bytes) -> Row:
        values = msgspec.structs.astuple(self._decode(line))
        pairs = zip(values, self._converts, strict=True)
        return tuple(value if value is None else convert(value) for value, convert in pairs)


def _type(field: Field) -> Any:
    kind = _TYPES[field.kind]
    return kind | None if field.is_optional else kind


def _written_time(value: int) -> datetime | int:
    """A time that no calendar has stays a number."""
    try:
        return _EPOCH + timedelta(microseconds=value)
    except OverflowError:
        return value


def _read_time(value: int | str) -> Instant:
    return instant(datetime.fromisoformat(value)) if isinstance(value, str) else Instant(value)


def _read_money(value: str) -> Hundredths:
    return Hundredths(int(value.replace(".", "")))


def _written_document(text: str) -> msgspec.Raw | str:
    """As part of the line, with the same bytes; a text that is no JSON object or array on one line stays a text."""
    if text[:1] in "[{" and text[-1:] in "]}" and "\n" not in text:
        try:
            return msgspec.json.decode(text, type=msgspec.Raw)
        except msgspec.DecodeError:
            pass
    return text


def _read_document(raw: msgspec.Raw) -> str:
    text = bytes(raw).decode()
    return msgspec.json.decode(text, type=str) if text.startswith('"') else text


def _same(value: Any) -> Any:
    return value


_WRITERS: dict[str, Convert] = {"instant": _written_time, "money": money.text, "document": _written_document}
_READERS: dict[str, Convert] = {"instant": _read_time, "money": _read_money, "document": _read_document}
