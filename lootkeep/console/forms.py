"""The fields of a form as values: every field that is wrong is named, with a sentence that says what to enter."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass, field
from datetime import date, timedelta

from lootkeep.console.page import Visit
from lootkeep.domain import inputs
from lootkeep.domain.analytics import midnight
from lootkeep.kernel import money
from lootkeep.kernel.clock import Instant
from lootkeep.kernel.errors import InvalidFields
from lootkeep.kernel.money import Hundredths

MAX_NAME_LENGTH = 255
_WHOLE = re.compile(r"-?[0-9]{1,15}")


@dataclass(slots=True)
class Form:
    """Reads the fields one by one; `check` refuses the form when any of them was wrong."""

    visit: Visit
    errors: dict[str, list[str]] = field(default_factory=dict)

    def text(self, name: str, max_length: int = MAX_NAME_LENGTH) -> str | None:
        text = self.visit.text(name)
        if text and len(text) > max_length:
            self._refuse(name, f"This must not be longer than {max_length:,} characters.")
        return text

    def required(self, name: str, max_length: int = MAX_NAME_LENGTH) -> str:
        text = self.text(name, max_length)
        if text is None:
            self._refuse(name, "This must not be empty.")
        return text or ""

    def amount(self, name: str, least: int, most: int) -> Hundredths | None:
        text = self.visit.text(name)
        if text is None:
            return None
        try:
            amount = money.parse(text)
        except money.NotMoney:
            amount = Hundredths(-1)
        if not least <= amount <= most:
            limits = f"{money.text(Hundredths(least))} to {money.text(Hundredths(most))}"
            self._refuse(name, f"This must be an amount of {limits}, such as 12.50.")
        return amount

    def required_amount(self, name: str, least: int, most: int) -> Hundredths:
        amount = self.amount(name, least, most)
        if amount is None:
            self._refuse(name, "Enter an amount, such as 12.50.")
        return amount or Hundredths(0)

    def whole(self, name: str, least: int, most: int) -> int | None:
        text = self.visit.text(name)
        if text is None:
            return None
        number = int(text) if _WHOLE.fullmatch(text) else least - 1
        if not least <= number <= most:
            self._refuse(name, f"This must be a whole number of {least:,} to {most:,}.")
        return number

    def required_whole(self, name: str, least: int, most: int) -> int:
        number = self.whole(name, least, most)
        if number is None:
            self._refuse(name, "Enter a whole number.")
        return number or 0

    def choice(self, name: str, options: Collection[str]) -> str:
        value = self.visit.form.get(name, "")
        if value not in options:
            self._refuse(name, "Choose one of the values.")
        return value

    def email(self, name: str) -> str | None:
        text = self.text(name)
        try:
            return inputs.email(text) if text else None
        except ValueError:
            self._refuse(name, "This must be a valid e-mail address.")
            return None

    def country(self, name: str) -> str | None:
        text = self.visit.text(name)
        try:
            return inputs.country(text) if text else None
        except ValueError:
            self._refuse(name, "This must be a country code of two letters, such as KR.")
            return None

    def words(self, name: str, most: int, max_length: int) -> list[str]:
        """Distinct words, separated by commas."""
        text = self.visit.text(name) or ""
        words = list(dict.fromkeys(word.strip() for word in text.split(",") if word.strip()))
        if len(words) > most or any(len(word) > max_length for word in words):
            self._refuse(name, f"There may be up to {most} words of up to {max_length} characters.")
        return words

    def day(self, name: str, *, is_included: bool = False) -> Instant | None:
        """When the day begins in the store's zone; when it ends, for a last day that counts."""
        text = self.visit.text(name)
        if text is None:
            return None
        try:
            day = date.fromisoformat(text) + timedelta(days=is_included)
            return midnight(day, self.visit.options.timezone)
        except (ValueError, OverflowError):
            self._refuse(name, "This must be a day, such as 2026-11-15.")
            return None

    def check(self) -> None:
        if self.errors:
            raise InvalidFields(self.errors)

    def _refuse(self, name: str, sentence: str) -> None:
        self.errors.setdefault(name, []).append(sentence)
