"""No URL makes the service dial a private IP: on create, update, test and delivery.

The loop is the test's own: it asks the test's own name server, notes every address that is dialled, and lets none
but loopback through. Behind each payload listens a real socket, so that a leak would be a connection.
"""

from __future__ import annotations

import asyncio
import dataclasses
import ipaddress
import shutil
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import NamedTuple

import msgspec
import pytest

from lootkeep.deps import Deps
from lootkeep.domain.webhooks import SECRET_PURPOSE, new
from lootkeep.engines.outbound import Outbound
from lootkeep.engines.wakeup import Wakeup
from lootkeep.kernel.paging import ListRequest, PageRequest
from lootkeep.services import webhooks as webhooks_service
from lootkeep.storage.engine.sqlite import SqliteDatabase
from lootkeep.storage.events import outbox as outbox_db
from lootkeep.storage.webhooks import endpoints as endpoints_db, log as log_db
from lootkeep.worker.deliveries import DeliveryWorker
from tests.engines.hostile_urls import HOSTS, PUBLIC, PUBLIC6, URL_HOSTS
from tests.engines.watched_loop import WatchedLoop, watched
from tests.receiver import Receiver
from tests.worker.delivering import work
from tests.world import World

# Loading certificates takes longer than a request.
TLS = ssl.create_default_context()


class SsrfEnvironment(NamedTuple):
    """A world that may dial only public IPs, with listeners where a leak would lead."""

    world: World
    four: Receiver
    six: Receiver
    loop: WatchedLoop

    def urls(self) -> list[str]:
        """URLs of each host with the port of its listener, with and without TLS."""
        return [
            f"{scheme}://{host}:{self.six.port if host.startswith('[') else self.four.port}/hook"
            for host in URL_HOSTS
            for scheme in ("https", "http")
        ]

    def check(self) -> None:
        assert (self.four.connects, self.six.connects) == (0, 0)
        assert set(self.loop.dialled) <= {PUBLIC, PUBLIC6}

    async def add(self, *urls: str) -> list[int]:
        """Adds rows as they could have been stored before a rule existed."""
        secret = self.world.deps.vault.seal("whsec_AAAA", SECRET_PURPOSE)
        async with self.world.db.write() as tx:
            return [
                (await endpoints_db.add(tx, new(url, '["product.created"]', secret, self.world.clock.now()))).id
                for url in urls
            ]

    @asynccontextmanager
    async def deps(self) -> AsyncIterator[Deps]:
        """Deps with their own client, which caches no name."""
        outbound = Outbound((), TLS, self.loop.resolver())
        yield dataclasses.replace(self.world.deps, outbound=outbound)
        await outbound.close()


@contextmanager
def scene(folder: Path, template: Path) -> Iterator[tuple[WatchedLoop, Path]]:
    shutil.copy(template, folder / "test.db")
    with watched() as loop:
        yield loop, folder / "test.db"


def play(loop: WatchedLoop, file: Path, act: Callable[[SsrfEnvironment], Awaitable[None]]) -> None:
    async def on_stage() -> None:
        world = World(SqliteDatabase(file), resolver=loop.resolver(), rate_limit_per_minute=0)
        await world.begin()
        try:
            async with Receiver() as four, Receiver(host="::1") as six:
                await act(SsrfEnvironment(world, four, six, loop))
        finally:
            await world.close()
            await world.db.close()

    loop.run_until_complete(on_stage())


def test_there_are_enough_payloads() -> None:
    assert len(set(URL_HOSTS)) >= 300


def test_the_test_setup_would_detect_a_leak(tmp_path: Path, sqlite_template: Path) -> None:
    """With loopback allowed the same payloads do reach the listeners: the names, the numbers and the literals."""

    async def act(scene: SsrfEnvironment) -> None:
        open_to_all = Outbound(
            (ipaddress.ip_network("127.0.0.0/8"), ipaddress.ip_network("::1/128")), TLS, scene.loop.resolver()
        )
        for host in ("127.0.0.1", "0x7f000001", "0x7f.1", "four6.evil.example", "localhost"):
            assert (await open_to_all.post(f"http://{host}:{scene.four.port}/", b"{}", {})).is_delivered, host
        assert (await open_to_all.post(f"http://six1.evil.example:{scene.six.port}/", b"{}", {})).is_delivered
        await open_to_all.close()
        assert scene.four.connects + scene.six.connects == 6

    with scene(tmp_path, sqlite_template) as (loop, file):
        play(loop, file, act)


def test_a_private_ip_literal_is_rejected_on_create_and_update(tmp_path: Path, sqlite_template: Path) -> None:
    async def act(scene: SsrfEnvironment) -> None:
        good = {"url": "https://shop.example/", "events": ["product.created"]}
        await scene.world.post("/webhooks", good)
        for host in HOSTS:
            if host.lower().endswith((".localdomain", "ip6-localhost", "[v1.127.0.0.1]")):
                # Names like any other: the guard judges them when they are dialled.
                continue
            url = f"https://{host}/hook"
            created = await scene.world.post("/webhooks", good | {"url": url})
            changed = await scene.world.put("/webhooks/1", {"url": url})
            assert (created.status_code, changed.status_code) == (422, 422), url
            assert set(created.json()["errors"]) == {"url"}
        scene.check()

    with scene(tmp_path, sqlite_template) as (loop, file):
        play(loop, file, act)
        assert loop.dialled == []


