"""Which URLs and event types a webhook may have: every reason as a sentence."""

from __future__ import annotations

import ipaddress
import json
from typing import Any

import pytest
from hypothesis import given, strategies as st

from lootkeep.domain.events import EVENT_TYPES, SPECIFIED_TYPES
from lootkeep.domain.webhooks import EVENT_PATTERNS, LOOPBACK, Webhook, WebhookRules, checked, reachable
from lootkeep.kernel.errors import InvalidFields
from tests.world import NOON

STRICT = WebhookRules()
INSECURE = WebhookRules(allow_insecure=True)
OWN_NETWORK = WebhookRules(allowed_networks=(ipaddress.ip_network("10.1.0.0/16"),))

NOT_VALID = "must be a valid URL"
NOT_HTTPS = "must be an HTTPS URL"
NO_HOST = "must name a host"
PRIVATE = "must not point to a private address"
ODD_NUMBER = "must write an IP address in its ordinary form"
CREDENTIALS = "must not contain credentials"
FRAGMENT = "must not contain a fragment"
NO_PORT = "must have a port between 1 and 65535"
TOO_LONG = "must not be greater than 2048 characters"

FAULTS = {
    NOT_VALID: [
        *(
            "https://shop.example/a b",
            "https://shop.example/\t",
            "https://shop.example/\n",
            "https://shop.example/\x00",
        ),
        *("https://shöp.example/", "https://shop.example\\@evil.example/", "https://[::1/", "https://shop.example:x/"),
        *("https://shop.example:65536/", "https://shop.example:-1/", "\x7fhttps://shop.example/"),
    ],
    NOT_HTTPS: [
        *("", "shop.example", "//shop.example/", "http://shop.example/", "ftp://shop.example/", "file:///etc/passwd"),
        *("javascript:alert(1)", "wss://shop.example/", "httpss://shop.example/", "data:text/plain,x", "https//shop"),
    ],
    CREDENTIALS: [
        *("https://me@shop.example/", "https://me:word@shop.example/", "https://:word@shop.example/"),
        *("https://@shop.example/", "https://:@shop.example/", "https://shop.example@127.0.0.1/"),
    ],
    FRAGMENT: ["https://shop.example/#", "https://shop.example/#part", "https://shop.example#@127.0.0.1/"],
    NO_PORT: ["https://shop.example:0/", "https://shop.example:000/"],
    NO_HOST: [
        *("https://", "https:///hooks", "https://:443/", "https://.shop.example/", "https://shop..example/"),
        *("https://-shop.example/", "https://shop-.example/", "https://sh!op.example/", "https://%31%32%37.0.0.1/"),
        *("https://shop,example/", "https://" + "a" * 64 + ".example/", "https://" + "a." * 130 + "example/"),
        "https:shop.example/",
    ],
    ODD_NUMBER: [
        *("https://2130706433/", "https://0x7f000001/", "https://0X7F.1/", "https://017700000001/", "https://127.1/"),
        *("https://127.0.0.1./", "https://0177.0.0.1/", "https://127.0.0.256/", "https://1.2.3.4.5/", "https://0/"),
        *("https://8.8.8/", "https://0x/"),
    ],
    PRIVATE: [
        *("https://127.0.0.1/", "https://10.1.2.3:8443/x?y", "https://192.168.1.1/", "https://0.0.0.0/"),
        *("https://[::1]/", "https://[::]/", "https://[fe80::1%25eth0]/", "https://[::ffff:7f00:1]/"),
        *("https://localhost/", "https://LOCALHOST./", "https://shop.localhost/", "https://a.b.LocalHost:1/"),
    ],
    TOO_LONG: ["https://shop.example/" + "x" * 2028, "x" * 2049],
}


def _checked_events(types: Any) -> Any:
    return checked({"events": types}, WebhookRules())["events"]


def fault(url: str, rules: WebhookRules = STRICT) -> str | None:
    """The error of the URL; None when it is valid."""
    try:
        stored = checked({"url": url}, rules)["url"]
    except InvalidFields as reason:
        ((field, (sentence,)),) = (reason.fields or {}).items()
        return sentence.removeprefix(f"The {field} field ").removesuffix(".")
    return None if stored == url else f"became {stored}"


@pytest.mark.parametrize(("url", "reason"), [(url, reason) for reason, urls in FAULTS.items() for url in urls])
def test_a_bad_url_is_rejected_with_its_reason(url: str, reason: str) -> None:
    assert fault(url) == reason


@pytest.mark.parametrize(
    "url",
    [
        *("https://shop.example", "https://shop.example/", "https://shop.example:8443/hooks?a=b&c=%20", "https://a/"),
        *(
            "HTTPS://Shop.Example/",
            "https://under_score.example/",
            "https://shop.example./",
            "https://xn--shp-sna.example",
        ),
        *(
            "https://8.8.8.8/",
            "https://8.8.8.8:443/",
            "https://[2606:4700:4700::1111]/",
            "https://[2606:4700::1]:8443/",
        ),
        *("https://1.2.3.4.example/", "https://4chan.example/", "https://0x7f.example/", "https://shop.example:/"),
        *("https://shop.example:65535/", "https://notlocalhost/", "https://localhost.example/"),
        "https://shop.example/" + "x" * 2027,
        "https://" + "a" * 63 + ".example/",
    ],
)
def test_a_good_url_is_stored_as_it_is(url: str) -> None:
    assert fault(url) is None


