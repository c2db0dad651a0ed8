"""Runs the scripts of these tests in PHP."""

from __future__ import annotations

import asyncio
import functools
import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.programs import PROGRAMS_OF_TESTS, CannotStart, installed

HERE = Path(__file__).parent


@functools.cache
def php() -> str:
    """PHP with all that the tests need; fails the test with a sentence where there is none."""
    try:
        program = installed("php")
    except CannotStart as problem:
        pytest.fail(str(problem), pytrace=False)
    needs = (
        "exit(extension_loaded('curl') && stream_resolve_include_path('PHPStan/PhpDocParser/autoload.php') ? 0 : 1);"
    )
    if subprocess.run([program, "-r", needs], check=False).returncode:
        packages = PROGRAMS_OF_TESTS["php"]
        pytest.fail(f"PHP lacks a part that the tests need: run `apt-get install {packages}` as root.", pytrace=False)
    return program


async def run(script: str, value: Any, *options: str) -> Any:
    """What a script next to this file prints; the loop goes on meanwhile, for what it calls."""
    process = await asyncio.create_subprocess_exec(
        php(),
        *options,
        str(HERE / script),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )
    output, _ = await process.communicate(json.dumps(value).encode())
    assert process.returncode == 0, output.decode()
    return json.loads(output)
