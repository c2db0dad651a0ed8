"""Ends the process even if something hangs: a silent database must not keep it alive."""

from __future__ import annotations

import os
import threading

import structlog

log = structlog.get_logger(__name__)

# From the signal to the end: a supervisor waits longer before it kills.
STOP_SECONDS = 14.0
_FORCED = 1


def end_in_time(seconds: float = STOP_SECONDS) -> None:
    """Ends the process after this time unless it has already ended. What was acknowledged is on disk by then."""
    timer = threading.Timer(seconds, _end)
    timer.daemon = True
    timer.start()


def _end() -> None:
    log.error("the process did not end in time after the signal, so it ends now")
    os._exit(_FORCED)
