"""The API over a store as a server calls it, without the sockets: token, limits, answer and all."""

from typing import Any

from lootkeep.api.http.auth import Tokens
from lootkeep.api.http.metrics import Metrics
from lootkeep.deps import Deps
from lootkeep.services import access as access_service
from lootkeep.settings import Settings
from lootkeep.wiring import serving
from lootkeep.wiring.observation import Observation, make_lines
from lootkeep.worker.loop import Worker


class EdgeApp:
    """One application, and a token that may read everything as often as it likes."""

    def __init__(self, deps: Deps, token: str, **given: Any) -> None:
        settings = Settings(_env_file=None, rate_limit_per_minute=0, **given)
        self._app = serving.api(
            deps, settings, Tokens(deps, lambda: None), Worker(()), Metrics(), Observation(make_lines(settings))
        )
        self._headers = [(b"host", b"127.0.0.1"), (b"authorization", f"Bearer {token}".encode())]

    @classmethod
    async def opened(cls, deps: Deps, *scopes: str) -> "EdgeApp":
        await access_service.ensure_owner(deps)
        token, _ = await access_service.create_token(deps, name="bench", scopes=scopes)
        return cls(deps, token)

    async def get(self, path: str, query: str) -> bytes:
        """The answer, which must be a good one."""
        scope = {
            "type": "http",
            "method": "GET",
            "path": path,
            "raw_path": path.encode(),
            "query_string": query.encode(),
            "headers": self._headers,
            "client": ("127.0.0.1", 1),
            "scheme": "http",
        }
        sent: list[dict[str, Any]] = []

        async def send(message: Any) -> None:
            sent.append(message)

        await self._app(scope, _nothing_more, send)
        start, *rest = sent
        body = b"".join(message["body"] for message in rest)
        if start["status"] != 200:
            raise SystemExit(f"GET {path}?{query} was answered {start['status']}: {body.decode()}")
        return body


async def _nothing_more() -> dict[str, Any]:
    return {"type": "http.request", "body": b"", "more_body": False}
