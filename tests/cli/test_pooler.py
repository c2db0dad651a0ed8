"""Commands whose database is behind the real PgBouncer."""

from __future__ import annotations

from collections.abc import Iterator

import httpx
import pytest

from tests.cli.terminal import KEY, SECONDS, Terminal
from tests.servers import pooler


@pytest.fixture
def pooled(postgres_url: str) -> Iterator[dict[str, str]]:
    with pooler(postgres_url, default_pool_size="2") as url:
        yield {"database_url": url, "database_pooler": "transaction", "secret_key": KEY}


def test_an_unconfigured_pooler_is_reported_without_a_traceback(terminal: Terminal, pooled: dict[str, str]) -> None:
    output = terminal.call("serve", "--port", "0", **pooled | {"database_pooler": "none"})
    assert output.sentence == (
        "LOOTKEEP_DATABASE_URL points to a pooler such as PgBouncer. In transaction mode set "
        "LOOTKEEP_DATABASE_POOLER=transaction; in session mode connect to PostgreSQL itself."
    )


def test_doctor_reports_that_notifications_do_not_pass_a_pooler(
    terminal: Terminal, pooled: dict[str, str], postgres_url: str
) -> None:
    sentence = "workers poll every five seconds: LOOTKEEP_DATABASE_DIRECT_URL is not set."
    without = terminal.call("doctor", **pooled)
    with_direct_url = terminal.call("doctor", database_direct_url=postgres_url, **pooled)
    assert (sentence in without.out, sentence in with_direct_url.out) == (True, False)


def test_several_processes_serve_behind_a_pooler(terminal: Terminal, pooled: dict[str, str], postgres_url: str) -> None:
    token = terminal.call("token", "create", "--name", "till", "--all-scopes", "--quiet", **pooled).out.strip()
    settings = pooled | {"database_direct_url": postgres_url, "log_format": "json", "rate_limit_per_minute": "0"}
    with terminal.serving("--workers", "2", **settings) as server:
        url = f"{server.url}/api/external/v1/referrals/tiers"
        headers = {"Authorization": f"Bearer {token}"}
        answers = [httpx.get(url, headers=headers, timeout=SECONDS).status_code for _ in range(20)]
        output = server.stop()
    assert set(answers) == {200}
    assert '"level": "error"' not in output.err
    assert "Traceback" not in output.err
