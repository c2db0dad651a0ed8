"""The types in the comments of the PHP client are types to PHPStan's own parser, and each of them exists."""

from __future__ import annotations

from tests.clients.php.programs import run
from tests.rules.tree import ROOT, files

SOURCES = ROOT / "clients/php/src"
KNOWN = {"array", "bool", "float", "int", "list", "mixed", "null", "self", "string", "void", "T", "Page", "Pages"}


async def test_every_type_of_a_comment_exists() -> None:
    sources = await run("types.php", [str(file) for file in files("*.php", under=SOURCES)])
    aliases = set(sources[str(SOURCES / "Types.php")]["aliases"])
    assert len(aliases) > 200
    for file, source in sources.items():
        assert source["wrong"] == [], file
        names = {name for name in source["names"] if not name.startswith("\\")}
        assert names - KNOWN == names & {*source["aliases"], *source["imports"]}, file
        assert set(source["imports"]) <= aliases & names, file
