"""The settings and scripts of deploy/ work as they are, once the secrets are filled in."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import time
from pathlib import Path

import pytest
import yaml
from dotenv import dotenv_values

from lootkeep.settings import PREFIX
from tests.cli.terminal import KEY, PROGRAM, SECONDS, Terminal, environment
from tests.rules.tree import ROOT

DEPLOY = ROOT / "deploy"
BACKUP = DEPLOY / "backup.sh"
DAY_SECONDS = 24 * 60 * 60


def in_terminal(variables: dict[str, str]) -> dict[str, str]:
    return {name.removeprefix(PREFIX).lower(): value for name, value in variables.items() if name.startswith(PREFIX)}


EXAMPLE = in_terminal({name: value or "" for name, value in dotenv_values(DEPLOY / "lootkeep.env.example").items()})
UNREAD = "The store cannot be read, so what was set in its console is missing here.\n"
CONFIG_MAP = in_terminal(yaml.safe_load((DEPLOY / "kubernetes/settings.yaml").read_text())["data"])


SECRETS = {
    "database-url": "postgresql://lootkeep:PASSWORD@postgres/lootkeep",
    "secret-key": KEY,
    "smtp-url": "smtp://USER:PASSWORD@mail.example:587",
}


@pytest.mark.parametrize("settings", [EXAMPLE, CONFIG_MAP], ids=["env example", "ConfigMap"])
def test_with_its_secrets_the_settings_are_read_as_they_are(terminal: Terminal, settings: dict[str, str]) -> None:
    done = terminal.call("settings", "--json", **with_secrets(terminal, settings, SECRETS))
    shown = {row["name"]: row["value"] for row in json.loads(done.out)}
    assert shown["LOOTKEEP_PUBLIC_URL"] == "https://lootkeep.example"
    assert shown["LOOTKEEP_MAIL_FROM"] == "Shop <shop@lootkeep.example>"
    assert shown["LOOTKEEP_CURRENCY"] == "USD"
    # The database of the example is on a machine that is not here.
    assert (done.code, done.err) in ((0, ""), (0, UNREAD))


def test_the_example_names_what_production_needs_and_does_not_start_without_a_key(terminal: Terminal) -> None:
    assert {"database_url_file", "secret_key_file", "public_url", "mail_from", "currency"} <= EXAMPLE.keys()
    done = terminal.call("serve", **with_secrets(terminal, EXAMPLE, SECRETS | {"secret-key": ""}))
    assert done.sentence == "LOOTKEEP_SECRET_KEY_FILE: the file is empty."


def test_pods_wait_for_the_migration(terminal: Terminal, new_postgres_url: str) -> None:
    settings = with_secrets(terminal, CONFIG_MAP, SECRETS | {"database-url": new_postgres_url})
    serve = next(yaml.safe_load_all((DEPLOY / "kubernetes/serve.yaml").read_text()))
    (waits,) = serve["spec"]["template"]["spec"]["initContainers"]
    with subprocess.Popen(
        waits["command"], env=with_program(settings), stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as pod:
        assert pod.stdout
        first = pod.stdout.readline()
        assert pod.poll() is None, "It does not wait."
        assert terminal.call("migrate", **settings).code == 0
        assert pod.wait(SECONDS) == 0
    assert "lootkeep migrate" in first


def test_a_backup_is_written_and_then_old_ones_are_deleted(terminal: Terminal, tmp_path: Path) -> None:
    with terminal.serving(log_level="error"):
        pass
    folder = tmp_path / "backups"
    old, recent, other = (_aged(folder / name, days) for name, days in (("a.backup", 16), ("b.backup", 13), ("c", 99)))
    done = subprocess.run([BACKUP, folder, "14"], cwd=tmp_path, env=with_program({}), capture_output=True, check=False)
    assert (done.returncode, done.stderr) == (0, b"")
    (new,) = set(folder.iterdir()) - {old, recent, other}
    assert (old.exists(), recent.exists(), other.exists()) == (False, True, True)
    (tmp_path / "restored").mkdir()
    terminal.folder = tmp_path / "restored"
    assert terminal.call("restore", str(new)).code == 0


def test_old_backups_stay_while_new_ones_fail(tmp_path: Path) -> None:
    old = _aged(tmp_path / "backups" / "a.backup", 99)
    done = subprocess.run(
        [BACKUP, old.parent, "14"], cwd=tmp_path, env=with_program({}), capture_output=True, check=False
    )
    assert (done.returncode, list(old.parent.iterdir())) == (1, [old])
    assert b"There is no database" in done.stderr


def test_compose_backs_up_at_once_and_is_healthy_while_the_newest_backup_is_recent(
    terminal: Terminal, tmp_path: Path
) -> None:
    assert terminal.call("migrate").code == 0
    service = yaml.safe_load((DEPLOY / "compose.yaml").read_text())["services"]["backup"]
    folder = tmp_path / "backups"
    folder.mkdir()
    loop, (_, check) = [
        [part.replace("/backups", str(folder)) for part in parts]
        for parts in ([*service["entrypoint"], *service["command"]], service["healthcheck"]["test"])
    ]
    assert subprocess.run(["sh", "-c", check], check=False).returncode == 1
    path = f"{DEPLOY}:{with_program({})['PATH']}"
    with subprocess.Popen(
        loop, cwd=tmp_path, env=with_program({}) | {"PATH": path}, stdout=subprocess.PIPE, text=True, process_group=0
    ) as backups:
        assert backups.stdout
        line = backups.stdout.readline()
        os.killpg(backups.pid, signal.SIGTERM)
    (file,) = folder.iterdir()
    assert line.startswith(f"{file} is complete")
    assert subprocess.run(["sh", "-c", check], check=False).returncode == 0
    _aged(file, days=2)
    assert subprocess.run(["sh", "-c", check], check=False).returncode == 1


def with_secrets(terminal: Terminal, settings: dict[str, str], secrets: dict[str, str]) -> dict[str, str]:
    """With the files that `_FILE` names, as `echo` writes them."""
    for file, content in secrets.items():
        (terminal.folder / file).write_text(f"{content}\n")
    return {name: value.replace("/etc/lootkeep", str(terminal.folder)) for name, value in settings.items()}


def with_program(settings: dict[str, str]) -> dict[str, str]:
    return environment(settings) | {"PATH": f"{PROGRAM.parent}:{os.environ['PATH']}"}


def _aged(file: Path, days: int) -> Path:
    file.parent.mkdir(exist_ok=True)
    file.touch()
    then = time.time() - days * DAY_SECONDS
    os.utime(file, (then, then))
    return file
