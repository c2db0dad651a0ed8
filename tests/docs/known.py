"""What the values on a page are in the running service: an example's ids and codes become those that were answered."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field, replace
from typing import Any

from tests.docs.answers import AND_SO_ON, is_by_chance
from tests.docs.curls import CurlRequest

_SEGMENT = re.compile(r"/([a-z-]+)/(\d+)(?=/|\?|$)")
_PARAMETER = re.compile(r"([?&])([a-z_]+)_id=(\d+)(?=&|$)")
# Shorter ones may be in a call by accident.
_MIN_TEXT = 6


@dataclass
class KnownValues:
    """Texts by themselves, ids by what they are ids of: 4 may be a webhook here and a customer there."""

    texts: dict[str, str] = field(default_factory=dict)
    ids: dict[tuple[str, int], int] = field(default_factory=dict)

    def applied(self, request: CurlRequest) -> CurlRequest:
        path = _SEGMENT.sub(lambda match: f"/{match[1]}/{self._id(_singular(match[1]), match[2])}", request.path)
        path = _PARAMETER.sub(lambda match: f"{match[1]}{match[2]}_id={self._id(match[2], match[3])}", path)
        return replace(request, path=self.text(path), body=self._body(request.body))

    def text(self, text: str) -> str:
        for shown, given in self.texts.items():
            text = text.replace(shown, given).replace(shown.lower(), given.lower())
        return text

    def learn(self, request: CurlRequest, shown: Any, given: Any) -> None:
        """From the answer that a page shows, and the one that came."""
        words = [word for word in request.path.partition("?")[0].split("/") if not word.isdigit()]
        self._learn(shown, given, (_singular(words[-1]),))

    def _learn(self, shown: Any, given: Any, path: tuple[str, ...]) -> None:
        if isinstance(shown, dict) and isinstance(given, dict):
            for key in shown.keys() & given.keys():
                self._learn(shown[key], given[key], path if key == "data" else (*path, key))
        elif isinstance(shown, list) and isinstance(given, list):
            # Of lists that are not alike nobody knows which entry is which.
            is_alike = len(shown) == len(given) or shown[-1:] == [AND_SO_ON]
            for left, other in zip(shown, given, strict=False) if is_alike else ():
                self._learn(left, other, path)
        elif isinstance(shown, str) and isinstance(given, str):
            if shown != given and len(shown) >= _MIN_TEXT and is_by_chance(shown, ("data", *path)):
                self.texts[shown] = given
        elif type(shown) is int and type(given) is int and path[-1].rpartition("_")[2] == "id":
            self.ids[(path[-2] if path[-1] == "id" else path[-1].removesuffix("_id"), shown)] = given

    def _body(self, body: str | None) -> str | None:
        if body is None:
            return None
        try:
            read = json.loads(self.text(body))
        except ValueError:
            return self.text(body)
        return json.dumps(self._with_ids(read))

    def _with_ids(self, value: Any, key: str = "") -> Any:
        if isinstance(value, dict):
            return {name: self._with_ids(item, name) for name, item in value.items()}
        if isinstance(value, list):
            return [self._with_ids(item, key) for item in value]
        if type(value) is int and key.endswith("_id"):
            return self._id(key.removesuffix("_id"), value)
        return value

    def _id(self, kind: str, shown: int | str) -> int:
        return self.ids.get((kind, int(shown)), int(shown))


def _singular(collection: str) -> str:
    """`gift-cards` are each a `gift_card`, as fields name them."""
    word = collection.replace("-", "_")
    return f"{word[:-3]}y" if word.endswith("ies") else word.removesuffix("s")
