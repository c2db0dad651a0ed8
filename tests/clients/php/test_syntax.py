"""The PHP client is PHP 8.1 with strict types, and calls only functions that every PHP 8.1 has.

PHPStan is no package of Debian, PyPI or npm, only its parser is: every file is compiled here, test_types.py reads the
types in comments, and test_methods.py calls every method.
"""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from tests.clients.php.programs import run
from tests.rules.tree import ROOT, files

PACKAGE = ROOT / "clients/php"
FILES = [str(file) for file in files("*.php", under=PACKAGE)]
# All of them older than PHP 8.1, of the core, curl or json. Add a row if it is, too.
FUNCTIONS = """
    array_filter array_flip array_intersect_key array_map base64_decode base64_encode bin2hex curl_error curl_exec
    curl_getinfo curl_init curl_reset curl_setopt_array explode getenv hash_equals hash_hmac http_build_query implode
    in_array is_array is_bool is_file is_string json_decode json_encode max min mt_rand parse_url preg_grep preg_match
    preg_replace random_bytes rawurlencode reset rtrim spl_autoload_register str_contains str_replace str_starts_with
    strlen strtolower substr time trim usleep
"""
# What PHP 8.2 and 8.3 have added to the language, in code without comments; an older PHP cannot parse what came later.
NEWER = {
    "a readonly class": r"\breadonly (final |abstract )?class\b",
    "a constant with a type": r"\bconst \??[\w\\|]+ \w+ =",
    "true, false or null as a type of its own": (
        r"\) : (true|false|null) (\{|=>)|([(,]|public|private|protected|readonly) (true|false|null) \$"
    ),
    "intersections in a union": r"\( [\w\\]+ & [\w\\]+ \) ?\||\| ?\( [\w\\]+ & ",
    "a trait, which may have constants": r"\btrait \w+ \{",
    "a constant by a computed name": r":: \{",
}


@pytest.fixture(scope="module")
async def sources() -> Any:
    """Each file of the package with the functions that it calls and its code."""
    return await run("syntax.php", FILES)


async def test_every_file_can_be_compiled_and_has_strict_types(sources: Any) -> None:
    assert len(sources) == len(FILES) > 40
    lax = [file for file, source in sources.items() if "declare ( strict_types = 1 ) ;" not in source["code"][:80]]
    assert lax == []


async def test_only_functions_of_php_81_are_called(sources: Any) -> None:
    called = {name for file, source in sources.items() if "/example/" not in file for name in source["functions"]}
    assert called == set(FUNCTIONS.split())


async def test_nothing_of_a_newer_language_is_used(sources: Any) -> None:
    offenders = [
        f"{file}: {what}"
        for file, source in sources.items()
        for what, pattern in NEWER.items()
        if re.search(pattern, source["code"])
    ]
    assert offenders == []


@pytest.mark.parametrize(
    ("what", "code"),
    [
        ("a readonly class", "final readonly class A { }"),
        ("a constant with a type", "class A { const string B = 'c' ; }"),
        ("true, false or null as a type of its own", "function a ( ) : true { }"),
        ("true, false or null as a type of its own", "function a ( null $b ) { }"),
        ("intersections in a union", "function a ( ( B & C ) | null $d ) { }"),
        ("a trait, which may have constants", "trait A { const B = 1 ; }"),
        ("a constant by a computed name", "A :: { $b }"),
    ],
)
def test_the_rule_sees_a_newer_language(what: str, code: str) -> None:
    assert re.search(NEWER[what], code)


def test_the_package_names_what_it_needs_and_where_its_classes_are() -> None:
    package = json.loads((PACKAGE / "composer.json").read_text())
    assert package["require"] == {"php": ">=8.1", "ext-curl": "*", "ext-json": "*"}
    assert package["autoload"] == {"psr-4": {"Lootkeep\\": "src/"}}
    version = re.search(r"VERSION = '(.*)'", (PACKAGE / "src/Connection.php").read_text())
    assert version
    assert version[1] == package["version"]
