"""PayPal on loopback: a host with certificates, the key that signs, and events in the form of its definitions."""

from __future__ import annotations

import asyncio
import base64
import json
import ssl
import zlib
from dataclasses import replace
from typing import Any

import httpx
import trustme
from cryptography.hazmat.primitives.asymmetric.padding import PKCS1v15
from cryptography.hazmat.primitives.hashes import SHA256

from lootkeep.api.http.auth import Tokens
from lootkeep.domain.webhooks import LOOPBACK
from lootkeep.engines.outbound import Outbound
from lootkeep.engines.paypal_certificates import PayPalCertificates
from lootkeep.kernel.clock import SECOND, Instant, SystemClock, iso
from lootkeep.wiring import serving
from lootkeep.worker.loop import Worker
from tests.api import paypal_authority
from tests.api.providers import new_source
from tests.receiver import Receiver
from tests.world import World

WEBHOOK_ID = "8PT597110X687430LKGECATA"
NAME = "messageverificationcerts.paypal.com"
SANDBOX_NAME = "messageverificationcerts.sandbox.paypal.com"


class PayPal:
    """PayPal on loopback: a host with certificates, and the key that signs."""

    def __init__(self, world: World, host: Receiver, authority: trustme.CA) -> None:
        self.world = world
        self.host = host
        self.authority = paypal_authority.authority()
        self.use(paypal_authority.issue(self.authority, NAME))
        self.status = 200
        host.behaviour = self._serve
        self.fetched = 0
        self.url = f"https://127.0.0.1:{host.port}/v1/notifications/certs/CERT-360caa42"
        self.hosts = {f"127.0.0.1:{host.port}": NAME}
        certificates = PayPalCertificates(self.hosts, lambda: [self.authority.certificate])
        tls = ssl.create_default_context()
        authority.configure_trust(tls)
        self.outbound = Outbound(LOOPBACK, tls)
        # Certificates of tests are valid today: the clock of the world is not about them.
        world.clock.advance(SystemClock().now() // SECOND * SECOND - world.clock.now())
        deps = replace(world.deps, outbound=self.outbound, certificates=certificates)
        app = serving.api(deps, world.settings, Tokens(deps, lambda: None), Worker(()), world.metrics)
        self.http = httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://store.test")

    def use(self, signed: paypal_authority.Signed) -> None:
        """Signs with it from now on."""
        self.key, self.pem = signed.key, signed.pem

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.fetched += 1
        writer.write(b"HTTP/1.1 %d x\r\nContent-Length: %d\r\n\r\n" % (self.status, len(self.pem)) + self.pem)
        await writer.drain()

    def headers(self, body: bytes, webhook_id: str = WEBHOOK_ID, ago: int = 0) -> dict[str, str]:
        time = iso(Instant(self.world.clock.now() - ago))
        text = f"69cd13f0-d67a|{time}|{webhook_id}|{zlib.crc32(body)}".encode()
        return {
            "paypal-transmission-id": "69cd13f0-d67a",
            "paypal-transmission-time": time,
            "paypal-transmission-sig": base64.b64encode(self.key.sign(text, PKCS1v15(), SHA256())).decode(),
            "paypal-cert-url": self.url,
            "paypal-auth-algo": "SHA256withRSA",
        }

    async def post(self, source: dict[str, Any], body: bytes, headers: dict[str, str]) -> httpx.Response:
        return await self.http.post(source["url"], content=body, headers=headers)

    async def send(self, source: dict[str, Any], *sent: dict[str, Any]) -> None:
        for it in sent:
            body = json.dumps(it).encode()
            answer = await self.post(source, body, self.headers(body))
            assert answer.status_code == 200, answer.text


async def paypal_source(world: World, **fields: Any) -> dict[str, Any]:
    return await new_source(world, provider="paypal", secret=WEBHOOK_ID, **fields)


def event(kind: str, resource: dict[str, Any], number: int = 1) -> dict[str, Any]:
    return {
        "id": f"WH-{number}",
        "event_type": kind,
        "create_time": iso(Instant(number * SECOND + 1_794_743_990 * SECOND)),
        "resource": resource,
    }


def capture(custom_id: str = "1", value: str = "20.00") -> dict[str, Any]:
    return {
        "id": "2GG279541U471931P",
        "status": "COMPLETED",
        "amount": {"currency_code": "USD", "value": value},
        "custom_id": custom_id,
        "supplementary_data": {"related_ids": {"order_id": "5O190127TN364715T"}},
    }


def refund(value: str, so_far: str | None = None) -> dict[str, Any]:
    link = {"rel": "up", "href": "https://api.paypal.com/v2/payments/captures/2GG279541U471931P", "method": "GET"}
    resource = {"id": "1JU08902781691411", "amount": {"currency_code": "USD", "value": value}, "links": [link]}
    if so_far is not None:
        total = {"currency_code": "USD", "value": so_far}
        resource["seller_payable_breakdown"] = {"total_refunded_amount": total}
    return resource


def dispute(outcome: str | None = None) -> dict[str, Any]:
    resource = {
        "dispute_id": "PP-D-27803",
        "reason": "UNAUTHORISED",
        "seller_response_due_date": "2026-12-05T08:00:00.000Z",
        "dispute_amount": {"currency_code": "USD", "value": "20.00"},
        "disputed_transactions": [{"seller_transaction_id": "2GG279541U471931P"}],
    }
    return resource if outcome is None else resource | {"dispute_outcome": {"outcome_code": outcome}}


def every_type(order_id: int) -> list[dict[str, Any]]:
    """One event of each type that is mapped, of one payment."""
    capture_id, n = f"CAPTURE{order_id:010d}", 10 * order_id
    link = {"rel": "up", "href": f"https://api.paypal.com/v2/payments/captures/{capture_id}"}
    paid = capture(str(order_id)) | {"id": capture_id, "supplementary_data": {}}
    disputed = {"dispute_id": f"PP-D-{order_id}", "disputed_transactions": [{"seller_transaction_id": capture_id}]}
    return [
        event("PAYMENT.CAPTURE.COMPLETED", paid, n),
        event("PAYMENT.CAPTURE.DENIED", paid | {"id": f"DENIED{order_id:011d}"}, n + 1),
        event("PAYMENT.CAPTURE.REFUNDED", refund("5.00", "5.00") | {"links": [link]}, n + 2),
        event("PAYMENT.CAPTURE.REVERSED", refund("20.00") | {"links": [link]}, n + 3),
        event("CUSTOMER.DISPUTE.CREATED", dispute() | disputed, n + 4),
        event("CUSTOMER.DISPUTE.RESOLVED", dispute("RESOLVED_SELLER_FAVOUR") | disputed, n + 5),
    ]
