"""`lootkeep serve`: the first start, the second, several processes, and the end."""

from __future__ import annotations

import json
import os
import resource
import shlex
import shutil
import signal
import stat
import subprocess
from typing import Any

import httpx
import pytest

from lootkeep import __version__
from tests.cli.terminal import KEY, SECONDS, Serving, Terminal

TIERS = "/api/external/v1/referrals/tiers"
BRONZE = {"name": "Bronze", "referrals_required": 5, "reward_type": "percentage_discount", "reward_value": 10}


def test_the_first_start_prints_its_url_and_a_curl_command_that_works(terminal: Terminal) -> None:
    with terminal.serving() as server:
        assert server.greeting.startswith(f"Lootkeep {__version__} is at http://127.0.0.1:")
        assert f"  Data        {terminal.folder / 'lootkeep.db'}\n" in server.greeting
        assert f"  Reference   {server.url}/docs\n" in server.greeting
        assert _paste(server.curl) == {"success": True, "data": []}


def test_a_thousand_hanging_receivers_do_not_exhaust_open_files(terminal: Terminal) -> None:
    given, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    # As a shell gives it, inherited by the server.
    resource.setrlimit(resource.RLIMIT_NOFILE, (1024, most))
    try:
        with terminal.serving() as server:
            assert _paste(server.curl)["success"]
            assert resource.prlimit(server.process.pid, resource.RLIMIT_NOFILE)[0] > 10_000
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (given, most))


def test_a_server_for_development_permits_receivers_on_this_machine(terminal: Terminal) -> None:
    body = {"url": "http://127.0.0.1:4000/hook", "events": ["order.paid"]}
    with terminal.serving("--dev") as server:
        url, headers = f"{server.url}/api/external/v1/webhooks", {"Authorization": f"Bearer {server.token}"}
        assert httpx.post(url, json=body, headers=headers, timeout=SECONDS).status_code == 201
    refused = terminal.call("serve", "--dev", environment="production", secret_key=KEY)
    assert refused.sentence.startswith("LOOTKEEP_WEBHOOK_ALLOW_INSECURE must not be set in production")


def test_the_second_start_keeps_the_data_and_shows_no_token(terminal: Terminal) -> None:
    with terminal.serving() as server:
        token = server.token
        assert _post(server, token).status_code == 201
        server.stop()
    with terminal.serving() as server:
        assert "lk_" not in server.greeting
        assert _paste(server.curl) == {"success": True, "data": {"status": "alive"}}
        (tier,) = _get(server, token).json()["data"]
    assert tier["name"] == "Bronze"


def test_the_start_prints_a_link_for_the_owner_as_long_as_nobody_can_sign_in(terminal: Terminal) -> None:
    links = []
    for _ in range(2):
        with terminal.serving() as server:
            links.append(server.console_link.removeprefix(server.url))
            answers = [httpx.get(server.url + link, timeout=SECONDS).status_code for link in links]
            server.stop()
    assert links[0] != links[1]
    assert answers == [422, 200]


def test_in_production_no_token_is_printed_into_a_log(terminal: Terminal) -> None:
    with terminal.serving(environment="production", secret_key=KEY) as server:
        greeting = server.greeting
        output = server.stop()
    assert "lk_" not in greeting + output.out + output.err
    assert "/console/setup" not in greeting + output.out + output.err
    assert "lootkeep token create --name NAME --all-scopes" in greeting
    assert json.loads(terminal.call("token", "list", "--json", secret_key=KEY).out) == []


def test_an_empty_postgresql_database_gets_its_tables_from_the_first_start(
    terminal: Terminal, new_postgres_url: str
) -> None:
    with terminal.serving(database_url=new_postgres_url, secret_key=KEY) as server:
        assert _post(server, server.token).status_code == 201


def test_database_log_index_and_key_are_readable_by_their_owner_only(terminal: Terminal) -> None:
    before = os.umask(0o000)
    try:
        with terminal.serving() as server:
            _post(server, server.token)
            modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in terminal.folder.glob("lootkeep.db*")}
    finally:
        os.umask(before)
    names = ("lootkeep.db", "lootkeep.db-wal", "lootkeep.db-shm", "lootkeep.db-tokens", "lootkeep.db.key")
    assert modes == dict.fromkeys(names, 0o600)


@pytest.mark.parametrize("name", ["lootkeep.db", "lootkeep.db.key"])
@pytest.mark.parametrize(("mode", "is_good"), [(0o644, False), (0o602, False), (0o640, True), (0o600, True)])
def test_doctor_finds_world_readable_files(terminal: Terminal, name: str, mode: int, is_good: bool) -> None:
    terminal.call("migrate")
    terminal.call("user", "list")
    (terminal.folder / name).chmod(mode)
    outcome = terminal.call("doctor", "--json")
    (files,) = [finding for finding in json.loads(outcome.out) if finding["what"] == "files"]
    assert files["level"] == ("ok" if is_good else "bad")
    assert (f"chmod 600 {name}" in files["sentence"]) is not is_good


def test_the_secret_key_is_created_next_to_the_database_for_its_owner_only_and_reused(terminal: Terminal) -> None:
    terminal.call("migrate")
    terminal.call("user", "list")
    file = terminal.folder / "lootkeep.db.key"
    first = file.read_text()
    terminal.call("user", "list")
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert len(first.strip()) >= 32
    assert file.read_text() == first


