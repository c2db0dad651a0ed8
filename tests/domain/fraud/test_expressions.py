"""The language of the store's own rules: what it means, what it refuses, and that nothing hostile gets through."""

from __future__ import annotations

from contextlib import suppress

import pytest
from hypothesis import given, strategies as st

from lootkeep.domain.fraud.expressions import (
    MAX_DEPTH,
    MAX_LENGTH,
    MAX_NODES,
    ExpressionError,
    ListUse,
    check_lists,
    parse,
)
from lootkeep.domain.fraud.fact_names import FACTS
from lootkeep.domain.fraud.facts import Payment
from lootkeep.kernel.clock import HOUR, Instant
from lootkeep.kernel.money import Hundredths
from tests.domain.fraud.orders import NOW, order

ORDER = order(
    amount=Hundredths(12_050),
    customer_created_at=Instant(NOW - HOUR + 1),
    is_vpn=True,
    device_accounts=2,
    payment=Payment(funding="prepaid"),
    lists={"email_domain@free_mail": True, "ip@offices": False},
)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("total > 120.49", True),
        ("total > 120.50", False),
        ("total >= 120.5", True),
        ("account_age < 1h", True),
        ("account_age < 59m", False),
        ("account_age >= 3599s and account_age < 1d", True),
        ("is_vpn", True),
        ("not is_vpn", False),
        ("is_tor == false", True),
        ("is_vpn != true or is_tor", False),
        ('ip_country == "de"', True),
        ('billing_country in ("FR", "DE")', True),
        ('billing_country not in ("FR", "DE")', False),
        ("ip_country != billing_country", False),
        ("card_country != billing_country", False),
        ("not card_country == billing_country", True),
        ('card_funding == "PREPAID"', True),
        ("device_accounts > 1.5", True),
        ("device_accounts > card_accounts", True),
        ("total > 100 and account_age < 1h and email_domain in @free_mail", True),
        ("ip in @offices or is_tor", False),
        ("ip not in @offices", True),
        ("device in @stolen", False),
        # `and` binds tighter than `or`.
        ("is_tor and is_vpn or is_vpn", True),
        ("is_tor and (is_vpn or is_vpn)", False),
        ("is_tor or is_proxy or is_vpn", True),
        ("is_vpn and is_vpn and is_tor", False),
        ("not (is_tor or is_proxy)", True),
        ('email == "ADA@a.example"', True),
        ('ip == "::FFFF:203.0.113.9"', True),
    ],
)
def test_an_expression_evaluates_as_written(text: str, expected: bool) -> None:
    assert parse(text).fits(ORDER) is expected


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "needs the name of a fact at its end"),
        ("totl > 1", "has an unknown name at character 1; the nearest is total"),
        ("acount_age < 1h", "has an unknown name at character 1; the nearest is account_age"),
        ("zzzzqqqq", "has an unknown name at character 1"),
        ("total", "needs a comparison at its end"),
        ("total > 1h", "needs an amount such as 99.50 at character 9"),
        ("account_age < 60", "needs a duration such as 30s, 15m, 1h or 7d at character 15"),
        ("total > account_age", "compares a money with a duration at character 9"),
        ("is_vpn > true", "can only be compared with == and != at character 8"),
        ('ip_country == "XX"', 'needs a country code such as "DE" at character 15'),
        (
            'ip in ("192.0.2.1", "10.0.0.0/8")',
            'needs an IP address such as "203.0.113.9" (a network is looked up in a list) at character 21',
        ),
        ("device == 1", "can only look this up in a list at character 1"),
        ("total in @free_mail", "cannot be looked up in a list at character 1"),
        ("total in 5", "needs a list such as @name, or values in brackets, at character 10"),
        ("is_vpn not is_tor", "needs in after not at character 12"),
        ("(is_vpn", "needs ) at its end"),
        ("is_vpn is_tor", "is not understood at character 8"),
        ("is_vpn; is_tor", "is not understood at character 7"),
        ("__import__('os')", "is not understood at character 1"),
        ("total(1)", "needs a comparison at character 6"),
        ("total > 1.234", "is not understood at character 9"),
        ("total > 1e9", "is not understood at character 9"),
        ("total > 9999999999999999", "is not understood at character 9"),
        ("IS_VPN", "is not understood at character 1"),
    ],
)
def test_an_invalid_expression_is_rejected_with_its_position_and_without_its_text(text: str, words: str) -> None:
    with pytest.raises(ExpressionError) as error:
        parse(text)
    assert str(error.value) == words


