"""Signing in by the word of nginx and of Caddy, set up as the docs say, while clients send the same headers."""

from __future__ import annotations

import re
import ssl
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from threading import Thread
from urllib.parse import urlsplit

import httpx
import pytest
import trustme

from tests.cli.terminal import SECONDS, environment, served, start
from tests.proxies import caddy, nginx
from tests.rules.tree import ROOT

SIGNED_IN = {"X-Signed-In": "bo@store.example"}
SMUGGLED = {"Remote-Email": "owner@lootkeep.local", "Remote-Groups": "admins"}
PROXIES = {"nginx": nginx, "caddy": caddy}


class Answer(BaseHTTPRequestHandler):
    """Lets everyone pass, and names who says so: what the proxy makes of a client's headers is the question."""

    def do_GET(self) -> None:
        self.send_response(200)
        if email := self.headers["X-Signed-In"]:
            self.send_header("Remote-Email", email)
            self.send_header("Remote-Groups", "users, admins")
        self.end_headers()

    def log_message(self, *_: object) -> None:
        """Nothing."""


@contextmanager
def asking() -> Iterator[str]:
    """Where the proxy asks who someone is."""
    with HTTPServer(("127.0.0.1", 0), Answer) as server:
        thread = Thread(target=server.serve_forever)
        thread.start()
        yield f"127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


@pytest.mark.parametrize("name", PROXIES)
def test_the_proxy_of_the_docs_names_who_it_asked_for_and_nobody_else(tmp_path: Path, name: str) -> None:
    authority = trustme.CA()
    proxy: Callable[[str, trustme.CA, str], AbstractContextManager[str]] = PROXIES[name]
    (block,) = re.findall(rf"```{name}\n(.*?)```", (ROOT / "docs/operate/single-sign-on.md").read_text(), re.DOTALL)
    settings = {
        "proxy_auth_header": "Remote-Email",
        "proxy_auth_networks": "127.0.0.1/32",
        "proxy_auth_groups_header": "Remote-Groups",
        "proxy_auth_roles": "admins=owner; helpers=Support",
        "log_level": "warning",
    }
    trust = ssl.create_default_context()
    authority.configure_trust(trust)
    with asking() as asked, served(start(tmp_path, environment(settings), "serve", "--port", "0")) as server:
        block = block.replace("127.0.0.1:9091", asked).replace("127.0.0.1:8000", urlsplit(server.url).netloc)
        with proxy(server.url, authority, block) as url:
            pages = []
            for headers in (SIGNED_IN, SIGNED_IN | SMUGGLED, SMUGGLED, {}):
                with httpx.Client(
                    base_url=url, verify=trust, headers=headers, follow_redirects=True, timeout=SECONDS
                ) as http:
                    page = http.get("/console/account")
                    pages.append((page.url.path, SIGNED_IN["X-Signed-In"] in page.text))
    assert pages == [("/console/account", True)] * 2 + [("/console/sign-in", False)] * 2
