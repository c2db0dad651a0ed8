"""The file of a new secret key is read as settings read theirs, and what is wrong with it is said."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from lootkeep import settings, wiring
from lootkeep.cli.key import rotate_key
from tests.cli.terminal import KEY, Terminal

NEW = "b4f0a2d96c1e8375b4f0a2d96c1e8375b4f0a2d96c1e8375"


@pytest.fixture
def store(terminal: Terminal) -> Terminal:
    terminal.settings = {"database_url": "sqlite:///lootkeep.db", "secret_key": KEY}
    assert terminal.call("migrate").code == 0
    assert terminal.call("user", "list").code == 0
    return terminal


def test_a_rotated_store_starts_with_the_file_that_the_rotation_read(
    store: Terminal, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(store.folder)
    Path("new.key").write_text(f"\ufeff {NEW} \n", encoding="utf-8")
    for name, value in store.settings.items():
        monkeypatch.setenv(settings.variable(name), value)
    asyncio.run(rotate_key(settings.load(), Path("new.key"), _at_once, ends_links=False))
    monkeypatch.delenv("LOOTKEEP_SECRET_KEY")
    monkeypatch.setenv("LOOTKEEP_SECRET_KEY_FILE", "new.key")
    asyncio.run(_opened())


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (None, "new.key does not exist. "),
        (b"", "new.key contains no random key of at least 32 characters. "),
        (b"short", "new.key contains no random key of at least 32 characters. "),
        (b"a" * 40, "new.key contains no random key of at least 32 characters. "),
        (b"\xff\xfe" * 20, "new.key: the file must be text."),
    ],
)
def test_a_file_without_a_new_key_is_rejected(store: Terminal, content: bytes | None, sentence: str) -> None:
    if content is not None:
        (store.folder / "new.key").write_bytes(content)
    refused = store.call("key", "rotate", "--new-key", "new.key").sentence
    assert refused.startswith(sentence)


def test_a_folder_is_no_file_of_a_new_key(store: Terminal) -> None:
    refused = store.call("key", "rotate", "--new-key", ".").sentence
    assert refused == ".: the file cannot be read (Is a directory)."


async def _at_once(seconds: float) -> None:
    """Nobody else has the store open."""


async def _opened() -> None:
    async with wiring.opened(settings.load()):
        pass