def test_every_payload_is_rejected_on_create_and_update_or_reaches_nothing(
    tmp_path: Path, sqlite_template: Path
) -> None:
    async def act(scene: SsrfEnvironment) -> None:
        await scene.world.post("/webhooks", {"url": "https://shop.example/", "events": ["product.created"]})
        for host in URL_HOSTS:
            for port in (scene.four.port, scene.six.port):
                url = f"https://{host}:{port}/hook"
                created = await scene.world.post("/webhooks", {"url": url, "events": ["product.created"]})
                changed = await scene.world.put("/webhooks/1", {"url": url})
                assert (created.status_code, changed.status_code) in {(422, 422), (201, 200)}, url
                if created.status_code == 201:
                    webhook = created.json()["data"]["id"]
                    for tested in (webhook, 1):
                        result = await scene.world.post(f"/webhooks/{tested}/test")
                        assert result.json()["data"]["delivered"] is False, url
                    await scene.world.delete(f"/webhooks/{webhook}")
        scene.check()

    with scene(tmp_path, sqlite_template) as (loop, file):
        play(loop, file, act)


def test_no_test_delivery_reaches_a_private_ip(tmp_path: Path, sqlite_template: Path) -> None:
    async def act(scene: SsrfEnvironment) -> None:
        urls = scene.urls()
        webhooks = await scene.add(*urls)
        # Several times: a name may have changed its mind meanwhile.
        for _ in range(3):
            async with scene.deps() as deps:
                results = await asyncio.gather(*(webhooks_service.test(deps, webhook) for webhook in webhooks))
            for url, result in zip(urls, results, strict=True):
                assert (result.is_delivered, result.response_code, bool(result.reason)) == (False, None, True), url
        scene.check()

    with scene(tmp_path, sqlite_template) as (loop, file):
        play(loop, file, act)
        assert {PUBLIC, PUBLIC6} <= set(loop.dialled)


def test_no_delivery_or_redelivery_reaches_a_private_ip(tmp_path: Path, sqlite_template: Path) -> None:
    async def act(scene: SsrfEnvironment) -> None:
        webhooks = await scene.add(*scene.urls())
        async with scene.world.db.write() as tx:
            await outbox_db.append(tx, "product.created", SampleData(), scene.world.clock.now())
        for _ in range(2):
            async with scene.deps() as deps:
                await work(DeliveryWorker(deps, Wakeup(), delays=()))
            await send_all_again(scene, webhooks)
        scene.check()

    with scene(tmp_path, sqlite_template) as (loop, file):
        play(loop, file, act)


class SampleData(msgspec.Struct):
    number: int = 1


async def send_all_again(scene: SsrfEnvironment, webhooks: list[int]) -> None:
    async with scene.world.db.read() as tx:
        for webhook in webhooks:
            ((delivery,), _) = await log_db.LISTING.page(tx, ListRequest(PageRequest(1, 2), {"webhook_id": webhook}))
            assert (delivery.status, delivery.response_code, bool(delivery.reason)) == ("failed", None, True)
            await webhooks_service.redeliver(scene.world.deps, delivery.public_id)


def test_a_name_that_rebinds_between_lookups_is_dialled_only_while_it_is_public(
    tmp_path: Path, sqlite_template: Path
) -> None:
    async def act(scene: SsrfEnvironment) -> None:
        url = f"http://rebinds6.evil.example:{scene.four.port}/hook"
        (webhook,) = await scene.add(url)
        dialled = []
        for _ in range(3):
            async with scene.deps() as deps:
                await webhooks_service.test(deps, webhook)
            dialled.append(len(scene.loop.dialled))
        assert (dialled, scene.loop.dialled) == ([1, 1, 1], [PUBLIC])
        scene.check()

    with scene(tmp_path, sqlite_template) as (loop, file):
        play(loop, file, act)


@pytest.mark.parametrize("network", ["0.0.0.0/0", "169.254.0.0/16", "::/0", "fd00::/8", "100.64.0.0/10"])
def test_an_allow_list_opens_its_range_but_never_metadata(tmp_path: Path, sqlite_template: Path, network: str) -> None:
    async def act(scene: SsrfEnvironment) -> None:
        outbound = Outbound((ipaddress.ip_network(network),), TLS, scene.loop.resolver())
        for host in (
            "169.254.169.254",
            "169.254.170.2",
            "[fe80::a9fe:a9fe]",
            "[fd00:ec2::254]",
            "[::ffff:169.254.169.254]",
            "100.100.100.200",
            "192.0.0.192",
            "168.63.129.16",
            "[fd20:ce::254]",
        ):
            assert not (await outbound.post(f"http://{host}/latest", b"{}", {})).is_delivered
        await outbound.close()

    with scene(tmp_path, sqlite_template) as (loop, file):
        play(loop, file, act)
        assert loop.dialled == []
