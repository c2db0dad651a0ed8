"""Caddy and nginx in front of a service, with the configurations of deploy/, other ports and our own certificate."""

from __future__ import annotations

import re
import signal
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit

import trustme

from tests.programs import installed
from tests.rules.tree import ROOT
from tests.servers import accepts, listening, owned_folder

DEPLOY = ROOT / "deploy"


@contextmanager
def caddy(service_url: str, authority: trustme.CA) -> Iterator[str]:
    """Gives the URL of the proxy."""
    program = installed("caddy")

    def command(folder: Path, port: int) -> Sequence[str]:
        certificate = f"tls {folder}/chain.pem {folder}/key.pem"
        site = _replaced(
            (DEPLOY / "Caddyfile").read_text(),
            r"reverse_proxy serve:8000",
            f"{certificate}\n\treverse_proxy {urlsplit(service_url).netloc}",
        )
        # The admin port and port 80 may be in use here.
        (folder / "Caddyfile").write_text(f"{{\n\tadmin off\n\tauto_https disable_redirects\n}}\n{site}")
        variables = [f"LOOTKEEP_PUBLIC_URL=https://localhost:{port}", f"HOME={folder}", f"XDG_DATA_HOME={folder}"]
        return ["env", *variables, program, "run", "--config", f"{folder}/Caddyfile", "--adapter", "caddyfile"]

    with _proxying(command, authority) as url:
        yield url


@contextmanager
def nginx(service_url: str, authority: trustme.CA) -> Iterator[str]:
    """Gives the URL of the proxy."""
    program = installed("nginx")

    def command(folder: Path, port: int) -> Sequence[str]:
        site = (DEPLOY / "nginx.conf").read_text()
        for pattern, replacement in (
            (r"server 127\.0\.0\.1:8000;", f"server {urlsplit(service_url).netloc};"),
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


@contextmanager
def _proxying(command: Callable[[Path, int], Sequence[str]], authority: trustme.CA) -> Iterator[str]:
    with owned_folder("proxy") as folder:
        certificate = authority.issue_cert("localhost")
        (folder / "chain.pem").write_bytes(b"".join(pem.bytes() for pem in certificate.cert_chain_pems))
        (folder / "key.pem").write_bytes(certificate.private_key_pem.bytes())
        with listening(lambda port: command(folder, port), accepts, folder=folder, stop=signal.SIGTERM) as port:
            yield f"https://localhost:{port}"


def _replaced(text: str, pattern: str, replacement: str) -> str:
    changed, count = re.subn(pattern, replacement, text)
    assert count == 1, f"{pattern} occurs {count} times."
    return changed
