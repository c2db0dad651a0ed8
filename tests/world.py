"""The environment of a test: a real database, a manual clock, and a client that calls the API."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from functools import cache
from typing import Any

import httpx
from msgspec.structs import replace

from lootkeep import wiring
from lootkeep.api.http.auth import Tokens
from lootkeep.api.http.limits import Limits
from lootkeep.api.http.metrics import Metrics
from lootkeep.api.http.openapi import failures
from lootkeep.deps import Deps
from lootkeep.domain.access import SCOPES
from lootkeep.domain.webhooks import reachable
from lootkeep.engines.intelligence import Intelligence
from lootkeep.engines.outbound import Outbound
from lootkeep.engines.ratelimit.memory import MemoryRateLimiter
from lootkeep.engines.resolver import Resolver
from lootkeep.engines.vault import Vault
from lootkeep.kernel.clock import Instant, ManualClock, instant
from lootkeep.kernel.errors import AppError
from lootkeep.kernel.ids import Ids
from lootkeep.services import access as access_service
from lootkeep.settings import Settings
from lootkeep.storage.engine.database import Engine
from lootkeep.storage.engine.postgres_replica import Replica
from lootkeep.wiring import serving
from lootkeep.wiring.store import current_settings
from lootkeep.worker.loop import Worker
from tests.ids import CountingIds

# Of the connection and of the path: no operation names them.
UNNAMED = {400, 405, 408}
NOON = instant(datetime(2026, 11, 15, 12, 0, 0, tzinfo=UTC))
EXTERNAL = "/api/external/v1"
# The same for every world on a shared database, which stores a fingerprint of its key.
KEY = "a-secret-key-of-more-than-32-characters"


@cache
def default_settings() -> Settings:
    """Made once: it takes longer than all the rest of a world."""
    return Settings(_env_file=None)


def assert_documented(answer: httpx.Response) -> None:
    """Whatever a test does: the status of the answer is one that the OpenAPI document names for the operation."""
    try:
        route, _ = wiring.router().find(answer.request.method, answer.request.url.path)
    except AppError:
        return
    named = {route.answer.status, *map(int, failures.refs(route)), *([200] if route.answer.repeated else []), *UNNAMED}
    assert answer.status_code in named, f"{route.method} {route.path} answers an undocumented {answer.text}"


class World:
    """The services, API and client of a test, on one engine."""

    def __init__(
        self,
        db: Engine,
        *,
        clock: ManualClock | None = None,
        ids: Ids | None = None,
        resolver: Resolver | None = None,
        token_version: Callable[[], int | None] = lambda: None,
        replica: Replica | None = None,
        has_mail_server: bool = True,
        **settings: Any,
    ) -> None:
        self.db = db
        self.token_version = token_version
        self.clock = clock or ManualClock(Instant(NOON))
        self.settings = Settings(_env_file=None, **settings) if settings else default_settings()
        rules = wiring.webhook_rules(self.settings)
        self.outbound = Outbound(reachable(rules), resolver=resolver)
        # Only the lists in the `data_dir` of the test: the data of packages changes with their version.
        self.intelligence = Intelligence(settings.get("data_dir"), self.clock, bundled=tuple)
        current = current_settings(self.settings, self.clock)
        identity = replace(current.value.identity, has_mail_server=has_mail_server)
        current.value = replace(current.value, identity=identity)
        self.deps = Deps(
            self.clock,
            ids or CountingIds(),
            db,
            MemoryRateLimiter(self.clock.monotonic),
            Vault(KEY),
            self.outbound,
            rules,
            current,
            self.intelligence,
            replica=replica,
            openid=wiring.openid_provider(self.settings),
        )
        self.tokens = Tokens(self.deps, token_version)
        self.limits = Limits(self.deps.limiter, self.settings.rate_limit_per_minute, 60)
        self.metrics = Metrics()
        self.app = serving.api(self.deps, self.settings, self.tokens, Worker(()), self.metrics)
        transport = httpx.ASGITransport(self.app, raise_app_exceptions=True)
        self.http = httpx.AsyncClient(transport=transport, base_url="http://store.test")
        self.token = ""

    async def begin(self) -> None:
        """Creates the owner and a token with every scope; fraud detection is on, as in any new store."""
        await access_service.ensure_owner(self.deps)
        self.token = await self.new_token(*SCOPES)

    async def new_token(self, *scopes: str, **options: Any) -> str:
        secret, _ = await access_service.create_token(self.deps, name="test", scopes=scopes, **options)
        return secret

    async def call(
        self, method: str, path: str, json: Any = None, *, token: str | None = None, **options: Any
    ) -> httpx.Response:
        """Calls with the world's token unless another is given; a path without /api is the External API's."""
        headers = {"Authorization": f"Bearer {self.token if token is None else token}", **options.pop("headers", {})}
        url = path if path.startswith("/api/") else EXTERNAL + path
        if json is not None:
            options["json"] = json
        answer = await self.http.request(method, url, headers=headers, **options)
        assert_documented(answer)
        return answer

    async def get(self, path: str, **options: Any) -> httpx.Response:
        return await self.call("GET", path, **options)

    async def post(self, path: str, json: Any = None, **options: Any) -> httpx.Response:
        return await self.call("POST", path, json, **options)

    async def put(self, path: str, json: Any = None, **options: Any) -> httpx.Response:
        return await self.call("PUT", path, json, **options)

    async def delete(self, path: str, json: Any = None, **options: Any) -> httpx.Response:
        return await self.call("DELETE", path, json, **options)

    async def close(self) -> None:
        await self.outbound.close()
        await self.http.aclose()