@pytest.mark.parametrize(
    "url", ["http://shop.example/", "http://127.0.0.1:9000/", "http://[::1]/", "https://localhost/"]
)
def test_plain_http_and_loopback_are_good_where_the_operator_permits_them(url: str) -> None:
    assert (fault(url, STRICT) is None, fault(url, INSECURE)) == (False, None)


@pytest.mark.parametrize(
    ("url", "reason"),
    [
        ("http://10.0.0.1/", PRIVATE),
        ("http://169.254.169.254/", PRIVATE),
        ("http://127.1/", ODD_NUMBER),
        ("ftp://127.0.0.1/", NOT_HTTPS),
        ("http://me@127.0.0.1/", CREDENTIALS),
    ],
)
def test_everything_else_stays_refused_there(url: str, reason: str) -> None:
    assert fault(url, INSECURE) == reason


def test_an_allowed_network_is_open_and_its_neighbours_are_not() -> None:
    assert fault("https://10.1.2.3/", OWN_NETWORK) is None
    assert fault("https://10.2.0.1/", OWN_NETWORK) == PRIVATE
    assert fault("http://10.1.2.3/", OWN_NETWORK) == NOT_HTTPS
    assert (reachable(STRICT), reachable(INSECURE)) == ((), LOOPBACK)


@given(st.text(max_size=80) | st.text(max_size=60).map("https://".__add__))
def test_any_url_is_accepted_or_rejected_with_a_reason_and_never_echoed(url: str) -> None:
    assert fault(url) in {None, *FAULTS}


@pytest.mark.parametrize("url", ["http://shop.example/", "https://localhost/", "https://127.0.0.1/", "https://[::1]/"])
def test_in_development_the_rejection_says_how_to_allow_it(url: str) -> None:
    with pytest.raises(InvalidFields) as reason:
        checked({"url": url}, WebhookRules(insecure_hint=" (set it)"))
    assert "(set it).'" in str(reason.value.fields)


@pytest.mark.parametrize("url", ["https://10.0.0.1/", "https://169.254.169.254/", "ftp://shop.example/"])
def test_a_rejection_that_the_setting_would_not_lift_has_no_hint(url: str) -> None:
    with pytest.raises(InvalidFields) as reason:
        checked({"url": url}, WebhookRules(insecure_hint=" (set it)"))
    assert "set it" not in str(reason.value.fields)


@given(st.lists(st.sampled_from(sorted(EVENT_TYPES)), min_size=1, unique=True))
def test_distinct_known_types_are_stored_in_their_order(types: list[str]) -> None:
    assert _checked_events(types) == "[" + ",".join(f'"{name}"' for name in types) + "]"


@pytest.mark.parametrize(
    ("types", "expected"),
    [
        (["*"], list(SPECIFIED_TYPES)),
        (["order.*"], [name for name in SPECIFIED_TYPES if name.startswith("order.")]),
        (
            ["product.*", "order.paid"],
            ["order.paid", *(name for name in SPECIFIED_TYPES if name.startswith("product."))],
        ),
        (["order.paid", "*"], list(SPECIFIED_TYPES)),
        (["order.*", "order.disputed"], [*(t for t in SPECIFIED_TYPES if t.startswith("order.")), "order.disputed"]),
    ],
)
def test_a_pattern_is_stored_as_the_types_it_matches(types: list[str], expected: list[str]) -> None:
    assert json.loads(_checked_events(types)) == expected


KNOWN = "; known types: " + ", ".join([*EVENT_TYPES, *EVENT_PATTERNS])


@pytest.mark.parametrize(
    ("types", "sentence"),
    [
        (["nope"], f"contains an unknown event type{KNOWN}"),
        (["order.paid", "nope", "*", ""], f"contains an unknown event type{KNOWN}"),
        (["ORDER.PAID"], f"contains an unknown event type (did you mean order.paid?){KNOWN}"),
        (["webhook.test"], f"contains an unknown event type{KNOWN}"),
        (["orders.*"], f"contains an unknown event type (did you mean order.*?){KNOWN}"),
        (["a" * 21, "<b>", "order.paid\n"], f"contains an unknown event type (did you mean order.paid?){KNOWN}"),
        (["order.paid", "order.created", "order.paid"], "must not contain the same event type twice"),
    ],
)
def test_a_bad_list_of_types_is_rejected_with_its_reason(types: list[str], sentence: str) -> None:
    with pytest.raises(InvalidFields) as reason:
        _checked_events(types)
    assert reason.value.fields == {"events": [f"The events field {sentence}."]}


def test_a_receiver_is_named_by_host_and_path_and_a_long_one_is_shortened() -> None:
    assert called("https://hooks.example/bot/") == "hooks.example/bot"
    long = called(f"https://hooks.example/{'x' * 200}/discord?key=1")
    assert len(long) == 60
    assert long.startswith("hooks.example/xxx")
    assert long.endswith("xxx/discord")


def called(url: str) -> str:
    return Webhook(1, url, "[]", True, "", None, None, NOON, NOON).name
