"""The pages hold together: links lead somewhere, titles are there, and commands exist."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

from lootkeep.cli.commands import COMMANDS, imported
from tests.rules.tree import ROOT, files, name

# The changelog is a link in docs/, for the site.
DOCS = [page for page in files("*.md", under=ROOT / "docs") if not page.is_symlink()]
MAX_README_LINES = 100
PAGES = [ROOT / "README.md", ROOT / "CHANGELOG.md", ROOT / "SECURITY.md", *DOCS]
_LINK = re.compile(r"\]\(([^)\s]+)\)")
_HEADING = re.compile(r"^#+ (.+)$", re.MULTILINE)
_BLOCK = re.compile(r"```.*?```", re.DOTALL)
_COMMAND = re.compile(r"(?:^|[`/ ])lootkeep((?: [a-z]+)+)", re.MULTILINE)
_MAKE = re.compile(r"(?:^|`)make ([a-z]+)", re.MULTILINE)
_TARGET = re.compile(r"^([a-z]+):.*##", re.MULTILINE)


def offenders(find: Callable[[Path], object]) -> dict[str, object]:
    """The errors of each page that has any."""
    return {name(page): wrong for page in PAGES if (wrong := find(page))}


def test_every_page_opens_with_its_title_and_has_one() -> None:
    assert offenders(lambda page: not re.match(r"# \S.*\n", page.read_text())) == {}
    assert offenders(lambda page: re.findall(r"^# .+$", _BLOCK.sub("", page.read_text()), re.MULTILINE)[1:]) == {}


def test_every_link_within_the_repository_leads_somewhere() -> None:
    def broken(page: Path) -> list[str]:
        links = [link for link in _LINK.findall(_BLOCK.sub("", page.read_text())) if "://" not in link]
        return [link for link in links if not _leads_somewhere(page, link)]

    assert offenders(broken) == {}


def test_every_picture_is_shown_by_a_page() -> None:
    """Every installation carries them."""
    shown = {(page.parent / link).resolve() for page in PAGES for link in _LINK.findall(page.read_text())}
    assert [name(picture) for picture in files("*.png", under=ROOT / "docs") if picture not in shown] == []


def test_every_command_that_is_named_exists() -> None:
    def unknown(page: Path) -> list[str]:
        commands = {tuple(words.split()) for words in _COMMAND.findall(page.read_text())}
        return [" ".join(command) for command in sorted(commands) if not _is_command(command)]

    assert offenders(unknown) == {}


def test_every_make_command_that_is_named_exists() -> None:
    targets = set(_TARGET.findall((ROOT / "Makefile").read_text()))
    assert offenders(lambda page: set(_MAKE.findall(page.read_text())) - targets) == {}


def test_the_page_of_commands_names_every_command_of_the_makefile_and_of_lootkeep() -> None:
    page = (ROOT / "docs/operate/commands.md").read_text()
    makes = [f"make {target}" for target in _TARGET.findall((ROOT / "Makefile").read_text())]
    lootkeeps = [f"lootkeep {command}" for command in _commands()]
    missing = [command for command in [*makes, *lootkeeps] if f"`{command}" not in page]
    assert not missing, f"docs/operate/commands.md does not name {', '.join(missing)}."


def test_readme_is_short() -> None:
    assert len((ROOT / "README.md").read_text().splitlines()) <= MAX_README_LINES


def test_every_page_can_be_reached_from_readme() -> None:
    reached: set[Path] = set()
    waiting = [ROOT / "README.md"]
    while waiting:
        page = waiting.pop()
        reached.add(page)
        targets = [(page.parent / link.partition("#")[0]).resolve() for link in _LINK.findall(page.read_text())]
        waiting += [
            target for target in targets if target.suffix == ".md" and target.exists() and target not in reached
        ]
    lost = [name(page) for page in PAGES if page not in reached]
    assert not lost, f"No page that README.md leads to links to {', '.join(lost)}."


def _leads_somewhere(page: Path, link: str) -> bool:
    path, _, anchor = link.partition("#")
    target = (page.parent / path).resolve() if path else page
    if not target.exists():
        return False
    return not anchor or anchor in {_anchor(heading) for heading in _HEADING.findall(target.read_text())}


def _anchor(heading: str) -> str:
    """The anchor that code hosts make of a heading."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


def _commands() -> list[str]:
    return list(COMMANDS)


def _is_command(words: tuple[str, ...]) -> bool:
    """True when the words begin with a command: what follows a whole command are its arguments or a sentence."""
    if not words or words[0] not in COMMANDS:
        return not words
    node: object = imported(words[0])
    for word in words[1:]:
        below = getattr(node, "commands", None)
        if below is None:
            return True
        if word not in below:
            return False
        node = below[word]
    return True
