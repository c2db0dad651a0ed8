"""Posts a body to a receiver."""

from __future__ import annotations

from lootkeep.domain.deliveries import AttemptResult
from lootkeep.engines.outbound import Outbound
from tests.receiver import Behaviour, Receiver

BODY = b'{"id":"wh_1"}'
HEADERS = {"X-Webhook-Event": "order.paid"}
OK = b"HTTP/1.1 200 OK\r\n"


async def post(outbound: Outbound, receiver: Receiver, behaviour: Behaviour | None = None) -> AttemptResult:
    receiver.behaviour = behaviour
    return await outbound.post(receiver.url, BODY, HEADERS)
