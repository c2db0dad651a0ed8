"""The example shop sells a key: bought from in PHP's own server, with the real service and its webhook."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.cli.terminal import SECONDS, Serving, environment, served, start
from tests.clients.php.programs import php
from tests.rules.tree import ROOT

SHOP = ROOT / "clients/php/example/shop.php"
KEY = "EMBER-1111-2222-3333"


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Serving]:
    settings = environment({"webhook_allow_insecure": "true"})
    with served(start(tmp_path, settings, "serve", "--port", "0")) as server:
        yield server


class Owner:
    """Sets the store up."""

    def __init__(self, store: Serving) -> None:
        self._store = store

    def call(self, method: str, path: str, **body: Any) -> Any:
        headers = {"Authorization": f"Bearer {self._store.token}"}
        url = f"{self._store.url}/api/{path}"
        answer = httpx.request(method, url, json=body or None, headers=headers, timeout=SECONDS)
        assert answer.is_success, answer.text
        return answer.json()["data"]


@contextmanager
def shop(store: Serving, folder: Path, secret: str) -> Iterator[tuple[str, list[str]]]:
    """The URL of the shop, and what its server has logged once it has ended. Its e-mails go to a pipe."""
    mails = folder / "mails"
    os.mkfifo(mails)
    variables = {
        "LOOTKEEP_URL": store.url,
        "LOOTKEEP_TOKEN": store.token,
        "WEBHOOK_SECRET": secret,
        "TMPDIR": str(folder),
        "PATH": os.defpath,
    }
    options = ("-d", f"sendmail_path=cat >{mails}", "-d", "error_reporting=-1", "-d", "log_errors=1")
    command = [php(), *options, "-S", "127.0.0.1:0", str(SHOP)]
    with subprocess.Popen(command, env=variables, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr
        greeting = process.stderr.readline()
        url = re.search(r"\((http://\S+)\) started", greeting)
        assert url, greeting + process.stderr.read()
        log: list[str] = []
        yield url[1], log
        process.terminate()
        log += process.communicate(timeout=SECONDS)[1].splitlines()


def test_a_key_is_bought_and_sent_to_the_buyer(store: Serving, tmp_path: Path) -> None:
    owner = Owner(store)
    product = owner.call("POST", "store/v1/products", name="Ember & Ash", price="9.99", delivery_type="keys")
    owner.call("POST", f"external/v1/products/{product['id']}/keys", keys=[KEY])
    webhook = owner.call("POST", "external/v1/webhooks", url="http://127.0.0.1:9/", events=["order.delivered"])
    with (
        shop(store, tmp_path, webhook["secret"]) as (url, log),
        httpx.Client(base_url=url, timeout=SECONDS) as buyer,
    ):
        owner.call("PUT", f"external/v1/webhooks/{webhook['id']}", url=f"{url}/webhook")
        page = buyer.get("/").text
        assert "Ember &amp; Ash, 9.99 USD" in page
        form = dict(re.findall(r'name="(product|cart)" value="(\w+)"', page))
        form |= {"name": "Jun", "email": "jun@example.com"}
        assert "is paid" in buyer.post("/buy", data=form).text
        # Waits for the webhook: a pipe has an end when its writer has.
        mail = (tmp_path / "mails").read_text()
        assert "is paid" in buyer.post("/buy", data=form).text
        forged = buyer.post("/webhook", content="{}")
        assert (buyer.get("/other").status_code, forged.status_code, "header_missing" in forged.text) == (
            404,
            401,
            True,
        )
        wrong = buyer.post("/buy", data=form | {"product": "99", "cart": "other"})
        assert (wrong.status_code, "That did not work" in wrong.text) == (422, True)
    assert f"Your key: {KEY}" in mail
    assert "To: jun@example.com" in mail
    assert len(owner.call("GET", "store/v1/orders")) == 1
    assert not [line for line in log if "PHP " in line], log
