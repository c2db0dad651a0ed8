"""Pages that are the same for everyone until the next release: compressed once, and cached by clients."""

from __future__ import annotations

import gzip
import hashlib
import re
from collections.abc import Mapping
from typing import NamedTuple

from starlette.requests import Request
from starlette.responses import Response

_ETAG = re.compile(r'"[^"]*"')


class Resource(NamedTuple):
    content_type: str
    plain: bytes
    compressed: bytes
    # Weak, because it is the same for both forms.
    etag: str

    @classmethod
    def of(cls, content_type: str, content: bytes) -> Resource:
        # Without a timestamp, so every process has the same bytes.
        compressed = gzip.compress(content, mtime=0)
        return cls(content_type, content, compressed, f'W/"{hashlib.sha256(content).hexdigest()[:32]}"')

    def answer(self, request: Request, headers: Mapping[str, str]) -> Response:
        """304 if the client already has this version, otherwise the content in an encoding it accepts."""
        # no-cache: revalidated each time, which costs a 304; a new release is seen immediately.
        headers = {**headers, "etag": self.etag, "cache-control": "no-cache", "vary": "Accept-Encoding"}
        if self._is_known_to(request):
            return Response(status_code=304, headers=headers)
        headers["content-type"] = self.content_type
        if _accepts_gzip(request.headers.get("accept-encoding", "")):
            return Response(self.compressed, headers={**headers, "content-encoding": "gzip"})
        return Response(self.plain, headers=headers)

    def _is_known_to(self, request: Request) -> bool:
        etags = request.headers.get("if-none-match", "")
        return etags.strip() == "*" or self.etag.removeprefix("W/") in _ETAG.findall(etags)


def _accepts_gzip(accepted: str) -> bool:
    """RFC 9110: the coding by its name, or `*`; a weight of zero excludes it."""
    weights = {}
    for part in accepted.lower().split(","):
        coding, _, weight = part.partition(";")
        weights[coding.strip()] = weight.replace(" ", "")
    weight = weights.get("gzip", weights.get("*", "q=0"))
    return re.fullmatch(r"q=0(\.0*)?", weight) is None
