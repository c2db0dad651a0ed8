"""Buys a key in an example shop, with the real service and its webhook."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx

from tests.cli.terminal import SECONDS, Serving


def sell_a_key(store: Serving, command: Sequence[str], folder: Path, **variables: str) -> None:
    """Starts the shop with this command, buys twice in one checkout, and tries what must not work."""
    headers = {"Authorization": f"Bearer {store.token}"}
    with httpx.Client(base_url=store.url, headers=headers, timeout=SECONDS) as api:
        product = created(api, "/api/store/v1/products", name="Emberfall", price="9.00", delivery_type="keys")
        empty = created(api, "/api/store/v1/products", name="Hexgarden", price="9.00", delivery_type="keys")
        created(api, f"/api/external/v1/products/{product['id']}/keys", keys=["EMBER-1", "EMBER-2"])
        hook = created(api, "/api/external/v1/webhooks", url="https://shop.example/webhook", events=["order.paid"])
        with started(store, command, folder, WEBHOOK_SECRET=hook["secret"], **variables) as process:
            url = line(process).split()[-1]
            api.put(f"/api/external/v1/webhooks/{hook['id']}", json={"url": f"{url}/webhook"}).raise_for_status()
            with httpx.Client(base_url=url, timeout=SECONDS) as buyer:
                assert "Emberfall, 9.00" in buyer.get("/").text
                form = {"checkout": "b7d1", "product": str(product["id"]), "email": "mira@example.com"}
                pages = [buyer.post("/buy", data=form) for _ in range(2)]
                assert {page.headers["location"] for page in pages} == {"/orders/b7d1"}
                assert line(process).endswith(" to mira@example.com.\n")
                assert "<code>EMBER-1</code>" in buyer.get("/orders/b7d1").text
                sold_out = buyer.post("/buy", data=form | {"checkout": "c2", "product": str(empty["id"])})
                assert (sold_out.status_code, "more than what is in stock" in sold_out.text) == (422, True)
                assert buyer.get("/orders/1").status_code == 404
                forged = buyer.post("/webhook", json={"event_type": "order.paid"})
                assert (forged.status_code, forged.text) == (401, "header_missing")
        (customer,) = api.get("/api/store/v1/customers", params={"email": "mira@example.com"}).json()["data"]
        assert customer["orders_count"] == 1


def created(api: httpx.Client, path: str, **body: Any) -> Any:
    answer = api.post(path, json=body)
    assert answer.is_success, answer.text
    return answer.json()["data"]


@contextmanager
def started(store: Serving, command: Sequence[str], folder: Path, **variables: str) -> Iterator[subprocess.Popen[str]]:
    own = {"LOOTKEEP_URL": store.url, "LOOTKEEP_TOKEN": store.token, "PORT": "0"}
    with subprocess.Popen(
        command, cwd=folder, env=os.environ | own | variables, stdout=subprocess.PIPE, text=True
    ) as process:
        try:
            yield process
        finally:
            process.terminate()


def line(process: subprocess.Popen[str]) -> str:
    assert process.stdout
    return process.stdout.readline()
