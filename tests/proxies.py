"""Caddy, nginx and HAProxy in front of a service, with the files of deploy/, other ports and our own certificate."""

from __future__ import annotations

import asyncio
import csv
import re
import signal
import socket
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

import trustme

from tests.programs import installed
from tests.rules.tree import ROOT
from tests.servers import accepts, listening, owned_folder

DEPLOY = ROOT / "deploy"


@contextmanager
def caddy(service_url: str, authority: trustme.CA, more: str = "") -> Iterator[str]:
    """Gives the URL of the proxy, whose site begins with `more`."""
    program = installed("caddy")

    def command(folder: Path, port: int) -> Sequence[str]:
        certificate = f"tls {folder}/chain.pem {folder}/key.pem"
        site = _replaced(
            (DEPLOY / "Caddyfile").read_text(),
            r"reverse_proxy serve:8000",
            f"{certificate}\n{more}\n\treverse_proxy {urlsplit(service_url).netloc}",
        )
        # The admin port and port 80 may be in use here.
        (folder / "Caddyfile").write_text(f"{{\n\tadmin off\n\tauto_https disable_redirects\n}}\n{site}")
        variables = [f"LOOTKEEP_PUBLIC_URL=https://localhost:{port}", f"HOME={folder}", f"XDG_DATA_HOME={folder}"]
        return ["env", *variables, program, "run", "--config", f"{folder}/Caddyfile", "--adapter", "caddyfile"]

    with _proxying(command, authority) as url:
        yield url


@contextmanager
def nginx(service_url: str, authority: trustme.CA, more: str = "") -> Iterator[str]:
    """Gives the URL of the proxy, whose server begins with `more`."""
    program = installed("nginx")

    def command(folder: Path, port: int) -> Sequence[str]:
        site = (DEPLOY / "nginx.conf").read_text()
        for pattern, replacement in (
            (r"server 127\.0\.0\.1:8000;", f"server {urlsplit(service_url).netloc};"),
            (r"location / \{", f"{more}\nlocation / {{"),
            (r"listen 80;", f"listen unix:{folder}/plain;"),
            (r"listen 443 ssl", f"listen 127.0.0.1:{port} ssl"),
            (r"listen \[::\]:80;", ""),
            (r"listen \[::\]:443 ssl http2;", ""),
            (r"/etc/\S+/fullchain\.pem", f"{folder}/chain.pem"),
            (r"/etc/\S+/privkey\.pem", f"{folder}/key.pem"),
        ):
            site = _replaced(site, pattern, replacement)
        kinds = ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
        temporary = "\n".join(f"{kind}_temp_path {folder}/{kind};" for kind in kinds)
        (folder / "nginx.conf").write_text(
            f"daemon off;\nmaster_process off;\npid {folder}/pid;\nevents {{}}\n"
            f"http {{\naccess_log off;\n{temporary}\n{site}}}\n"
        )
        return [program, "-e", "stderr", "-c", f"{folder}/nginx.conf"]

    with _proxying(command, authority) as url:
        yield url


@dataclass
class LoadBalancer:
    """HAProxy in front of two servers, `api1` and `api2`."""

    port: int
    _control: Path

    async def until(self, server: str, status: str) -> None:
        while self._status(server) != status:
            await asyncio.sleep(0.05)

    def _status(self, server: str) -> str:
        with socket.socket(socket.AF_UNIX) as control, control.makefile("rw") as lines:
            control.connect(str(self._control))
            lines.write("show stat\n")
            lines.flush()
            rows = list(csv.DictReader(lines))
        # While a check fails or succeeds for the first time it says so, such as `UP 1/2`.
        (found,) = [row["status"] for row in rows if row["svname"] == server]
        return found


@contextmanager
def haproxy(*ports: int) -> Iterator[LoadBalancer]:
    program = installed("haproxy")

    def command(folder: Path, port: int) -> Sequence[str]:
        text = (DEPLOY / "haproxy.cfg").read_text()
        for pattern, replacement in (
            (r"maxconn 4096", f"maxconn 4096\n    stats socket {folder}/control"),
            (r"bind \*:8000", f"bind 127.0.0.1:{port}"),
            (r"10\.0\.0\.11:8000", f"127.0.0.1:{ports[0]}"),
            (r"10\.0\.0\.12:8000", f"127.0.0.1:{ports[1]}"),
        ):
            text = _replaced(text, pattern, replacement)
        (folder / "haproxy.cfg").write_text(text)
        return [program, "-db", "-f", f"{folder}/haproxy.cfg"]

    with (
        owned_folder("proxy") as folder,
        listening(lambda port: command(folder, port), accepts, folder=folder, stop=signal.SIGTERM) as port,
    ):
        yield LoadBalancer(port, folder / "control")


@contextmanager
def _proxying(command: Callable[[Path, int], Sequence[str]], authority: trustme.CA) -> Iterator[str]:
    with owned_folder("proxy") as folder:
        certificate = authority.issue_cert("localhost")
        (folder / "chain.pem").write_bytes(b"".join(pem.bytes() for pem in certificate.cert_chain_pems))
        (folder / "key.pem").write_bytes(certificate.private_key_pem.bytes())
        with listening(lambda port: command(folder, port), accepts, folder=folder, stop=signal.SIGTERM) as port:
            yield f"https://localhost:{port}"


def _replaced(text: str, pattern: str, replacement: str) -> str:
    changed, count = re.subn(pattern, lambda _: replacement, text)
    assert count == 1, f"{pattern} occurs {count} times."
    return changed
