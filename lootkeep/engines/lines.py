"""The log line of every request and delivery: encoded by hand, because there is one for each."""

from __future__ import annotations

import asyncio
import random
import sys
from collections.abc import Callable
from datetime import UTC, datetime

import msgspec
import structlog
from msgspec import UNSET, UnsetType

from lootkeep.engines.logs import is_for_people

log = structlog.get_logger(__name__)

# Anything slower is always logged, regardless of the sample.
SLOW_SECONDS = 0.5
# Short enough for readers, and a process that is killed loses few lines.
_WAIT_SECONDS = 0.1
_MAX_WAITING = 500


class Line(msgspec.Struct, kw_only=True):
    """The ids are those of `Cause`."""

    event: str
    request_id: str | int | None
    order: str | int | UnsetType | None = UNSET
    trace_id: str | int | UnsetType | None = UNSET
    milliseconds: float
    # `test` in the sandbox, which has its own ids.
    mode: str | UnsetType = UNSET
    # The share of such lines that is logged: this one represents 1 / sample of them.
    sample: float | UnsetType = UNSET
    level: str = "info"
    timestamp: datetime | UnsetType = UNSET


class RequestLine(Line, kw_only=True):
    method: str
    path: str
    status: int
    token_id: int | None


class DeliveryLine(Line, kw_only=True):
    delivery: str
    event_id: int
    event_type: str
    webhook: int
    attempt: int
    outcome: str
    reason: str | None


class Lines:
    """Where lines go, and which of them are logged.

    Failures and slow work are always logged. Lines of successful work are collected for a moment and written together,
    because writing is most of their cost.
    """

    def __init__(
        self, level: str, form: str, sample: float = 1.0, *, chance: Callable[[], float] = random.random
    ) -> None:
        self._is_on = level in {"debug", "info"}
        self._is_for_people = is_for_people(form)
        self._sample = sample
        self._chance = chance
        self._waiting: list[Line] = []
        self._encode = msgspec.json.Encoder().encode_lines

    def wants(self, *, is_good: bool, seconds: float) -> bool:
        if not is_good or seconds >= SLOW_SECONDS or self._sample >= 1:
            return self._is_on
        return self._is_on and self._chance() < self._sample

    def write(self, line: Line, *, is_good: bool) -> None:
        if is_good and self._sample < 1 and line.milliseconds < SLOW_SECONDS * 1000:
            line.sample = self._sample
        if self._is_for_people:
            fields = {name: value for name, value in msgspec.structs.asdict(line).items() if value is not UNSET}
            log.info(fields.pop("event"), **fields)
            return
        line.timestamp = datetime.now(UTC)
        self._waiting.append(line)
        if not is_good or len(self._waiting) >= _MAX_WAITING:
            self.flush()
        elif len(self._waiting) == 1:
            asyncio.get_running_loop().call_later(_WAIT_SECONDS, self.flush)

    def flush(self) -> None:
        """Also called before the process ends."""
        lines, self._waiting = self._waiting, []
        if lines:
            sys.stderr.write(self._encode(lines).decode())
            sys.stderr.flush()
