"""The dialect of a file: its delimiter, its encoding, and its formats of times, amounts and names."""

from __future__ import annotations

import codecs
import csv
import ipaddress
import re
from collections.abc import Iterable
from datetime import UTC, datetime
from decimal import Decimal
from enum import StrEnum

import msgspec

from lootkeep.domain import identity as identity_rules
from lootkeep.domain.codes import countries, three_letter_codes
from lootkeep.kernel.clock import SECOND, Instant, instant


class Encoding(StrEnum):
    utf_8 = "utf-8"
    utf_16 = "utf-16"
    windows_1252 = "windows-1252"


class Delimiter(StrEnum):
    comma = "comma"
    semicolon = "semicolon"
    tab = "tab"

    @property
    def character(self) -> str:
        return {"comma": ",", "semicolon": ";", "tab": "\t"}[self]


# At least nine digits: eight are a date without hyphens. Thirteen are milliseconds.
_UNIX_SECONDS = re.compile(r"[0-9]{9,11}(\.[0-9]+)?")
_UNIX_MILLISECONDS = re.compile(r"[0-9]{13}")
# `2024-05-01 10:00:00 +0200`, as shops write it; ISO 8601 has no space there.
_ZONE = re.compile(r"\s*(UTC|GMT|[+-][0-9]{2}:?[0-9]{2})$")
# With dots, the day comes first.
_DAY_FIRST = re.compile(r"([0-9]{1,2})\.([0-9]{1,2})\.([0-9]{4})(.*)")
_IP_NUMBER = re.compile(r"[0-9]+(\.[0-9]*)?([eE]\+?[0-9]{1,2})?")
_MAX_IPV4 = 2**32 - 1
_THOUSANDS = re.compile(r"[0-9]{1,3}(\.[0-9]{3})+(,[0-9]+)?")
BOOLEANS = dict.fromkeys(("true", "yes", "y", "1"), True) | dict.fromkeys(("false", "no", "n", "0"), False)
# As ISO names countries, and as everyone else does, where that is not their usual English name.
_OTHER_NAMES = """
BO Bolivia, Plurinational State of | BQ Bonaire, Sint Eustatius and Saba | BN Brunei Darussalam | CV Cabo Verde
CG Congo | CD Congo, Democratic Republic of the | CI Côte d'Ivoire | FK Falkland Islands (Malvinas)
HM Heard Island and McDonald Islands | VA Holy See | HK Hong Kong | IR Iran, Islamic Republic of
KP Korea, Democratic People's Republic of | KR Korea, Republic of | LA Lao People's Democratic Republic | MO Macao
FM Micronesia, Federated States of | MD Moldova, Republic of | MM Myanmar | NR Naoero | PS Palestine, State of
PS Palestine | PN Pitcairn | RU Russian Federation | SH Saint Helena, Ascension and Tristan da Cunha
MF Saint Martin (French part) | VC Saint Vincent and the Grenadines | ST Sao Tome and Principe
SX Sint Maarten (Dutch part) | GS South Georgia and the South Sandwich Islands | SY Syrian Arab Republic
TW Taiwan, Province of China | TZ Tanzania, United Republic of | GB UK | XK XKX
GB United Kingdom of Great Britain and Northern Ireland | US United States of America
UM United States Minor Outlying Islands | VE Venezuela, Bolivarian Republic of | VN Viet Nam
VG Virgin Islands, British | VI Virgin Islands, U.S.
"""
_COUNTRIES: dict[str, str] = (
    dict(three_letter_codes())
    | {name.upper(): code for code, name in countries().items()}
    | {name.replace("&", "and").replace("St.", "Saint").upper(): code for code, name in countries().items()}
    | {code: code for code in countries()}
    | {entry[3:].upper(): entry[:2] for line in _OTHER_NAMES.strip().split("\n") for entry in line.split(" | ")}
)


class Dialect(msgspec.Struct, frozen=True):
    """Parsers raise ValueError or KeyError for unknown formats."""

    delimiter: Delimiter = Delimiter.comma
    encoding: Encoding = Encoding.utf_8
    # Starts with a byte order mark, as spreadsheets write it.
    has_byte_order_mark: bool = False

    def time(self, text: str) -> Instant:
        """ISO 8601 with or without a zone, a day, `31.12.2024 10:00`, Unix seconds or milliseconds; else UTC."""
        if _UNIX_SECONDS.fullmatch(text):
            return Instant(int(Decimal(text) * SECOND))
        if _UNIX_MILLISECONDS.fullmatch(text):
            return Instant(int(text) * (SECOND // 1000))
        if match := _DAY_FIRST.fullmatch(text):
            day, month, year, rest = match.groups()
            text = f"{year}-{month:0>2}-{day:0>2}{rest}"
        moment = datetime.fromisoformat(_ZONE.sub(_plain_zone, text))
        return instant(moment if moment.tzinfo else moment.replace(tzinfo=UTC))

    def number(self, text: str) -> str:
        """With a decimal point; a decimal comma only if commas are not the delimiter."""
        if self.delimiter is Delimiter.comma or "," not in text:
            return text
        if "." in text and not _THOUSANDS.fullmatch(text.lstrip("-")):
            raise ValueError
        return text.replace(".", "").replace(",", ".")

    def boolean(self, text: str) -> bool:
        return BOOLEANS[text.lower()]

    def country(self, text: str) -> str:
        """A code of two or three letters, or the English name."""
        return _COUNTRIES[text.upper()]

    def ip_address(self, text: str) -> str:
        """An address in its usual form, or an IPv4 address written as one number, which may have decimals."""
        if not _IP_NUMBER.fullmatch(text):
            return identity_rules.address(text)
        number = int(Decimal(text))
        if number > _MAX_IPV4:
            raise ValueError
        return str(ipaddress.IPv4Address(number))


def recognised_encoding(head: bytes, lines: Iterable[bytes]) -> Encoding:
    """By its mark, or else by its bytes: text in Windows-1252 is not UTF-8 as soon as it leaves ASCII.

    Where both kinds of lines are found it is UTF-8 with damaged lines, and these are refused one by one.
    """
    if head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)) or _is_marked_nowhere_utf_16(head):
        return Encoding.utf_16
    has_utf_8 = has_other = False
    for line in lines:
        if not line.isascii():
            is_utf_8 = _is_utf_8(line)
            has_utf_8, has_other = has_utf_8 or is_utf_8, has_other or not is_utf_8
    return Encoding.windows_1252 if has_other and not has_utf_8 else Encoding.utf_8


def recognised_delimiter(header: str) -> Delimiter:
    """The delimiter that splits the first line into the most columns."""
    return max(Delimiter, key=lambda delimiter: _width(header, delimiter))


def _width(header: str, delimiter: Delimiter) -> int:
    try:
        return len(next(csv.reader([header], delimiter=delimiter.character), []))
    except csv.Error:
        # A cell of more than 128 KiB.
        return 0


def _plain_zone(match: re.Match[str]) -> str:
    return "Z" if match[1] in ("UTC", "GMT") else match[1]


def _is_marked_nowhere_utf_16(head: bytes) -> bool:
    return len(head) > 3 and (not any(head[1::2]) or not any(head[::2])) and any(head)


def _is_utf_8(line: bytes) -> bool:
    try:
        line.decode()
    except UnicodeDecodeError:
        return False
    return True
