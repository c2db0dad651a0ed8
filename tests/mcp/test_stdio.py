"""`lootkeep mcp`: the official client starts it and talks to it on standard input and output."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from mcp import Client
from mcp.client.stdio import StdioServerParameters

from lootkeep import wiring
from lootkeep.domain.access import SCOPES
from lootkeep.services import access as access_service
from lootkeep.storage.engine.database import Engine
from tests.cli.import_store import settings_for
from tests.mcp.agents import ARGUMENTS, CHANGES, Agent, open_shop
from tests.sandboxes import drop_sandbox
from tests.world import KEY, World

PROGRAM = Path(sys.executable).with_name("lootkeep")


@pytest.fixture
async def shop(db: Engine, db_location: Path | str) -> AsyncIterator[World]:
    """Its database is known to the command."""
    settings: dict[str, Any] = settings_for(db_location)
    world = World(db, **settings)
    await world.begin()
    await open_shop(world)
    yield world
    await world.close()


def environment(db_location: Path | str, **variables: str) -> dict[str, str]:
    url = f"sqlite:///{db_location}" if isinstance(db_location, Path) else db_location
    return {"LOOTKEEP_DATABASE_URL": url, "LOOTKEEP_SECRET_KEY": KEY, **variables}


@asynccontextmanager
async def started(folder: Path, env: dict[str, str], *options: str) -> AsyncIterator[Agent]:
    server = StdioServerParameters(command=str(PROGRAM), args=["mcp", *options], env=env, cwd=folder)
    async with Client(server) as client:
        yield Agent(client)


async def test_every_tool_answers(shop: World, db_location: Path | str, tmp_path: Path) -> None:
    async with started(tmp_path, environment(db_location, LOOTKEEP_TOKEN=shop.token)) as asking:
        assert await asking.names() == ARGUMENTS.keys()
        answers = {name: await asking.ask(name, **arguments) for name, arguments in ARGUMENTS.items()}
        off = await asking.ask("close_ticket", ticket=1)
    assert {name: answer.text for name, answer in answers.items() if answer.is_error} == {}
    assert "jun@j.example" not in "".join(answer.text for answer in answers.values())
    assert off.code == "changes_off"


async def test_changes_and_personal_data_are_permitted_by_options(
    shop: World, db_location: Path | str, tmp_path: Path
) -> None:
    (tmp_path / "token").write_text(f"{shop.token}\n")
    options = ("--token-file", "token", "--allow-changes", "--personal-data")
    async with started(tmp_path, environment(db_location), *options) as asking:
        assert await asking.names() == ARGUMENTS.keys() | CHANGES.keys()
        ticket = (await asking.ask("read_ticket", ticket=1)).data
        code = (await asking.ask("close_ticket", ticket=1)).data["confirmation"]
        done = await asking.ask("close_ticket", ticket=1, confirmation=code)
        await access_service.revoke_token(shop.deps, 1)
        revoked = await asking.ask("read_ticket", ticket=1)
    assert ticket["customer"]["email"] == {"buyer_text": "jun@j.example"}
    assert not done.is_error
    assert revoked.code == "unauthorized"


async def test_a_test_token_works_on_the_sandbox(shop: World, db_location: Path | str, tmp_path: Path) -> None:
    async with wiring.opened_sandbox(shop.deps, shop.settings) as deps:
        token, _ = await access_service.create_token(deps, name="test", scopes=list(SCOPES))
    async with started(tmp_path, environment(db_location, LOOTKEEP_TOKEN=token)) as asking:
        assert (await asking.ask("find_orders")).data["total"] == 0
    if isinstance(db_location, str):
        await drop_sandbox(db_location)


@pytest.mark.parametrize(
    ("before", "options", "sentence"),
    [
        ("", [], "An agent needs a token: set LOOTKEEP_TOKEN or give --token-file."),
        ("", ["--token-file", "none"], "The file of the token cannot be read: No such file or directory."),
        ("", ["--token-file", "token"], "There is no store at"),
        ("sys.modules['mcp'] = None", [], "Agents need the package mcp, which is not installed here"),
    ],
)
def test_what_is_missing_is_said_in_a_sentence(tmp_path: Path, before: str, options: list[str], sentence: str) -> None:
    (tmp_path / "token").write_text("lk_x")
    code = f"import sys\n{before}\nsys.argv = ['lootkeep', 'mcp', *{options}]\nfrom lootkeep import cli; cli.main()"
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith(f"Error: {sentence}")


def test_an_unknown_token_is_said_in_a_sentence(tmp_path: Path) -> None:
    env = {"LOOTKEEP_TOKEN": "lk_nothing", "PATH": ""}
    subprocess.run([PROGRAM, "migrate"], cwd=tmp_path, env=env, check=True, capture_output=True)
    done = subprocess.run([PROGRAM, "mcp"], cwd=tmp_path, env=env, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith("Error: The token is not valid in this store")
