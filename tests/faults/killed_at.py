"""Runs a program that kills itself when one of its functions is called for the nth time: killed_at.py MARK PROGRAM ...

A mark is `FILE:FUNCTION:N`, with the end of the file's path, or `FILE:FUNCTION:N:SIGINT` for Ctrl-C there. The program
is the real one, and so is the SIGKILL.
"""

from __future__ import annotations

import os
import runpy
import signal
import sys
import threading
from types import FrameType
from typing import Any

FILE, FUNCTION, CALLS, *SIGNAL = sys.argv[1].split(":")
_NUMBER = signal.Signals[SIGNAL[0]] if SIGNAL else signal.SIGKILL
_calls = 0


def watch(frame: FrameType, event: str, argument: Any) -> None:
    global _calls
    code = frame.f_code
    if event == "call" and code.co_name == FUNCTION and code.co_filename.endswith(FILE):
        _calls += 1
        if _calls == int(CALLS):
            os.kill(os.getpid(), _NUMBER)


# The program finds what it would find without us.
sys.argv, sys.path[0] = sys.argv[2:], os.path.dirname(sys.argv[2])
threading.setprofile(watch)
sys.setprofile(watch)
runpy.run_path(sys.argv[0], run_name="__main__")
