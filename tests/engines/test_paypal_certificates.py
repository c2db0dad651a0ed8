"""The roots that PayPal's certificates are checked against are those of the system, however it stores them."""

from __future__ import annotations

import ssl
from pathlib import Path

import pytest

from lootkeep.engines.paypal_certificates import system_roots
from tests.api.paypal_authority import authority


def stored(cafile: Path | None = None, capath: Path | None = None) -> ssl.DefaultVerifyPaths:
    file, folder = (str(path) if path else "" for path in (cafile, capath))
    return ssl.DefaultVerifyPaths(file, folder, "SSL_CERT_FILE", "", "SSL_CERT_DIR", "")


@pytest.mark.parametrize("is_folder", [False, True], ids=["one file", "a folder"])
def test_roots_are_read_from_one_file_or_from_a_folder(tmp_path: Path, is_folder: bool) -> None:
    roots = [authority(), authority()]
    if is_folder:
        for number, root in enumerate(roots):
            (tmp_path / f"root-{number}.pem").write_bytes(root.pem)
        paths = stored(capath=tmp_path)
    else:
        (tmp_path / "roots.crt").write_bytes(b"".join(root.pem for root in roots))
        paths = stored(cafile=tmp_path / "roots.crt")
    assert list(system_roots(paths)) == [root.certificate for root in roots]


def test_a_system_without_roots_has_none() -> None:
    assert list(system_roots(stored())) == []


def test_the_roots_of_this_system_can_be_read() -> None:
    assert system_roots()
