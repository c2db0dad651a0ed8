"""The inbox over HTTP: events of payment providers, which have a signature instead of a token."""

from __future__ import annotations

from lootkeep.api.http import envelope
from lootkeep.api.http.body import receive_all
from lootkeep.api.http.errors import BadRequest, MethodNotAllowed
from lootkeep.api.http.exchange import Exchange
from lootkeep.api.http.limits import Limits
from lootkeep.api.http.metrics import Metrics
from lootkeep.api.http.routes import Endpoint, Reply
from lootkeep.deps import Deps
from lootkeep.domain.payments.events import MAX_BODY
from lootkeep.domain.payments.sources import INBOX
from lootkeep.services import payments as payments_service

_ENDPOINT = Endpoint("POST", f"{INBOX}{{source}}")


class Inbox:
    def __init__(self, deps: Deps, limits: Limits, metrics: Metrics | None) -> None:
        self._deps = deps
        self._limits = limits
        self._metrics = metrics

    async def receive(self, exchange: Exchange) -> None:
        scope, deps = exchange.scope, self._deps
        exchange.route = _ENDPOINT
        if scope["method"] != "POST":
            raise MethodNotAllowed(["POST"])
        await self._limits.count_event(exchange.address, deps.clock.now(), exchange.answer_headers)
        body = await receive_all(exchange.receive, MAX_BODY)
        slug = scope["path"].removeprefix(INBOX)
        result = await payments_service.receive(deps, slug, exchange.headers, body)
        if self._metrics:
            self._metrics.events[result].inc()
        if result in payments_service.REJECTIONS:
            # The same for every cause: who guesses learns nothing.
            raise BadRequest("not_accepted", "The event was not accepted: its source or its signature is not right.")
        exchange.status, exchange.body = 200, envelope.success(Reply({"received": True}), None)
