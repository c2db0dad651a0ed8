"""`/metrics` of several processes: each answers with the sums of all, also after one of them died."""

from __future__ import annotations

import httpx
import pytest
from prometheus_client.parser import text_string_to_metric_families

from tests.cli.terminal import KEY, SECONDS, Serving, Terminal

TIERS = "/api/external/v1/referrals/tiers"
WORKERS = 3
REQUESTS = 40
# Each on a connection of its own, which any of the processes may take.
SCRAPES = 12

# A busy machine takes its time to start processes.
pytestmark = pytest.mark.timeout(600)


@pytest.fixture
def settings(postgres_url: str) -> dict[str, str]:
    return {"database_url": postgres_url, "secret_key": KEY, "rate_limit_per_minute": "0", "log_level": "error"}


@pytest.fixture
def token(terminal: Terminal, settings: dict[str, str]) -> str:
    return terminal.call("token", "create", "--name", "till", "--all-scopes", "--quiet", **settings).out.strip()


def test_every_process_answers_a_scrape_with_the_sums_of_all(
    terminal: Terminal, settings: dict[str, str], token: str
) -> None:
    with terminal.serving("--workers", str(WORKERS), **settings) as server:
        _wait_for_processes(server, token, WORKERS)
        _call(server, token, REQUESTS)
        scrapes = [_scrape(server, token) for _ in range(SCRAPES)]
        _call(server, token, 1)
        after = _scrape(server, token)
    assert [_counted(scrape) for scrape in scrapes] == [(REQUESTS, REQUESTS, REQUESTS)] * SCRAPES
    assert _counted(after) == (REQUESTS + 1,) * 3
    assert {scrape["lootkeep_processes"] for scrape in scrapes} == {WORKERS}


def test_counts_of_a_killed_process_stay_and_its_successor_continues(
    terminal: Terminal, settings: dict[str, str], token: str
) -> None:
    with terminal.serving("--workers", str(WORKERS), **settings) as server:
        _wait_for_processes(server, token, WORKERS)
        _call(server, token, REQUESTS)
        before = _scrape(server, token)
        # All of them, so that each that has counted is replaced.
        server.kill_workers()
        _wait_for_processes(server, token, WORKERS, after=before["lootkeep_start_time_seconds"])
        between = _scrape(server, token)
        _call(server, token, REQUESTS)
        after = _wait_for_processes(server, token, WORKERS)
    assert (_counted(before), _counted(between)) == ((REQUESTS,) * 3, (REQUESTS,) * 3)
    assert _counted(after) == (2 * REQUESTS,) * 3
    assert after["lootkeep_start_time_seconds"] > before["lootkeep_start_time_seconds"]


def _call(server: Serving, token: str, times: int) -> None:
    """Each by a connection of its own."""
    for _ in range(times):
        _get(server, TIERS, token).raise_for_status()


def _counted(scrape: dict[str, float]) -> tuple[float, float, float]:
    row = 'method="GET",path="/api/external/v1/referrals/tiers"'
    return (
        scrape[f'lootkeep_requests_total{{{row},status="200"}}'],
        scrape[f"lootkeep_request_seconds_count{{{row}}}"],
        scrape[f'lootkeep_request_seconds_bucket{{le="+Inf",{row}}}'],
    )


def _scrape(server: Serving, token: str) -> dict[str, float]:
    """By name and labels."""
    text = _get(server, "/metrics", token).raise_for_status().text
    samples = [sample for family in text_string_to_metric_families(text) for sample in family.samples]
    return {
        sample.name
        + ("{" + ",".join(f'{key}="{sample.labels[key]}"' for key in sorted(sample.labels)) + "}")
        * bool(sample.labels): sample.value
        for sample in samples
    }


def _wait_for_processes(server: Serving, token: str, count: int, after: float = 0) -> dict[str, float]:
    """The first that is up answers while the others start."""
    scrape = _scrape(server, token)
    while scrape["lootkeep_processes"] != count or scrape["lootkeep_start_time_seconds"] <= after:
        scrape = _scrape(server, token)
    return scrape


def _get(server: Serving, path: str, token: str) -> httpx.Response:
    # Without TLS, whose certificates take longer to load than all the rest.
    return httpx.get(server.url + path, headers={"Authorization": f"Bearer {token}"}, timeout=SECONDS, verify=False)
