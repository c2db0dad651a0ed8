"""Checks what the service is made of, licences and known vulnerabilities: `python -m tools.audit [--required]`.

Advisories are fetched by pip-audit, so they need the network. Where they cannot be had, this says so and goes on; with
--required it fails. `--write-licences` writes locks/licences.txt again, from what the installed packages say.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from importlib.metadata import PackageNotFoundError, metadata
from typing import Any, NamedTuple

from tools.locked import LICENCES, ROOT, RUNTIME_LOCK, licences, packages

BUILD_LOCK = ROOT / "locks/build.txt"
# They ask for a notice at most. A package with another licence is a decision, and a line here.
ALLOWED = {
    "Apache-2.0",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "ISC",
    "LicenseRef-Public-Domain",
    "MIT",
    "MIT-0",
    "PSF-2.0",
    "Unlicense",
    "any-OSI",
}
# What older packages say instead of an SPDX expression; the only one with "BSD License" has three clauses,
# the only one with "BSD" two.
_SPELLINGS = {
    "Apache License, Version 2.0": "Apache-2.0",
    "BSD": "BSD-2-Clause",
    "BSD License": "BSD-3-Clause",
    "ISC License": "ISC",
    "MIT License": "MIT",
    "Public Domain": "LicenseRef-Public-Domain",
}
_TITLE = "# The licence of each package in runtime.txt, an SPDX expression: `python -m tools.audit --write-licences`.\n"
_UNREACHED = "Advisories could not be reached, so vulnerabilities were not checked ({})."


class Advisories(NamedTuple):
    """Sentences on what is known of the locked packages, and on what could not be looked up."""

    known: list[str]
    unchecked: str | None


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tools.audit", description="Check licences and advisories.")
    parser.add_argument("--required", action="store_true", help="fail where advisories cannot be had")
    parser.add_argument("--write-licences", action="store_true", help="write locks/licences.txt, and check nothing")
    options = parser.parse_args()
    if options.write_licences:
        write_licences()
        return 0
    errors = licence_errors(licences())
    advisories = look_up()
    errors += advisories.known
    if advisories.unchecked and options.required:
        errors.append(advisories.unchecked)
    elif advisories.unchecked:
        # check.py shows it, though the step is green.
        print(f"Note: {advisories.unchecked}")
    print("\n".join(errors) or f"{len(packages())} packages: their licences are allowed.")
    if not errors and not advisories.unchecked:
        print("No vulnerability of them is known.")
    return 1 if errors else 0


def licence_errors(stored: dict[str, str]) -> list[str]:
    """What is wrong with the list: a sentence for each package."""
    locked = [package.name for package in packages()]
    errors = [f"{name} has no line in {LICENCES.name}." for name in locked if name not in stored]
    errors += [f"{name} is in {LICENCES.name}, but not locked." for name in stored if name not in locked]
    for name, expression in stored.items():
        said = installed_licence(name)
        if said not in (None, expression):
            errors.append(f"{name} has the licence {said}, and {expression} in {LICENCES.name}.")
        if not is_allowed(expression):
            errors.append(f"{name} has the licence {expression}, which is not among those that are allowed.")
    return errors


def is_allowed(expression: str) -> bool:
    """Of alternatives one is enough. Parentheses are read as if they were not there, which never allows more."""
    parts = expression.replace("(", "").replace(")", "").split(" AND ")
    return all(any(licence in ALLOWED for licence in part.split(" OR ")) for part in parts)


def installed_licence(name: str) -> str | None:
    """None for a package that is locked for other platforms only."""
    try:
        said = metadata(name)
    except PackageNotFoundError:
        return None
    classifiers = [line for line in said.get_all("Classifier", []) if line.startswith("License :: ")]
    text = said["License-Expression"] or said["License"] or " AND ".join(classifiers).rpartition(" :: ")[2]
    return _SPELLINGS.get(text, text)


def write_licences() -> None:
    stored = licences()
    lines = [f"{name} {installed_licence(name) or stored.get(name, '')}\n" for name, *_ in packages()]
    LICENCES.write_text(_TITLE + "".join(lines))


def look_up() -> Advisories:
    locks = [word for lock in (RUNTIME_LOCK, BUILD_LOCK) for word in ("--requirement", str(lock))]
    options = ["--require-hashes", "--disable-pip", "--format=json", "--progress-spinner=off"]
    done = subprocess.run(
        [sys.executable, "-m", "pip_audit", *locks, *options], capture_output=True, text=True, check=False
    )
    try:
        return read(json.loads(done.stdout))
    except ValueError:
        reason = (done.stderr.strip().splitlines() or ["pip-audit said nothing"])[-1]
        return Advisories([], _UNREACHED.format(reason))


def read(report: dict[str, Any]) -> Advisories:
    """Of pip-audit's report. A source that knows none of the packages is no source: it may be a mirror of the files."""
    dependencies = report["dependencies"]
    skipped = [package["name"] for package in dependencies if "skip_reason" in package]
    known = [
        f"{package['name']} {package['version']} has {vulnerability['id']}, repaired in "
        f"{', '.join(vulnerability['fix_versions']) or 'no version yet'}."
        for package in dependencies
        for vulnerability in package.get("vulns", [])
    ]
    if not skipped:
        return Advisories(known, None)
    if len(skipped) == len(dependencies):
        return Advisories(known, _UNREACHED.format("their source knows none of the packages"))
    return Advisories(known, f"Advisories have nothing on {', '.join(skipped)}: what is known of it was not checked.")


if __name__ == "__main__":
    sys.exit(main())
