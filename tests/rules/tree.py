"""The files of this repository, as the rules see them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]
# What commands make and nobody commits; hidden folders are left out too, but for the one that holds our own file.
_GENERATED = {"__pycache__", "build", "dist", "node_modules", "site"}
_HIDDEN_BUT_TRACKED = {".ci", ".gitignore"}


def files(*patterns: str, under: Path = ROOT) -> list[Path]:
    """Every file that matches one of the patterns, in order."""
    return sorted(file for file in _walk(under) if any(file.match(pattern) for pattern in patterns))


def folders() -> list[str]:
    """The names of the top-level folders that hold anything and are not hidden."""
    ours = [path for path in ROOT.iterdir() if path.is_dir() and _is_ours(path) and any(_walk(path))]
    return sorted(path.name for path in ours if not path.name.startswith("."))


def packages() -> list[str]:
    """Every package of the service, as `lootkeep/api/http`."""
    return sorted(file.parent.relative_to(ROOT).as_posix() for file in files("__init__.py", under=ROOT / "lootkeep"))


def name(file: Path) -> str:
    return file.relative_to(ROOT).as_posix()


def _walk(folder: Path) -> Iterator[Path]:
    for path in folder.iterdir():
        if not _is_ours(path):
            continue
        if path.is_dir():
            yield from _walk(path)
        else:
            yield path


def _is_ours(path: Path) -> bool:
    return path.name not in _GENERATED and (not path.name.startswith(".") or path.name in _HIDDEN_BUT_TRACKED)
