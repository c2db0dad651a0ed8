"""The observability of a process: log lines, and traces if a collector is configured."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import NamedTuple

from lootkeep.engines.lines import Lines
from lootkeep.engines.tracing import Tracer
from lootkeep.kernel.errors import StartupError
from lootkeep.settings import Settings


class Observation(NamedTuple):
    lines: Lines | None = None
    tracer: Tracer | None = None


NOT_OBSERVED = Observation()


@asynccontextmanager
async def observing(settings: Settings) -> AsyncIterator[Observation]:
    """When the block ends, everything that was recorded is written and sent."""
    lines, tracer = make_lines(settings), _tracer(settings)
    try:
        yield Observation(lines, tracer)
    finally:
        lines.flush()
        if tracer:
            await asyncio.to_thread(tracer.close)


def make_lines(settings: Settings) -> Lines:
    return Lines(settings.log_level, settings.log_format, settings.log_sample)


def _tracer(settings: Settings) -> Tracer | None:
    if settings.traces_url is None:
        return None
    # An extra that few install; it is loaded only if needed.
    try:
        from lootkeep.engines.tracing.otlp import OtlpTracer
    except ModuleNotFoundError:
        raise StartupError("LOOTKEEP_TRACES_URL needs OpenTelemetry: install `lootkeep[otel]`.") from None
    return OtlpTracer(settings.traces_url)
