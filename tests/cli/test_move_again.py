"""A move that is refused, repeated or fails says what is true, and leaves one store."""

from __future__ import annotations

import asyncio
from pathlib import Path

import asyncpg
import pytest

from lootkeep.kernel import files
from lootkeep.kernel.errors import StartupError
from lootkeep.settings import Settings
from lootkeep.wiring.transfer import source_of
from tests.cli import moved_store
from tests.cli.moved_store import dump, settings
from tests.cli.terminal import SECONDS, Terminal
from tests.conftest import ENGINES
from tests.disk import small_files

GOES_ON = "The store goes on where it was."
BAD_URLS = ("foo", "", "sqlite:///", "mysql://host/name", "postgresql://u:a/b@h/n", "sqlite:///:memory:")


@pytest.fixture
def store(terminal: Terminal) -> Terminal:
    moved_store.make(terminal.folder)
    terminal.settings = settings("sqlite:///lootkeep.db")
    return terminal


@pytest.fixture(params=ENGINES)
def target(request: pytest.FixtureRequest) -> str:
    """An empty database of each engine."""
    return str(request.getfixturevalue("new_postgres_url")) if request.param == "postgresql" else "sqlite:///new.db"


def test_of_two_moves_at_once_to_different_files_one_ends_and_the_store_is_there(
    store: Terminal, tmp_path: Path
) -> None:
    first = dump(store, tmp_path / "first")
    (store.folder / "other").mkdir()
    urls = ("sqlite:///new.db", "sqlite:///other/new.db")
    moves = [store.start("move", "--to", url, "--yes") for url in urls]
    errors = [move.communicate(timeout=SECONDS)[1] for move in moves]
    codes = [move.returncode for move in moves]
    assert sorted(codes) == [0, 1], errors
    assert "was moved to sqlite:///" in errors[codes.index(1)]
    store.settings = settings(urls[codes.index(0)])
    assert dump(store, tmp_path / "second") == first


def test_of_two_moves_at_once_to_one_file_none_destroys_the_draft_of_the_other(store: Terminal, tmp_path: Path) -> None:
    first = dump(store, tmp_path / "first")
    moves = [store.start("move", "--to", "sqlite:///new.db", "--yes") for _ in range(2)]
    errors = [move.communicate(timeout=SECONDS)[1] for move in moves]
    assert 0 in [move.returncode for move in moves], errors
    assert not any("Traceback" in error for error in errors)
    store.settings = settings("sqlite:///new.db")
    assert dump(store, tmp_path / "second") == first


def test_a_draft_that_another_process_writes_is_left_alone(store: Terminal, tmp_path: Path) -> None:
    assert store.call("export", str(tmp_path / "out")).code == 0
    draft = store.folder / "new.db.importing"
    draft.write_text("half a store")
    with files.locked(store.folder, "test"):
        moved = store.call("move", "--to", "sqlite:///new.db")
        imported = store.call("import", "store", str(tmp_path / "out"), database_url="sqlite:///new.db")
    assert moved.sentence == imported.sentence == f"Another import or move is writing to {store.folder}."
    assert draft.read_text() == "half a store"


def test_a_move_that_was_finished_is_not_believed_if_the_store_is_not_there(store: Terminal, target: str) -> None:
    assert store.call("move", "--to", target, "--yes").code == 0
    again = store.call("move", "--to", target, "--yes")
    assert (again.code, "The move was already finished." in again.out) == (0, True), again.err
    _empty(store, target)
    refused = [store.call("move", "--to", target, "--yes").sentence]
    assert store.call("migrate", database_url=target).code == 0
    refused.append(store.call("move", "--to", target, "--yes").sentence)
    assert "is not there any more" in refused[1]
    assert refused[0] in (refused[1], "new.db failed: unable to open database file.")


def test_an_interrupted_move_says_how_it_is_finished(store: Terminal) -> None:
    store.killed_at("wiring/transfer.py:set_stamp:1", "move", "--to", "sqlite:///new.db", "--yes")
    whole = f"sqlite:///{store.folder.resolve()}/new.db"
    refused = store.call("move", "--to", "sqlite:///other.db", "--yes").sentence
    assert refused.endswith(f"If that move was interrupted, run it again with exactly `--to {whole}`.")
    done = store.call("move", "--to", whole, "--yes")
    assert (done.code, "The interrupted move is finished." in done.out) == (0, True), done.err
    assert store.call("token", "list", database_url=whole).code == 0


@pytest.mark.parametrize("url", BAD_URLS)
def test_a_url_that_names_no_database_is_refused(store: Terminal, url: str) -> None:
    refused = store.call("move", "--to", url, "--yes").sentence
    assert refused.startswith(("--to must be", ":memory: is not a file"))
    assert store.call("token", "list").code == 0


def test_the_key_of_another_store_is_refused_before_anyone_is_asked(terminal: Terminal) -> None:
    terminal.settings = {"database_url": "sqlite:///lootkeep.db"}
    assert terminal.call("migrate").code == 0
    assert terminal.call("token", "create", "--name", "n", "--all-scopes").code == 0
    foreign = terminal.folder / "new.db.key"
    foreign.write_text("another-key-of-more-than-32-characters")
    refused = terminal.call("move", "--to", "sqlite:///new.db").sentence
    assert refused == "new.db.key is the key of another store. Move it away."
    foreign.unlink()
    assert terminal.call("move", "--to", "sqlite:///new.db", "--yes").code == 0
    assert terminal.call("token", "list", database_url="sqlite:///new.db").code == 0


def test_a_new_database_without_room_is_blamed_and_the_store_goes_on(store: Terminal) -> None:
    # An empty database has less.
    with small_files(1_100_000):
        refused = store.call("move", "--to", "sqlite:///new.db", "--yes").sentence
    assert ("Error: The new database failed: " in refused, refused.endswith(GOES_ON)) == (True, True), refused
    assert not list(store.folder.glob("new.db*"))
    assert store.call("token", "create", "--name", "n", "--all-scopes").code == 0


def test_rights_that_are_missing_are_named(store: Terminal, new_postgres_url: str, worker_id: str) -> None:
    user, name = f"lootkeep_{worker_id}_stranger", new_postgres_url.rsplit("/", 1)[1]
    asyncio.run(_execute(new_postgres_url, f"DROP ROLE IF EXISTS {user}; CREATE ROLE {user} LOGIN"))
    refused = store.call("move", "--to", new_postgres_url.replace("postgres@", f"{user}@"), "--yes").sentence
    asyncio.run(_execute(new_postgres_url, f"DROP ROLE {user}"))
    assert f"`GRANT CREATE ON DATABASE {name} TO {user}; GRANT CREATE ON SCHEMA public TO {user}`." in refused
    assert "HINT" not in refused


async def test_the_old_database_is_blamed_if_its_writers_cannot_be_held(new_postgres_url: str) -> None:
    with pytest.raises(StartupError, match=r'^The database of the store failed: relation "alerts" does not exist\.$'):
        async with source_of(Settings(database_url=new_postgres_url), holds_writes=True):
            pass


def _empty(store: Terminal, url: str) -> None:
    if url.startswith("sqlite"):
        (store.folder / "new.db").unlink()
    else:
        asyncio.run(_execute(url, "DROP SCHEMA public CASCADE; CREATE SCHEMA public"))


async def _execute(url: str, statements: str) -> None:
    connection = await asyncpg.connect(url)
    await connection.execute(statements)
    await connection.close()
