"""`lootkeep key`: replaces the secret key of a store."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path
from typing import Annotated, NamedTuple

import typer

from lootkeep import wiring
from lootkeep.cli.output import JsonFlag, out, print_json, run, waiting
from lootkeep.cli.store import existing
from lootkeep.engines import key_file
from lootkeep.engines.vault import Vault
from lootkeep.kernel import files
from lootkeep.kernel.errors import StartupError
from lootkeep.services import key_rotation as key_rotation_service
from lootkeep.services.key_rotation import Wait
from lootkeep.settings import Settings

app = typer.Typer(help="Replace the secret key.", no_args_is_help=True)

NewKeyOption = Annotated[
    Path | None,
    typer.Option(
        "--new-key",
        metavar="FILE",
        help="The file with the new key; needed if the settings contain the current one.",
        show_default=False,
    ),
]
EndLinksFlag = Annotated[
    bool, typer.Option("--end-links", help="Links sent so far stop working, for a key that was stolen.")
]
_GENERATE = "`openssl rand -hex 32` generates one."
_ENDED = "The old key opens nothing any more; keep it only for older backups."
_NEXT = (
    "Set LOOTKEEP_SECRET_KEY to the new one for every process, restart them one after the other, then run "
    "`lootkeep key rotate` with it: that ends the old one."
)


class Rotation(NamedTuple):
    """How many values a run has sealed again, what is next, and whether the old key has ended."""

    values: int
    sentence: str
    is_ended: bool = False


@app.callback()
def _group() -> None:
    """A group, though it has one command."""


@app.command()
def rotate(new_key: NewKeyOption = None, end_links: EndLinksFlag = False, json: JsonFlag = False) -> None:
    """Seal everything with a new key while the store serves. A run that was interrupted is continued by the next."""
    with waiting("Announcing the new key to all processes, and sealing everything with it"):
        rotation = run(rotate_key(existing(), new_key, asyncio.sleep, ends_links=end_links))
    if json:
        print_json({"values": rotation.values, "is_ended": rotation.is_ended})
    else:
        out.print(rotation.sentence, markup=False)


async def rotate_key(config: Settings, new_key: Path | None, wait: Wait, *, ends_links: bool) -> Rotation:
    """As far as it goes with the key of the settings."""
    own_key, file = config.key_sources
    async with wiring.opened(config) as deps:
        if await key_rotation_service.is_for_finish(deps):
            if ends_links:
                raise StartupError("A rotation is under way: run this without --end-links, then once more with it.")
            return Rotation(await key_rotation_service.finish(deps), _ENDED, is_ended=True)
        draft = _draft(new_key, None if own_key else file)
        new = Vault(_read(draft))
        if new.key_mark == deps.vault.key_mark:
            raise StartupError(f"{draft} contains the current key. {_GENERATE}")
        count = await key_rotation_service.rotate(deps, new, wait, ends_links=ends_links)
        if own_key or file is None:
            return Rotation(count, f"The new key has sealed everything again ({count:,} values). {_NEXT}")
        key_file.promote(draft, file)
        new.use(deps.vault.ring)
        await key_rotation_service.finish(replace(deps, vault=new))
    sentence = f"The new key, now in {file}, has sealed everything again ({count:,} values). {_ENDED}"
    return Rotation(count, sentence, is_ended=True)


def _draft(new_key: Path | None, own_file: Path | None) -> Path:
    """Where the new key is; next to the file with the current one it is created."""
    if own_file is None:
        if new_key is None:
            raise StartupError(f"Write a new key to a file and name it with --new-key. {_GENERATE}")
        return new_key
    if new_key is not None:
        raise StartupError(f"The key of this store is in {own_file}: run this without --new-key.")
    draft = key_file.next_of(own_file)
    key_file.make(draft)
    return draft


def _read(draft: Path) -> str:
    try:
        key = files.secret_in(draft)
    except ValueError as error:
        raise StartupError(f"{draft}: {error}.") from None
    if key is None:
        raise StartupError(f"{draft} does not exist. {_GENERATE}")
    if len(key) < key_file.MIN_KEY_LENGTH or key_file.is_guessable(key):
        raise StartupError(
            f"{draft} contains no random key of at least {key_file.MIN_KEY_LENGTH} characters. {_GENERATE}"
        )
    return key
