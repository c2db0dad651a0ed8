"""The language of rules and of webhooks' filters: comparisons joined by and, or, not; parsed once to a closure.

    total > 100 and account_age < 1h and email_domain in @free_mail

There are no calls and no loops, so an expression takes as long as it is short. What is not known makes every
comparison false.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Mapping
from contextlib import suppress
from difflib import get_close_matches
from functools import lru_cache
from typing import Any, NamedTuple

from lootkeep.domain import identity, inputs
from lootkeep.domain.fraud.fact_names import FACTS, FactName, ListKind
from lootkeep.kernel.clock import DAY, HOUR, MINUTE, SECOND

MAX_NODES = 200
MAX_LENGTH = 2000
# The maximum nesting of brackets and `not`.
MAX_DEPTH = 30

_TOKEN = re.compile(
    r"""[ \t\r\n]+
    | (?P<duration>[0-9]{1,6}[smhd](?![a-z0-9_.]))
    | (?P<number>[0-9]{1,15}(\.[0-9]{1,2})?(?![a-z0-9_.]))
    | (?P<text>"[^"\x00-\x1f]{0,255}")
    | (?P<list>@[a-z][a-z0-9_]{0,49})
    | (?P<word>[a-z][a-z0-9_]*)
    | (?P<symbol>[=!<>]=|[<>(),])""",
    re.VERBOSE | re.ASCII,
)
_UNITS = {"s": SECOND, "m": MINUTE, "h": HOUR, "d": DAY}
_EQUALITIES: dict[str, Callable[[Any, Any], bool]] = {"==": operator.eq, "!=": operator.ne}
_OPERATORS = _EQUALITIES | {"<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge}
_ORDERED = ("money", "number", "duration")

# Of what the names are about: the facts of an order, for rules.
Test = Callable[[Any], bool]
Names = Mapping[str, FactName[Any]]


class ListUse(NamedTuple):
    """A fact that is looked up in a list."""

    fact: str
    list: str

    @property
    def key(self) -> str:
        return f"{self.fact}@{self.list}"


class Expression(NamedTuple):
    fits: Test
    lists: frozenset[ListUse]


class ExpressionError(ValueError):
    """The error, as the end of a sentence; it never contains the input."""


class _Token(NamedTuple):
    kind: str
    text: str
    position: int


@lru_cache(maxsize=1024)
def parse(text: str) -> Expression:
    return parse_with(text, FACTS)


def parse_with(text: str, names: Names) -> Expression:
    if len(text) > MAX_LENGTH:
        raise ExpressionError(f"must not be greater than {MAX_LENGTH} characters")
    parser = _Parser(_tokens(text), names)
    fits = parser.alternatives(0)
    if parser.peek().kind != "end":
        raise parser.error("is not understood", parser.peek())
    return Expression(fits, frozenset(parser.lists))


def check_lists(expression: Expression, kinds: Mapping[str, ListKind]) -> None:
    """Rejects unknown lists, and lists of another kind than the fact."""
    for use in sorted(expression.lists):
        if use.list not in kinds:
            raise ExpressionError(f"names a list that does not exist{_nearest(use.list, kinds, '@')}")
        kind = FACTS[use.fact].kind
        if kinds[use.list] != kind:
            raise ExpressionError(f"looks up {use.fact} in a list of another kind: it needs one of the kind {kind}")


def _tokens(text: str) -> list[_Token]:
    tokens: list[_Token] = []
    position = 0
    while position < len(text):
        match = _TOKEN.match(text, position)
        if match is None:
            raise ExpressionError(f"is not understood at character {position + 1}")
        if match.lastgroup:
            tokens.append(_Token(match.lastgroup, match[match.lastgroup], position))
        position = match.end()
    return [*tokens, _Token("end", "", len(text))]


def _nearest(name: str, names: Mapping[str, Any], prefix: str = "") -> str:
    close = get_close_matches(name[:50], names, 1, 0.5)
    return f"; the nearest is {prefix}{close[0]}" if close else ""


class _Parser:
    """Recursive descent; it counts every node and the depth."""

    def __init__(self, tokens: list[_Token], names: Names) -> None:
        self._tokens = tokens
        self._names = names
        self._index = 0
        self._nodes = 0
        self.lists: set[ListUse] = set()

    def peek(self) -> _Token:
        return self._tokens[self._index]

    def error(self, words: str, token: _Token, more: str = "") -> ExpressionError:
        where = "at its end" if token.kind == "end" else f"at character {token.position + 1}"
        return ExpressionError(f"{words} {where}{more}")

    def alternatives(self, depth: int) -> Test:
        tests = [self._all_of(depth)]
        while self._skip("or"):
            tests.append(self._all_of(depth))
        return _joined(tests, any_of=True)

    def _all_of(self, depth: int) -> Test:
        tests = [self._test(depth)]
        while self._skip("and"):
            tests.append(self._test(depth))
        return _joined(tests, any_of=False)

    def _test(self, depth: int) -> Test:
        self._count()
        if depth > MAX_DEPTH:
            raise ExpressionError(f"must not be nested deeper than {MAX_DEPTH} levels")
        if self._skip("not"):
            test = self._test(depth + 1)
            return lambda facts: not test(facts)
        if self._skip("("):
            test = self.alternatives(depth + 1)
            self._expect(")")
            return test
        return self._comparison()

    def _comparison(self) -> Test:
        token = self._next()
        name, fact = self._fact(token)
        is_negated = self._skip("not")
        if self._skip("in"):
            test = self._membership(name, fact, token)
            return (lambda facts: not test(facts)) if is_negated else test
        if is_negated:
            raise self.error("needs in after not", self.peek())
        value = self._valued(fact, token)
        sign = self.peek()
        if sign.text not in _OPERATORS or sign.kind != "symbol":
            if fact.type != "boolean":
                raise self.error("needs a comparison", sign)
            return lambda facts: bool(value(facts))
        self._next()
        if fact.type not in _ORDERED and sign.text not in _EQUALITIES:
            raise self.error("can only be compared with == and !=", sign)
        return self._compared(value, _OPERATORS[sign.text], fact)

    def _compared(self, value: Callable[[Any], Any], compare: Callable[[Any, Any], bool], fact: FactName[Any]) -> Test:
        token = self._next()
        if token.kind == "word" and token.text not in ("true", "false"):
            _, other = self._fact(token)
            if other.type != fact.type:
                raise self.error(f"compares a {fact.type} with a {other.type}", token)
            second = self._valued(other, token)
            return lambda facts: (
                (left := value(facts)) is not None and (right := second(facts)) is not None and compare(left, right)
            )
        constant = self._constant(token, fact)
        return lambda facts: (left := value(facts)) is not None and compare(left, constant)

    def _membership(self, name: str, fact: FactName[Any], named: _Token) -> Test:
        token = self._next()
        self._count()
        if token.kind == "list":
            if fact.kind is None:
                raise self.error("cannot be looked up in a list", named)
            use = ListUse(name, token.text[1:])
            self.lists.add(use)
            key = use.key
            return lambda facts: facts.lists.get(key, False)
        if token.text != "(":
            raise self.error("needs a list such as @name, or values in brackets,", token)
        value = self._valued(fact, named)
        values = {self._constant(self._next(), fact)}
        while self._skip(","):
            values.add(self._constant(self._next(), fact))
        self._expect(")")
        return lambda facts: value(facts) in values

    def _fact(self, token: _Token) -> tuple[str, FactName[Any]]:
        self._count()
        if token.kind != "word":
            raise self.error("needs the name of a fact", token)
        if token.text not in self._names:
            raise self.error("has an unknown name", token, _nearest(token.text, self._names))
        return token.text, self._names[token.text]

    def _valued(self, fact: FactName[Any], token: _Token) -> Callable[[Any], Any]:
        if fact.value is None:
            raise self.error("can only look this up in a list", token)
        return fact.value

    def _constant(self, token: _Token, fact: FactName[Any]) -> Any:
        """As the fact has it: money in hundredths, a duration in microseconds, text in lower case."""
        self._count()
        match fact.type, token.kind:
            case "money", "number":
                whole, _, part = token.text.partition(".")
                return int(whole) * 100 + int(part.ljust(2, "0") or 0)
            case "number", "number":
                return float(token.text) if "." in token.text else int(token.text)
            case "duration", "duration":
                return int(token.text[:-1]) * _UNITS[token.text[-1]]
            case "boolean", "word" if token.text in ("true", "false"):
                return token.text == "true"
            case (("text" | "country"), "text"):
                with suppress(ValueError):
                    return _FORMS.get(fact.kind, str.lower)(token.text[1:-1])
        raise self.error(f"needs {_EXAMPLES.get(fact.kind or '', _EXAMPLES[fact.type])}", token)

    def _count(self) -> None:
        self._nodes += 1
        if self._nodes > MAX_NODES:
            raise ExpressionError(f"must not have more than {MAX_NODES} parts")

    def _next(self) -> _Token:
        token = self.peek()
        if token.kind != "end":
            self._index += 1
        return token

    def _skip(self, text: str) -> bool:
        token = self.peek()
        if token.text == text and token.kind in ("word", "symbol"):
            self._index += 1
            return True
        return False

    def _expect(self, text: str) -> None:
        if not self._skip(text):
            raise self.error(f"needs {text}", self.peek())


# By the kind of its list: how a text is read; any other as it is, in lower case.
_FORMS: dict[ListKind | None, Callable[[str], str]] = {"country": inputs.country, "ip": identity.address}
# By the type, or by the kind of its list.
_EXAMPLES = {
    "money": "an amount such as 99.50",
    "number": "a number such as 3",
    "duration": "a duration such as 30s, 15m, 1h or 7d",
    "boolean": "true or false",
    "text": 'a text such as "prepaid"',
    "country": 'a country code such as "DE"',
    "ip": 'an IP address such as "203.0.113.9" (a network is looked up in a list)',
}


def _joined(tests: list[Test], *, any_of: bool) -> Test:
    if len(tests) == 1:
        return tests[0]
    if len(tests) == 2:
        first, second = tests
        if any_of:
            return lambda facts: first(facts) or second(facts)
        return lambda facts: first(facts) and second(facts)
    several = tuple(tests)

    def test(facts: Any) -> bool:
        # Twice as fast as any() over a generator.
        for part in several:
            if part(facts) is any_of:
                return any_of
        return not any_of

    return test
