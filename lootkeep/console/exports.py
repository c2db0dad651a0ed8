"""Lists and tables as CSV files for spreadsheets: every row of the filter, in the store's zone, batch by batch."""

from __future__ import annotations

import csv
import io
from collections.abc import AsyncIterator, Sequence

from starlette.responses import Response, StreamingResponse

from lootkeep.console.lists import Shown
from lootkeep.kernel.spreadsheet import plain_cell
from lootkeep.storage import whole_lists as whole_lists_db

# Rows that are read and written together: what is in memory, however many there are.
BATCH = 500
# Without it a spreadsheet reads the file in the encoding of its country.
_BYTE_ORDER_MARK = "\ufeff"


def export(listed: Shown) -> Response:
    """The whole list in the order of its ids, read while it is sent; rows that are added meanwhile do no harm."""
    name = listed.visit.page.title.lower().replace(" ", "-")
    return StreamingResponse(_lines(listed), headers=_headers(name), media_type="text/csv")


async def _lines(listed: Shown) -> AsyncIterator[str]:
    visit, spec = listed.visit, listed.spec
    table = spec.as_file().seen_by(visit)
    yield _BYTE_ORDER_MARK + _written([table.head(visit.formats)])
    last = 0
    while True:
        async with visit.deps.db.read(slow=True) as tx:
            batch = await whole_lists_db.batch(tx, spec.listing, listed.request.filters, last, BATCH)
            rows: Sequence[object] = [row for _, row in batch]
            rows = await spec.load(visit, tx, rows) if spec.load and rows else rows
        yield _written([table.line(row, visit.formats) for row in rows])
        if len(batch) < BATCH:
            return
        last = batch[-1][0]


def csv_file(name: str, lines: Sequence[Sequence[object]]) -> Response:
    """A short table."""
    return whole_file(name, (_BYTE_ORDER_MARK + _written(lines)).encode())


def whole_file(name: str, content: bytes) -> Response:
    return Response(content, headers=_headers(name), media_type="text/csv")


def _written(lines: Sequence[Sequence[object]]) -> str:
    text = io.StringIO()
    csv.writer(text).writerows([plain_cell(cell) if isinstance(cell, str) else cell for cell in line] for line in lines)
    return text.getvalue()


def _headers(name: str) -> dict[str, str]:
    return {"content-disposition": f'attachment; filename="{name}.csv"'}
