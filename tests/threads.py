"""Records the functions that a thread calls, for work that must not run on the event loop thread."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType, ModuleType
from typing import Any

Profile = Callable[[FrameType, str, Any], None]


def calls_of(modules: set[ModuleType], note: Callable[[str], object]) -> Profile:
    """A profiler that records the name of each called function of these modules."""
    files = {module.__file__ for module in modules}

    def profile(frame: FrameType, event: str, _: object) -> None:
        if event == "call" and frame.f_code.co_filename in files:
            note(frame.f_code.co_name)

    return profile


@contextmanager
def watched(*modules: ModuleType) -> Iterator[list[str]]:
    """The functions of these modules that this thread calls."""
    called: list[str] = []
    sys.setprofile(calls_of(set(modules), called.append))
    try:
        yield called
    finally:
        sys.setprofile(None)
