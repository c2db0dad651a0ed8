"""Hosts as network namespaces on one bridge, which can be cut off from each other."""

from __future__ import annotations

import ctypes
import os
import signal
import subprocess
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from tests.programs import CannotStart, installed

NETWORK = "10.77.0"
_SWITCH = "switch"
_CLONE_NEWNET = 0x40000000


class Network:
    """One namespace for each host, and one for the bridge between them; nothing is left in the machine's own."""

    def __init__(self, hosts: Sequence[str]) -> None:
        self._hosts = hosts
        self._ip = installed("ip")
        self._iptables = installed("iptables")
        self._prefix = f"lootkeep{os.getpid()}"

    def build(self) -> None:
        if os.geteuid() != 0:
            raise CannotStart("The tests of several machines make network namespaces: run them as root.")
        for host in (_SWITCH, *self._hosts):
            self._run("netns", "add", self._name(host))
            self._run("-n", self._name(host), "link", "set", "lo", "up")
        switch = self._name(_SWITCH)
        self._run("-n", switch, "link", "add", "bridge", "type", "bridge")
        self._run("-n", switch, "link", "set", "bridge", "up")
        for host in self._hosts:
            name = self._name(host)
            self._run("-n", name, "link", "add", "eth0", "type", "veth", "peer", "name", host, "netns", switch)
            self._run("-n", name, "address", "add", f"{self.address(host)}/24", "dev", "eth0")
            self._run("-n", name, "link", "set", "eth0", "up")
            self._run("-n", switch, "link", "set", host, "master", "bridge", "up")

    def remove(self) -> None:
        for host in self._hosts:
            self.kill(host)
        for host in (_SWITCH, *self._hosts):
            subprocess.run([self._ip, "netns", "delete", self._name(host)], capture_output=True, check=False)

    def address(self, host: str) -> str:
        return f"{NETWORK}.{self._hosts.index(host) + 1}"

    def command(self, host: str, *arguments: str) -> list[str]:
        return [self._ip, "netns", "exec", self._name(host), *arguments]

    def kill(self, host: str) -> None:
        """Ends every process of the host without warning."""
        listed = subprocess.run(
            [self._ip, "netns", "pids", self._name(host)], capture_output=True, text=True, check=False
        )
        for pid in listed.stdout.split():
            with suppress(ProcessLookupError):
                os.kill(int(pid), signal.SIGKILL)

    @contextmanager
    def partition(self, one: str, other: str) -> Iterator[None]:
        """Inside the block no packet gets from one host to the other."""
        self._filter("-A", one, other)
        try:
            yield
        finally:
            self._filter("-D", one, other)

    def inside(self, host: str, function: Callable[[], Any]) -> Any:
        """Runs the function in a thread of that host."""
        results: list[Any] = []
        thread = threading.Thread(target=lambda: results.append(self._entered(host, function)))
        thread.start()
        thread.join()
        result = results[0] if results else None
        if isinstance(result, BaseException):
            raise result
        return result

    def _entered(self, host: str, function: Callable[[], Any]) -> Any:
        try:
            with Path(f"/run/netns/{self._name(host)}").open() as namespace:
                if ctypes.CDLL(None, use_errno=True).setns(namespace.fileno(), _CLONE_NEWNET):
                    raise OSError(ctypes.get_errno(), "setns failed")
            return function()
        except BaseException as error:
            return error

    def _filter(self, change: str, one: str, other: str) -> None:
        for host, peer in ((one, other), (other, one)):
            command = self.command(host, self._iptables, "-w", change, "INPUT", "-s", self.address(peer), "-j", "DROP")
            subprocess.run(command, check=True)

    def _name(self, host: str) -> str:
        return f"{self._prefix}-{host}"

    def _run(self, *arguments: str) -> None:
        done = subprocess.run([self._ip, *arguments], capture_output=True, text=True, check=False)
        if done.returncode:
            raise CannotStart(f"ip {' '.join(arguments)} failed: {done.stderr}")
