"""Whose address counts behind a proxy, as docs/operate/tls-and-proxies.md says."""

from __future__ import annotations

import httpx
import pytest

from tests.cli.terminal import SECONDS, Serving, Terminal

TIERS = "/api/external/v1/referrals/tiers"
ONE_FAILURE = {"auth_failures_per_minute": "1", "log_level": "error"}


def guess(server: Serving, forwarded_for: str) -> int:
    """The status of a call without a token, as a proxy on this machine passes it on."""
    return httpx.get(server.address + TIERS, headers={"X-Forwarded-For": forwarded_for}, timeout=SECONDS).status_code


def test_a_proxy_on_this_machine_is_believed(terminal: Terminal) -> None:
    with terminal.serving(**ONE_FAILURE) as server:
        statuses = [guess(server, address) for address in ("198.51.100.1", "198.51.100.1", "198.51.100.2")]
    assert statuses == [401, 429, 401]


def test_of_several_addresses_the_last_one_counts_which_the_proxy_added(terminal: Terminal) -> None:
    with terminal.serving(**ONE_FAILURE) as server:
        statuses = [guess(server, f"192.0.2.{made_up}, 198.51.100.1") for made_up in (1, 2)]
    assert statuses == [401, 429]


def test_who_is_not_in_the_list_is_not_believed(terminal: Terminal, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FORWARDED_ALLOW_IPS", "10.0.0.0/8")
    with terminal.serving(**ONE_FAILURE) as server:
        statuses = [guess(server, address) for address in ("198.51.100.1", "198.51.100.2")]
    assert statuses == [401, 429]