def test_a_key_that_is_set_is_used_and_none_is_created(terminal: Terminal) -> None:
    terminal.call("migrate")
    terminal.call("user", "list", secret_key=KEY)
    assert not (terminal.folder / "lootkeep.db.key").exists()


def test_an_empty_key_file_is_rejected_rather_than_used_as_a_key(terminal: Terminal) -> None:
    (terminal.folder / "lootkeep.db.key").write_text("")
    terminal.call("migrate")
    assert "lootkeep.db.key" in terminal.call("user", "list").sentence


def test_neither_token_nor_key_appears_in_the_logs(terminal: Terminal) -> None:
    wrong = "lk_wrong-canary-0123456789"
    with terminal.serving(secret_key=KEY, log_level="debug", log_format="json") as server:
        token = server.token
        _get(server, token)
        _post(server, token, headers={"Idempotency-Key": "once", "X-Request-ID": "seen-in-the-logs"})
        _post(server, token, json={"name": token})
        _get(server, wrong)
        httpx.get(f"{server.url}{TIERS}?token={token}", headers={"Cookie": f"token={token}"}, timeout=SECONDS)
        httpx.get(f"{server.url}/metrics", headers={"Authorization": f"Bearer {token}"}, timeout=SECONDS)
        output = server.stop()
    logs = output.out + output.err
    assert "seen-in-the-logs" in logs
    assert [secret for secret in (token, wrong, KEY) if secret in logs] == []


def test_the_token_is_nowhere_in_the_data(terminal: Terminal) -> None:
    terminal.call("migrate")
    token = terminal.call("token", "create", "--name", "till", "--all-scopes", "--quiet").out.strip()
    files = [file for file in terminal.folder.iterdir() if token.encode() in file.read_bytes()]
    assert files == []


def test_each_request_is_one_line_of_json_when_logs_are_not_for_a_terminal(terminal: Terminal) -> None:
    with terminal.serving() as server:
        _get(server, server.token, headers={"X-Request-ID": "abc"})
        output = server.stop()
    lines = [json.loads(line) for line in output.err.splitlines()]
    # The other line is about lists, which are read while the first requests are answered.
    (line,) = [line for line in lines if line["event"] == "request"]
    assert output.out.strip() == ""
    assert line == line | {
        "event": "request",
        "level": "info",
        "method": "GET",
        "path": TIERS,
        "request_id": "abc",
        "status": 200,
        "token_id": 1,
    }


def test_a_server_that_is_interrupted_ends_without_a_traceback(terminal: Terminal) -> None:
    with terminal.serving(log_level="error") as server:
        _get(server, server.token)
        output = server.stop(signal.SIGINT)
    assert (output.code, output.err) == (130, "")


def test_a_start_warns_of_missing_lists_and_unknown_settings(terminal: Terminal) -> None:
    with terminal.serving(log_level="warning", smpt_url="smtp://mail.example") as server:
        _get(server, server.token)
        output = server.stop()
    lines = [json.loads(line) for line in output.err.splitlines()]
    assert [line["sentence"] for line in lines if "sentence" in line] == [
        "LOOTKEEP_SMPT_URL is not a setting; did you mean LOOTKEEP_SMTP_URL?"
    ]
    assert [line["needs"] for line in lines if "needs" in line] == ["vpn, proxy, tor"]


def test_several_processes_serve_on_postgresql(terminal: Terminal, postgres_url: str) -> None:
    settings = {"database_url": postgres_url, "secret_key": KEY, "rate_limit_per_minute": "0", "log_format": "json"}
    token = terminal.call("token", "create", "--name", "till", "--all-scopes", "--quiet", **settings).out.strip()
    with terminal.serving("--workers", "2", **settings) as server:
        assert "  Data        PostgreSQL\n" in server.greeting
        answers = [_get(server, token) for _ in range(20)]
        output = server.stop()
    assert {answer.status_code for answer in answers} == {200}
    assert token not in output.out + output.err
    assert "Traceback" not in output.err
    # Each process logs as the settings say.
    lines = [json.loads(line) for line in output.err.splitlines()]
    assert sum(line["event"] == "request" for line in lines) == 20
    assert output.out.strip() == ""


def _paste(line: str) -> Any:
    """What the line answers in a shell; without curl on the machine, what the same request answers."""
    if shutil.which("curl"):
        done = subprocess.run(line, shell=True, capture_output=True, text=True, check=True)
        return json.loads(done.stdout)
    program, *options, url = shlex.split(line)
    headers = dict(option.split(": ", 1) for option in options if option != "-H")
    assert program == "curl"
    return httpx.get(url, headers=headers, timeout=SECONDS).json()


def _get(server: Serving, token: str, headers: dict[str, str] | None = None) -> httpx.Response:
    return httpx.get(
        server.url + TIERS, headers={"Authorization": f"Bearer {token}"} | (headers or {}), timeout=SECONDS
    )


def _post(
    server: Serving, token: str, *, json: dict[str, Any] | None = None, headers: dict[str, str] | None = None
) -> httpx.Response:
    every = {"Authorization": f"Bearer {token}"} | (headers or {})
    return httpx.post(server.url + TIERS, json=json or BRONZE, headers=every, timeout=SECONDS)
