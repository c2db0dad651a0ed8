"""The loop of a connector: it takes commands, writes down what it is about to run, runs it, and reports."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Collection
from contextlib import suppress
from typing import Protocol, TypeVar

from lootkeep.toolbox.connect.journal import UNKNOWN, Journal, Outcome
from lootkeep.toolbox.connect.queue import MAX_RESULTS, LeasedCommand, StoreQueue, Unavailable

T = TypeVar("T")

_FIRST_PAUSE_SECONDS = 1.0
_MAX_PAUSE_SECONDS = 60.0
# How long a last report may take after Ctrl-C; what is not reported then is reported by the next start.
_LAST_REPORT_SECONDS = 5.0
_MAX_SHOWN = 200


class NoAnswer(Exception):
    """The command was sent, and nothing says whether it was run."""


class Target(Protocol):
    """Where commands are run."""

    async def connect(self) -> str | None:
        """Returns a sentence if it connected just now; Unavailable if it cannot."""

    async def online(self) -> Collection[str] | None:
        """The ids of the players who are online; None if that is not asked."""

    async def run(self, command: LeasedCommand) -> Outcome: ...

    async def close(self) -> None: ...


class _Stopped(Exception):
    """It was stopped while nothing was being run."""


class Connector:
    """Nothing is taken while the target cannot be reached, and nothing is run that the journal knows."""

    def __init__(self, target: Target, queue: StoreQueue, journal: Journal, say: Callable[[str], None]) -> None:
        self._target = target
        self._queue = queue
        self._journal = journal
        self._say = say
        self._stopping = asyncio.Event()
        self._trouble: str | None = None
        self._pause = _FIRST_PAUSE_SECONDS

    async def run(self) -> None:
        """Until it is stopped; a command that is being run is finished and reported first."""
        try:
            with suppress(_Stopped):
                while True:
                    await self._work()
            with suppress(Unavailable, TimeoutError):
                await asyncio.wait_for(self._report(), _LAST_REPORT_SECONDS)
        finally:
            await self._target.close()
            await self._queue.close()
            self._journal.close()

    def stop(self) -> None:
        self._stopping.set()

    async def _work(self) -> None:
        try:
            await self._unless_stopped(self._report())
            await self._connect()
            online = await self._unless_stopped(self._target.online())
            commands = await self._unless_stopped(self._queue.take(online))
            self._pause = _FIRST_PAUSE_SECONDS
            if self._trouble:
                self._trouble = None
                self._say("Connected again.")
            for command in commands:
                await self._connect()
                await self._handle(command)
        except Unavailable as error:
            # The same trouble is said once.
            if str(error) != self._trouble:
                self._trouble = str(error)
                self._say(f"{error} Trying again.")
            await self._unless_stopped(asyncio.sleep(error.pause_seconds or self._pause))
            self._pause = min(2 * self._pause, _MAX_PAUSE_SECONDS)

    async def _connect(self) -> None:
        sentence = await self._unless_stopped(self._target.connect())
        if sentence:
            self._say(sentence)

    async def _handle(self, command: LeasedCommand) -> None:
        if self._journal.must_not_run(command.id, command.text):
            self._say(f"{command.id}  was run before; its outcome is reported again.")
            self._journal.mark_reported([command.id], is_reported=False)
            return
        self._journal.begin(command.id, command.text)
        try:
            outcome = await self._target.run(command)
        except NoAnswer as error:
            self._end(command, Outcome(False, f"{error} {UNKNOWN}", retry=False))
            raise Unavailable(str(error)) from None
        self._end(command, outcome)

    def _end(self, command: LeasedCommand, outcome: Outcome) -> None:
        self._journal.end(command.id, outcome)
        state = "done  " if outcome.ok else "failed"
        self._say(f"{command.id}  {state}  {_one_line(command.text)}  {_one_line(outcome.output)}".rstrip())

    async def _report(self) -> None:
        while results := self._journal.unreported()[:MAX_RESULTS]:
            await self._queue.report(results)
            self._journal.mark_reported(command_id for command_id, _ in results)

    async def _unless_stopped(self, waiting: Awaitable[T]) -> T:
        task, stopping = asyncio.ensure_future(waiting), asyncio.ensure_future(self._stopping.wait())
        await asyncio.wait((task, stopping), return_when=asyncio.FIRST_COMPLETED)
        stopping.cancel()
        if not self._stopping.is_set():
            return task.result()
        task.cancel()
        await asyncio.wait((task,))
        # An error of what was given up on is of no use to anyone.
        _ = task.cancelled() or task.exception()
        raise _Stopped


def _one_line(text: str) -> str:
    """On one line: what a game answers may hold anything."""
    line = " ".join("".join(sign if sign.isprintable() else " " for sign in text).split())
    return line if len(line) <= _MAX_SHOWN else f"{line[:_MAX_SHOWN]}..."
