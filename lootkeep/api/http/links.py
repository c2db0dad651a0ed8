"""The headers of a page: how many items its list has, and where the other pages are (RFC 8288)."""

from __future__ import annotations

from urllib.parse import parse_qsl, urlencode

from lootkeep.api.http.envelope import Headers
from lootkeep.api.http.exchange import Scope
from lootkeep.kernel.paging import PageRequest, last_page

# Proxies refuse a long head. A query of this length is in the header up to four times.
MAX_QUERY = 500


def headers(scope: Scope, page: PageRequest, total: int) -> Headers:
    """The URLs have no host: a client completes them, and a proxy may have another name."""
    count = (b"x-total-count", b"%d" % total)
    raw: bytes = scope["query_string"]
    if len(raw) > MAX_QUERY:
        return [count]
    last = last_page(total, page.size)
    pages = {"first": 1, "prev": min(page.number - 1, last), "next": page.number + 1, "last": last}
    query = [pair for pair in parse_qsl(raw.decode("latin-1"), keep_blank_values=True) if pair[0] != "page"]
    targets = [
        f'<{scope["path"]}?{urlencode([*query, ("page", number)])}>; rel="{name}"'
        for name, number in pages.items()
        if 1 <= number <= last
    ]
    return [count, (b"link", ", ".join(targets).encode())]
