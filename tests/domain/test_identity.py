"""The traces by which two accounts turn out to be one person."""

from __future__ import annotations

import ipaddress

import pytest
from hypothesis import given, strategies as st

from lootkeep.domain.identity import Trace, address, device, domain_of, mailbox, traces


@pytest.mark.parametrize(
    ("email", "reached"),
    [
        ("anna@a.example", "anna@a.example"),
        ("Anna@A.Example", "anna@a.example"),
        ("anna+shop@a.example", "anna@a.example"),
        ("anna+a+b@a.example", "anna@a.example"),
        ("anna+@a.example", "anna@a.example"),
        ("an.na@a.example", "an.na@a.example"),
        ("an.na@gmail.com", "anna@gmail.com"),
        ("A.N.N.A+x.y@GMail.com", "anna@gmail.com"),
        ("an.na@googlemail.com", "anna@gmail.com"),
        ("an.na@mail.gmail.com", "an.na@mail.gmail.com"),
        ("an.na@notgmail.com", "an.na@notgmail.com"),
        ("an.na-b_c+x@protonmail.com", "annabc@proton.me"),
        ("annabc@pm.me", "annabc@proton.me"),
        ("anna_bc@protonmail.ch", "annabc@proton.me"),
        ("an.na@me.com", "an.na@icloud.com"),
        ("an.na+x@mac.com", "an.na@icloud.com"),
        ("an-na@ya.ru", "an.na@yandex.ru"),
        ("an.na@yandex.com", "an.na@yandex.ru"),
        ("an.na@yandex.kz", "an.na@yandex.ru"),
        ("anna-shop@yahoo.com", "anna@yahoo.com"),
        ("-@yahoo.com", "-@yahoo.com"),
        ("anna@ymail.com", "anna@ymail.com"),
        ("shop@anna.fastmail.com", "anna@fastmail.com"),
        ("anna+shop@fastmail.com", "anna@fastmail.com"),
        ("anna@fastmail.fm", "anna@fastmail.fm"),
        ("shop@b.anna.fastmail.com", "shop@b.anna.fastmail.com"),
        ("._-@pm.me", "._-@proton.me"),
        ("+tag@a.example", "+tag@a.example"),
        ("jürgen+x@bücher.example", "jürgen@bücher.example"),
    ],
)
def test_tags_case_and_insignificant_dots_lead_to_the_same_mailbox(email: str, reached: str) -> None:
    assert mailbox(email) == reached


@given(
    st.emails()
    | st.builds(
        "{}@{}".format,
        st.text("ab.-_+", min_size=1),
        st.sampled_from(["gmail.com", "pm.me", "ya.ru", "me.com", "yahoo.com", "x.fastmail.com", "fastmail.fm"]),
    )
)
def test_a_mailbox_is_its_own_mailbox(email: str) -> None:
    assert mailbox(mailbox(email)) == mailbox(email)


@given(st.emails())
def test_a_mailbox_is_never_empty(email: str) -> None:
    name, _, domain = mailbox(email).rpartition("@")
    assert name
    assert domain


@pytest.mark.parametrize(
    ("email", "domain"), [("anna@Shop.Example", "shop.example"), ("anna@googlemail.com", "googlemail.com")]
)
def test_the_domain_is_compared_without_case(email: str, domain: str) -> None:
    assert domain_of(email) == domain


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        ("203.0.113.9", "203.0.113.9"),
        ("::ffff:203.0.113.9", "203.0.113.9"),
        ("::FFFF:CB00:7109", "203.0.113.9"),
        ("0:0:0:0:0:ffff:203.0.113.9", "203.0.113.9"),
        ("2001:DB8:0:0:0:0:0:1", "2001:db8::1"),
        ("2001:0db8::0001", "2001:db8::1"),
        ("fe80::1%eth0", "fe80::1"),
        ("::1", "::1"),
        # Six-to-four and plain embedding are other addresses, not the same one written differently.
        ("::203.0.113.9", "::cb00:7109"),
        ("2002:cb00:7109::", "2002:cb00:7109::"),
    ],
)
def test_an_ip_has_one_canonical_form(text: str, canonical: str) -> None:
    assert address(text) == canonical


@given(st.ip_addresses(v=4))
def test_an_ipv4_address_mapped_into_ipv6_is_the_ipv4_address(ip: ipaddress.IPv4Address) -> None:
    assert address(f"::ffff:{ip}") == str(ip)


@given(st.ip_addresses())
def test_normalising_twice_changes_nothing(ip: ipaddress.IPv4Address | ipaddress.IPv6Address) -> None:
    assert address(address(str(ip))) == address(str(ip))


@pytest.mark.parametrize(
    "text",
    ["", "localhost", "203.0.113", "203.0.113.256", "010.0.0.1", "1:2", "203.0.113.9/32", "203.0.113.9%eth0", "::1%"],
)
def test_an_invalid_ip_is_rejected(text: str) -> None:
    with pytest.raises(ValueError):
        address(text)


def test_every_trait_is_remembered_in_its_canonical_form() -> None:
    assert traces("An.Na+x@gmail.com", "::ffff:203.0.113.9", "phone-1") == [
        Trace("mailbox", "anna@gmail.com"),
        Trace("address", "203.0.113.9"),
        Trace("device", "phone-1"),
    ]


@pytest.mark.parametrize("nothing", [None, ""])
def test_an_unknown_trait_leaves_no_trace(nothing: str | None) -> None:
    assert traces("anna@a.example", nothing, nothing) == [Trace("mailbox", "anna@a.example")]


@pytest.mark.parametrize("sent", ["phone-1", " Phone-1", "PHONE-1\t", "\u00a0phone-1\n"])
def test_case_and_blanks_do_not_make_another_device(sent: str) -> None:
    assert device(sent) == "phone-1"
