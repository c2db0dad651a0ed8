"""What names give away: programs by their user agent, forwarding and tagged e-mail addresses."""

from __future__ import annotations

import pytest

from lootkeep.domain.fraud.agents import is_bot
from lootkeep.domain.fraud.email_addresses import describe, relay, tagged
from tests.domain.fraud.orders import BROWSER


@pytest.mark.parametrize(
    "agent",
    [
        "curl/8.5.0",
        "python-requests/2.32.0",
        "Go-http-client/2.0",
        "Mozilla/5.0 (compatible; Googlebot/2.1)",
        "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) HeadlessChrome/126.0 Safari/537.36",
        "Java/17.0.2",
        "Java-http-client/21.0.2",
        "node",
        "Deno/2.1.4",
        "Bun/1.1.38",
        "Scrapy/2.11",
        "PostmanRuntime/7.39",
    ],
)
def test_programs_are_recognised_by_their_user_agent(agent: str) -> None:
    assert is_bot(agent)


@pytest.mark.parametrize(
    "agent",
    [
        BROWSER,
        "Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Mobile/15E148",
        "Mozilla/5.0 (Linux; Android 12; CUBOT X50) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0 Mobile Safari",
        "okhttp/4.12.0",
        "Nodecraft/2.1",
        "GameLauncher/1.2 CFNetwork/1490.0.4 Darwin/23.2.0",
        "UnityPlayer/2022.3 (UnityWebRequest/1.0)",
        "Mozilla/5.0 (Windows NT 10.0) AppleWebKit/537.36 (KHTML, like Gecko) Launcher/3 Electron/31.0 Safari/537.36",
    ],
)
def test_browsers_and_apps_are_not_programs(agent: str) -> None:
    assert not is_bot(agent)


@pytest.mark.parametrize(
    ("email", "is_relay"),
    [
        ("x1y2@privaterelay.appleid.com", True),
        ("abc@mozmail.com", True),
        ("shop@anna.mozmail.com", True),
        ("Shop@DUCK.com", True),
        ("anna@appleid.com", False),
        ("anna@notduck.com", False),
        ("anna@duck.com.example", False),
        ("", False),
    ],
)
def test_forwarding_email_domains_are_recognised(email: str, is_relay: bool) -> None:
    assert relay(email) is is_relay


@pytest.mark.parametrize(
    ("email", "is_tagged"),
    [("anna+shop@a.example", True), ("anna@a.example", False), ("+anna@a.example", False), ("anna@a+b.example", False)],
)
def test_a_tag_is_found_only_in_the_local_part(email: str, is_tagged: bool) -> None:
    assert tagged(email) is is_tagged


def test_all_facts_about_an_email_are_reported_together() -> None:
    description = describe("anna+x@mozmail.com", is_disposable=True)
    assert (description.is_disposable, description.is_relay, description.has_tag) == (True, True, True)
