"""The samples of the reference page are run as they are shown, and call what they are shown for."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
import trustme

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


def test_every_python_program_calls_its_operation(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("LOOTKEEP_TOKEN", TOKEN)
    # Each makes a client, which reads all authorities it trusts; none is needed for plain HTTP.
    trustme.CA().cert_pem.write_to_path(str(tmp_path / "authority.pem"))
    monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "authority.pem"))
    with recording() as recorder:
        for program in programs("python", recorder.url):
            exec(program, {})
    check_samples(recorder.requests)