@pytest.mark.parametrize(
    "text",
    [
        "(" * (MAX_DEPTH + 2) + "is_vpn" + ")" * (MAX_DEPTH + 2),
        "(" * MAX_LENGTH,
        "not " * (MAX_DEPTH + 2) + "is_vpn",
        " or ".join(["is_vpn"] * (MAX_NODES // 2 + 1)),
        "total in (" + ",".join(["1"] * MAX_NODES) + ")",
        "is_vpn" + " " * MAX_LENGTH,
        "a" * MAX_LENGTH,
        "１ < total",
        "total > １",
        "tоtal > 1",
        "is_vpn\x00",
        '"' * 100,
        "@" * 100,
    ],
    ids=range(13),
)
def test_hostile_expressions_are_rejected(text: str) -> None:
    with pytest.raises(ExpressionError):
        parse(text)


def test_the_deepest_and_longest_allowed_expressions_are_accepted() -> None:
    assert parse("(" * MAX_DEPTH + "is_vpn" + ")" * MAX_DEPTH).fits(ORDER)
    assert parse(" and ".join(["is_vpn"] * (MAX_NODES // 2))).fits(ORDER)


def test_lists_must_exist_and_hold_values_of_the_right_kind() -> None:
    expression = parse("email_domain in @free_mail and ip in @offices")
    assert expression.lists == {ListUse("email_domain", "free_mail"), ListUse("ip", "offices")}
    check_lists(expression, {"free_mail": "domain", "offices": "ip"})
    with pytest.raises(ExpressionError, match="does not exist; the nearest is @free_mails"):
        check_lists(expression, {"free_mails": "domain", "offices": "ip"})
    with pytest.raises(ExpressionError, match="it needs one of the kind ip"):
        check_lists(expression, {"free_mail": "domain", "offices": "country"})


_WORDS = st.sampled_from(
    [*FACTS, "and", "or", "not", "in", "true", "(", ")", ",", "==", "<", "@x", "1", "9.99", "1h", '"DE"', "é", "$", " "]
)


@given(st.lists(_WORDS, max_size=40).map(" ".join) | st.text(max_size=200))
def test_any_expression_is_either_rejected_or_evaluates_to_a_boolean(text: str) -> None:
    with suppress(ExpressionError):
        expression = parse(text)
        assert expression.fits(ORDER) in (True, False)
        assert expression.fits(order()) in (True, False)


_LEAVES = st.sampled_from(["is_vpn", "is_tor", "total > 100", 'ip_country == "DE"', "paid_orders > 0"])
_TREES = st.recursive(
    _LEAVES,
    lambda inner: (
        st.tuples(st.sampled_from(["and", "or"]), inner, inner).map(lambda t: f"({t[1]} {t[0]} {t[2]})")
        | inner.map(lambda text: f"not {text}")
    ),
    max_leaves=12,
)


@given(_TREES)
def test_logic_matches_python(text: str) -> None:
    values = {leaf: str(parse(leaf).fits(ORDER)) for leaf in ("is_vpn", "is_tor", "total > 100", "paid_orders > 0")}
    plain = text.replace('ip_country == "DE"', "True")
    for leaf, value in values.items():
        plain = plain.replace(leaf, value)
    assert parse(text).fits(ORDER) is eval(plain)
