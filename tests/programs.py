"""Finds the programs of this machine that tests need, such as PostgreSQL, and installs Debian's where it may."""

import os
import re
import shutil
import subprocess
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

OLDEST_POSTGRES = 13
# Debian and Red Hat keep the server's programs off PATH.
POSTGRES_FOLDERS = ("usr/lib/postgresql/*/bin", "usr/pgsql-*/bin")

# By their packages: the examples of the docs are run in Node, the PHP client in PHP, the reference page is used in
# Chromium, systemd reads our units, the proxies run with our configurations, and Prometheus reads our alert rules.
PROGRAMS_OF_TESTS = {
    "node": "nodejs",
    "npm": "npm",
    "php": "php-cli php-curl php-phpstan-phpdoc-parser",
    "chromedriver": "chromium-driver",
    "pgbouncer": "pgbouncer",
    "promtool": "prometheus",
    "systemd-analyze": "systemd",
    "caddy": "caddy",
    "nginx": "nginx",
    "haproxy": "haproxy",
    "ip": "iproute2",
    "iptables": "iptables",
}

# Both are there only while the packages are installed, so that no service of theirs runs next to ours.
NO_MAIN_CLUSTER = Path("/etc/postgresql-common/createcluster.d/lootkeep-tests.conf")
NO_SERVICE_START = Path("/usr/sbin/policy-rc.d")
# policy-rc.d answers 101 for "this action is not allowed".
REFUSE = "#!/bin/sh\nexit 101\n"

APT_INSTALL = ("apt-get", "-o", "DPkg::Lock::Timeout=120", "install", "-y", "--no-install-recommends")


class CannotStart(RuntimeError):
    """Reports why there is no server, and what to do about it."""


def postgres_folder() -> Path:
    if folder := _installed_postgres() or (_install("postgresql") and _installed_postgres()):
        return folder
    raise CannotStart(f"PostgreSQL {OLDEST_POSTGRES} or newer was not found, though its package is installed.")


def redis_server() -> str:
    if program := shutil.which("redis-server") or (_install("redis-server") and shutil.which("redis-server")):
        return program
    raise CannotStart("redis-server was not found on PATH, though its package is installed.")


def installed(program: str) -> str:
    """One of `PROGRAMS_OF_TESTS`."""
    # Debian has some off the PATH of everyone but root.
    path = f"{os.environ.get('PATH', os.defpath)}:/usr/sbin"
    if executable := shutil.which(program, path=path) or (
        _install(PROGRAMS_OF_TESTS[program]) and shutil.which(program, path=path)
    ):
        return executable
    raise CannotStart(f"{program} was not found, though its package is installed.")


def want(program: str, package: str) -> None:
    """Installs what some tests use; without it those fail or are not made, and this says so."""
    if shutil.which(program):
        return
    try:
        _install(package)
    except CannotStart:
        print(f"{program} is not installed here: what needs it fails, or is not tested.", flush=True)


def newest_postgres(folders: Iterable[Path]) -> Path | None:
    """The folder with the newest server that is new enough; a client alone does not count."""
    complete = {folder for folder in folders if (folder / "postgres").exists() and (folder / "initdb").exists()}
    versions = {folder: _postgres_version(folder) for folder in sorted(complete)}
    newest = max(versions, key=versions.__getitem__, default=None)
    return newest if newest and versions[newest] >= OLDEST_POSTGRES else None


def _installed_postgres() -> Path | None:
    folders = [folder for pattern in POSTGRES_FOLDERS for folder in Path("/").glob(pattern)]
    if on_path := shutil.which("postgres"):
        # PATH may hold a mere link, without initdb next to it.
        folders.append(Path(on_path).resolve().parent)
    return newest_postgres(folders)


def _postgres_version(folder: Path) -> int:
    answer = subprocess.run([folder / "postgres", "--version"], capture_output=True, text=True, check=False)
    version = re.search(r"\(PostgreSQL\) (\d+)", answer.stdout)
    return int(version[1]) if version else 0


def _install(packages: str) -> bool:
    """Several are separated by spaces."""
    if os.geteuid() != 0 or not shutil.which("apt-get"):
        raise CannotStart(
            f"The tests need {packages}, which is not installed here, and only root on Debian can have it "
            f"installed by this command: run `apt-get install {packages}` as root, then try again."
        )
    print(f"Installing {packages}, with its own service switched off.", flush=True)
    with ExitStack() as stack:
        stack.enter_context(_temporary(NO_MAIN_CLUSTER, "create_main_cluster = false\n"))
        stack.enter_context(_temporary(NO_SERVICE_START, REFUSE))
        _apt("apt-get", "update")
        _apt(*APT_INSTALL, *packages.split())
    if shutil.which("systemctl"):
        # Nor should it come up at the next boot.
        subprocess.run(["systemctl", "disable", *packages.split()], capture_output=True, check=False)
    return True


@contextmanager
def _temporary(path: Path, content: str) -> Iterator[None]:
    # If one is there already, there is a reason for it.
    if path.exists():
        yield
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content)
    path.chmod(0o755)
    try:
        yield
    finally:
        path.unlink()


def _apt(*command: str) -> None:
    outcome = subprocess.run(
        command,
        env=os.environ | {"DEBIAN_FRONTEND": "noninteractive"},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    if outcome.returncode:
        raise CannotStart(f"{outcome.stdout.rstrip()}\nThis failed: {' '.join(command)}")
