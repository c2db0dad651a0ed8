"""Starts Python scripts, such as the command, in a copy of a process that has imported the service already.

Importing takes most of a start, and hundreds of tests start the command. The copy is a child of the test's process like
any other: pipes, signals and exit codes are the real ones.
"""

from __future__ import annotations

import atexit
import ctypes
import gc
import json
import os
import random
import runpy
import socket
import subprocess
import sys
import threading
import time
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any, AnyStr

# What a start imports: with any of them missing, a start only takes longer.
_IMPORTED = ("lootkeep.cli", "lootkeep.cli.serve", "lootkeep.wiring.serving", "uvicorn", "uvloop")
_PR_SET_CHILD_SUBREAPER = 36
_MAX_MESSAGE = 1 << 18
_PYTHONPATH = os.environ.get("PYTHONPATH")
_asking = threading.Lock()


class Forked(subprocess.Popen[AnyStr]):
    """`subprocess.Popen` of a Python script, named by its path, with its arguments."""

    def _execute_child(self, args: list[Any], *options: Any) -> None:
        """As Popen does, but that the child is a copy."""
        cwd, env = options[4] or os.getcwd(), os.environ if options[5] is None else options[5]
        if env.get("PYTHONPATH") != _PYTHONPATH:
            # It is to run other code than the server has imported.
            super()._execute_child([sys.executable, *args], *options)  # type: ignore[misc]
            return
        order = {"argv": [*map(str, args)], "cwd": str(cwd), "env": dict(env)}
        # The child's ends of its pipes: -1 is none.
        ends = [options[9], options[12], options[14]]
        with _asking:
            fds = [number if end == -1 else end for number, end in enumerate(ends)]
            socket.send_fds(_server(), [json.dumps(order).encode()], fds)
            self.pid = int(_server().recv(_MAX_MESSAGE))
        self._child_created: bool = True
        self._close_pipe_fds(*options[9:15])  # type: ignore[attr-defined]


def run(args: list[Any], timeout: float | None = None, **options: Any) -> subprocess.CompletedProcess[str]:
    """The output of a script that has ended, as text."""
    with Forked[str](args, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **options) as process:
        try:
            out, err = process.communicate(timeout=timeout)
        except BaseException:
            process.kill()
            raise
    return subprocess.CompletedProcess(args, process.returncode, out, err)


@cache
def _server() -> socket.socket:
    """Started once in a process of tests, and ended with it."""
    # What the server leaves behind becomes ours, so that we can wait for it.
    ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    with theirs:
        process = subprocess.Popen(
            [sys.executable, __file__, str(theirs.fileno())],
            pass_fds=[theirs.fileno()],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
        )
    atexit.register(process.wait)
    atexit.register(ours.close)
    return ours


def _serve(orders: socket.socket) -> dict[str, Any]:
    """Returns in each copy, with what it is to do; exits when the tests have ended."""
    while True:
        message, fds, _, _ = socket.recv_fds(orders, _MAX_MESSAGE, 3)
        if not message:
            sys.exit()
        pid = _fork_twice()
        if pid == 0:
            orders.close()
            for number, fd in enumerate(fds):
                os.dup2(fd, number)
            os.closerange(3, max(fds) + 1)
            order: dict[str, Any] = json.loads(message)
            return order
        for fd in fds:
            os.close(fd)
        orders.send(str(pid).encode())


def _fork_twice() -> int:
    """The child of a child that has ended, whose parent is the nearest process that asked for such."""
    reading, writing = os.pipe()
    between = os.fork()
    if between == 0:
        if pid := os.fork():
            os.write(writing, str(pid).encode())
            os._exit(0)
        os.close(reading)
        os.close(writing)
        return 0
    os.waitpid(between, 0)
    os.close(writing)
    with open(reading) as answer:
        return int(answer.read())


def _become(argv: list[str], cwd: str, env: dict[str, str]) -> None:
    """As if it were started like this."""
    os.chdir(cwd)
    os.environ.clear()
    os.environ.update(env)
    time.tzset()
    random.seed()
    sys.argv, sys.path[0] = argv, str(Path(argv[0]).parent)
    runpy.run_path(argv[0], run_name="__main__")


if __name__ == "__main__":
    for _name in _IMPORTED:
        import_module(_name)
    gc.freeze()
    _become(**_serve(socket.socket(fileno=int(sys.argv[1]))))
