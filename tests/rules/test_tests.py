"""Tests share what they need through modules for it, and wait for what happens instead of for time to pass."""

from __future__ import annotations

import ast
from collections import Counter
from pathlib import Path

from tests.rules.tree import ROOT, files, name

FILES = files("*.py", under=ROOT / "tests") + files("*.py", under=ROOT / "bench")

_OTHER_PROCESS = "the state of another process, which reports nothing"
_SERVER = "a server that is back, which shows only when it is used"
_NOTHING = "that nothing happens, which has no event"
_CHANCE = "kills at a random moment"
_PACE = "slow on purpose: it is what the test is about"
# How often each file sleeps, and what for: where an event, a line of output or a socket can be awaited, it is.
SLEEPS = {
    "tests/browser.py": (1, "a page that may be left meanwhile, with every script that waits in it"),
    "tests/api/server/serving.py": (1, _OTHER_PROCESS),
    "tests/api/server/test_changed_settings.py": (1, _OTHER_PROCESS),
    "tests/api/server/test_processes.py": (2, _OTHER_PROCESS),
    "tests/api/server/test_rolling_restart.py": (1, _PACE),
    "tests/api/test_lost_database.py": (1, _SERVER),
    "tests/api/test_revoked_tokens.py": (1, "a connection that listens, which nobody announces"),
    "tests/cli/test_backup.py": (1, _OTHER_PROCESS),
    "tests/connect/connecting.py": (1, "what the store has recorded, which nobody announces"),
    "tests/connect/test_rcon.py": (1, "the end of a connection that nobody reads from"),
    "tests/engines/test_http1.py": (1, "the end of a connection that nobody reads from"),
    "tests/engines/test_resolver.py": (1, _PACE),
    "tests/faults/hooks.py": (1, _PACE),
    "tests/faults/kill_bulk.py": (2, _CHANCE),
    "tests/faults/kill_campaigns.py": (3, _CHANCE),
    "tests/faults/kill_connectors.py": (1, _OTHER_PROCESS),
    "tests/faults/kill_inbox.py": (3, _OTHER_PROCESS),
    "tests/faults/kill_workers.py": (3, _CHANCE),
    "tests/faults/rotate_key.py": (1, _PACE),
    "tests/gate.py": (1, _PACE),
    "tests/machines/hosts.py": (1, _OTHER_PROCESS),
    "tests/machines/load.py": (2, _PACE),
    "tests/machines/scenarios.py": (5, "how long a fault lasts"),
    "tests/machines/store.py": (1, _OTHER_PROCESS),
    "tests/proxies.py": (1, _OTHER_PROCESS),
    "tests/receiver.py": (1, _PACE),
    "tests/servers.py": (1, _OTHER_PROCESS),
    "tests/storage/test_postgres_outages.py": (1, _OTHER_PROCESS),
    "tests/storage/test_silent_postgres.py": (1, _SERVER),
    "tests/worker/delivering.py": (1, _OTHER_PROCESS),
    "tests/worker/resting.py": (1, "lines of the log"),
    "tests/worker/test_away.py": (2, _NOTHING),
    "tests/worker/test_waking.py": (2, _NOTHING),
}


def test_no_test_module_is_imported() -> None:
    imports = [f"{name(file)} imports {module}" for file in FILES for module in _imported(file) if _is_test(module)]
    assert imports == [], "Move what is shared to a module whose name does not begin with test_."


def test_a_test_sleeps_only_where_there_is_nothing_to_await() -> None:
    sleeps = Counter({name(file): _sleeps(file) for file in files("*.py", under=ROOT / "tests")})
    expected = Counter({file: count for file, (count, _) in SLEEPS.items()})
    assert +sleeps == expected, "Await an event, or add a row to SLEEPS with the reason."


def test_a_module_gives_each_of_its_constants_a_value_once() -> None:
    """The second value would hold for every use, also for those above it that meant the first."""
    twice = [f"{name(file)}: {constant}" for file in FILES for constant in _twice(file)]
    assert twice == [], "Two values need two names."


def _twice(file: Path) -> list[str]:
    assignments = [node for node in ast.parse(file.read_text()).body if isinstance(node, ast.Assign)]
    names = Counter(target.id for node in assignments for target in node.targets if isinstance(target, ast.Name))
    return [constant for constant, times in names.items() if times > 1 and constant.isupper()]


def _imported(file: Path) -> list[str]:
    modules = []
    for node in ast.walk(ast.parse(file.read_text())):
        if isinstance(node, ast.ImportFrom) and node.module:
            modules += [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]
        elif isinstance(node, ast.Import):
            modules += [alias.name for alias in node.names]
    return modules


def _is_test(module: str) -> bool:
    """Whether it names a file of tests, and not something else whose name begins so."""
    path = ROOT / f"{module.replace('.', '/')}.py"
    return path.name.startswith("test_") and path.exists()


def _sleeps(file: Path) -> int:
    """A pause of 0 only gives way to other tasks."""
    calls = [node for node in ast.walk(ast.parse(file.read_text())) if isinstance(node, ast.Call)]
    sleeps = [call for call in calls if isinstance(call.func, ast.Attribute) and call.func.attr == "sleep"]
    return sum(not (isinstance(call.args[0], ast.Constant) and call.args[0].value == 0) for call in sleeps)
