"""Makes small mistakes in a module, one at a time, and prints those that its quick tests do not notice.

`make mutants MODULE=lootkeep/domain/orders.py TESTS="tests/domain/test_orders.py tests/api/test_orders.py"`. Each
mistake is a comparison that is turned or moved by one, an `and` for an `or`, a `not` that is left out, or another
number. A line that it prints needs a test, or is not needed.
"""

from __future__ import annotations

import argparse
import ast
import random
import signal
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

_COMPARISONS: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
}
_OPERATORS: dict[type[ast.operator], type[ast.operator]] = {ast.Add: ast.Sub, ast.Sub: ast.Add}


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tools.mutants", description="Find what tests do not notice.")
    parser.add_argument("module", type=Path)
    parser.add_argument("tests", nargs="+", help="files or folders whose quick tests cover the module")
    parser.add_argument("--count", type=int, default=20, help="how many mistakes, chosen at random")
    parser.add_argument("--seed", type=int, default=None)
    options = parser.parse_args()
    original = options.module.read_text()
    tree = ast.parse(original)
    candidates: list[tuple[Any, int]] = [
        (node, index) for node in ast.walk(tree) for index in range(len(getattr(node, "ops", "1")))
    ]
    mistakes = [(node, index) for node, index in candidates if _spoiled(node, index, lambda: True)]
    command = [sys.executable, "-m", "pytest", "--quick", "-q", "-x", "-p", "no:cacheprovider", *options.tests]
    if _is_noticed(command):
        raise SystemExit("The tests fail without a mistake.")
    chosen = random.Random(options.seed).sample(mistakes, min(options.count, len(mistakes)))  # noqa: S311
    unnoticed = 0
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    try:
        for node, index in chosen:
            after, text = _spoiled(node, index, partial(_unparsed, node, tree))
            options.module.write_text(text)
            if not _is_noticed(command):
                unnoticed += 1
                print(f"{options.module}:{node.lineno}: `{ast.unparse(node)}` became `{after}`", flush=True)
    finally:
        options.module.write_text(original)
    print(f"{unnoticed} of {len(chosen)} were not noticed.")
    return 1 if unnoticed else 0


def _is_noticed(command: list[str]) -> bool:
    return subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False).returncode != 0


def _spoiled(node: Any, index: int, look: Callable[[], Any]) -> Any:
    """What is seen while there is a mistake in the node; None if there is nothing to change."""
    before = {name: list(value) if isinstance(value, list) else value for name, value in vars(node).items()}
    try:
        return look() if _spoil(node, index) else None
    finally:
        vars(node).update(before)


def _unparsed(node: ast.AST, tree: ast.Module) -> tuple[str, str]:
    return ast.unparse(node), ast.unparse(tree)


def _spoil(node: Any, index: int) -> bool:
    """Changes the node; False if there is nothing to change."""
    match node:
        case ast.Compare(ops=ops) if type(ops[index]) in _COMPARISONS:
            ops[index] = _COMPARISONS[type(ops[index])]()
        case ast.BoolOp():
            node.op = ast.And() if isinstance(node.op, ast.Or) else ast.Or()
        case ast.UnaryOp(op=ast.Not()):
            node.operand = ast.UnaryOp(ast.Not(), node.operand)
        case ast.BinOp(op=operator) if type(operator) in _OPERATORS:
            node.op = _OPERATORS[type(operator)]()
        case ast.Constant(value=bool(value)):
            node.value = not value
        case ast.Constant(value=int(value)):
            node.value = value + 1
        case _:
            return False
    return True


if __name__ == "__main__":
    sys.exit(main())
