"""Whose address counts behind a proxy, as docs/operate/tls-and-proxies.md says."""

from __future__ import annotations

import ssl
from collections.abc import Callable
from contextlib import AbstractContextManager

import httpx
import pytest
import trustme

from lootkeep.api.http.routes import MAX_HUGE_BODY
from tests.cli.terminal import SECONDS, Serving, Terminal
from tests.proxies import caddy, nginx

Proxy = Callable[[str, trustme.CA], AbstractContextManager[str]]

JSON = {"Content-Type": "application/json"}
TIERS = "/api/external/v1/referrals/tiers"
# The largest bodies of all: the stock of keys of a product.
KEYS = "/api/external/v1/products/1/keys"
ONE_FAILURE = {"auth_failures_per_minute": "1", "log_level": "error"}


def guess(server: Serving, forwarded_for: str) -> int:
    """The status of a call without a token, as a proxy on this machine passes it on."""
    return httpx.get(server.url + TIERS, headers={"X-Forwarded-For": forwarded_for}, timeout=SECONDS).status_code


def test_a_proxy_on_this_machine_is_trusted(terminal: Terminal) -> None:
    with terminal.serving(**ONE_FAILURE) as server:
        statuses = [guess(server, ip) for ip in ("198.51.100.1", "198.51.100.1", "198.51.100.2")]
    assert statuses == [401, 429, 401]


def test_only_the_last_of_several_ips_counts_which_the_proxy_added(terminal: Terminal) -> None:
    with terminal.serving(**ONE_FAILURE) as server:
        statuses = [guess(server, f"192.0.2.{made_up}, 198.51.100.1") for made_up in (1, 2)]
    assert statuses == [401, 429]


def test_a_proxy_outside_the_list_is_not_trusted(terminal: Terminal, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FORWARDED_ALLOW_IPS", "10.0.0.0/8")
    with terminal.serving(**ONE_FAILURE) as server:
        statuses = [guess(server, ip) for ip in ("198.51.100.1", "198.51.100.2")]
    assert statuses == [401, 429]


@pytest.fixture(params=[caddy, nginx], ids=["caddy", "nginx"])
def proxy(request: pytest.FixtureRequest) -> Proxy:
    start: Proxy = request.param
    return start


@pytest.fixture(scope="module")
def authority() -> trustme.CA:
    return trustme.CA()


def test_clients_of_a_proxy_are_counted_by_their_real_ip(
    terminal: Terminal, proxy: Proxy, authority: trustme.CA, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FORWARDED_ALLOW_IPS", "127.0.0.1")
    with terminal.serving(**ONE_FAILURE) as server, proxy(server.url, authority) as url:
        statuses = [
            guess_from(source, url, authority, claim)
            for source, claim in (
                ("127.0.0.2", "198.51.100.1"),
                ("127.0.0.3", "198.51.100.1"),
                ("127.0.0.2", "198.51.100.2"),
            )
        ]
    assert statuses == [401, 401, 429]


def test_a_proxy_outside_the_list_counts_as_one_client(
    terminal: Terminal, proxy: Proxy, authority: trustme.CA, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FORWARDED_ALLOW_IPS", "10.0.0.0/8")
    with terminal.serving(**ONE_FAILURE) as server, proxy(server.url, authority) as url:
        statuses = [guess_from(source, url, authority, "198.51.100.1") for source in ("127.0.0.2", "127.0.0.3")]
    assert statuses == [401, 429]


def test_everything_but_metrics_is_served_over_tls(terminal: Terminal, proxy: Proxy, authority: trustme.CA) -> None:
    with terminal.serving(log_level="error") as server, proxy(server.url, authority) as url:
        with client(authority, "127.0.0.1") as caller:
            caller.headers["Authorization"] = f"Bearer {server.token}"
            tiers, metrics = caller.get(url + TIERS), caller.get(f"{url}/metrics")
            sign_in = caller.get(f"{url}/console/sign-in")
            too_large = caller.post(f"{url}{KEYS}", content=b" " * (MAX_HUGE_BODY + 1))
            at_most = caller.post(f"{url}{KEYS}", content=b"{}".ljust(MAX_HUGE_BODY), headers=JSON)
        with pytest.raises(httpx.ConnectError, match="CERTIFICATE_VERIFY_FAILED"):
            httpx.get(url, timeout=SECONDS)
    assert (tiers.status_code, tiers.json()["success"]) == (200, True)
    assert tiers.headers["strict-transport-security"] == "max-age=31536000"
    assert metrics.status_code == 404
    # The service knows by the proxy that it is TLS.
    assert sign_in.headers["set-cookie"].startswith("__Host-lootkeep=")
    # By the service, in its own envelope.
    assert (too_large.status_code, too_large.json()["success"]) == (413, False)
    assert at_most.status_code == 422


def guess_from(source: str, url: str, authority: trustme.CA, claim: str) -> int:
    """The status of a call without a token from that address of this machine, which claims to be from another."""
    with client(authority, source) as caller:
        return caller.get(url + TIERS, headers={"X-Forwarded-For": claim}).status_code


def client(authority: trustme.CA, source: str) -> httpx.Client:
    trusted = ssl.create_default_context()
    authority.configure_trust(trusted)
    return httpx.Client(transport=httpx.HTTPTransport(verify=trusted, local_address=source), timeout=SECONDS)
