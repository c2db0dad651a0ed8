"""The samples of the reference page are run as they are shown, and call what they are shown for."""

from __future__ import annotations

import os
import subprocess

import pytest

from lootkeep.api.http.reference.samples import LANGUAGES
from tests.clients.recorder import OPERATIONS, TOKEN, check_samples, programs, recording


def test_every_operation_has_a_sample_in_every_language() -> None:
    keys = [language.key for language in LANGUAGES]
    assert {tuple(key for _, key, _, _ in operation.samples) for operation in OPERATIONS} == {tuple(keys)}


def test_every_curl_command_calls_its_operation() -> None:
    with recording() as recorder:
        script = "\n".join(programs("shell", recorder.url))
        subprocess.run(
            ["sh", "-e"],
            input=script.replace("curl '", "curl --silent --show-error --fail '"),
            env=os.environ | {"LOOTKEEP_TOKEN": TOKEN},
            capture_output=True,
            text=True,
            check=True,
        )
    check_samples(recorder.requests)


def test_every_python_program_calls_its_operation(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LOOTKEEP_TOKEN", TOKEN)
    with recording() as recorder:
        for program in programs("python", recorder.url):
            exec(program, {})
    check_samples(recorder.requests)
