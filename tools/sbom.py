"""Prints a bill of materials of the service, CycloneDX 1.6 in JSON, from the lock alone: `python -m tools.sbom`."""

from __future__ import annotations

import json
import re
import tomllib
from typing import Any

from lootkeep import __version__
from tools.locked import ROOT, Package, licences, packages

_SERVICE = f"pkg:generic/lootkeep@{__version__}"


def main() -> None:
    print(json.dumps(bill(), indent=2))


def bill() -> dict[str, Any]:
    """The same for the same lock: neither a time nor a number of its own."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    direct = {re.split(r"[^\w.-]", dependency)[0] for dependency in project["dependencies"]}
    expressions = licences()
    locked = packages()
    return {
        "$schema": "http://cyclonedx.org/schema/bom-1.6.schema.json",
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": {
            "component": {
                "type": "application",
                "bom-ref": _SERVICE,
                "name": project["name"],
                "version": __version__,
                "description": project["description"],
                "licenses": [{"license": {"id": project["license"]}}],
                "purl": _SERVICE,
            }
        },
        "components": [_component(package, expressions[package.name]) for package in locked],
        # Who needs what among the rest is not in the lock.
        "dependencies": [
            {"ref": _SERVICE, "dependsOn": [_purl(package) for package in locked if package.name in direct]}
        ],
        "compositions": [{"aggregate": "incomplete", "dependencies": [_SERVICE]}],
    }


def _component(package: Package, licence: str) -> dict[str, Any]:
    component: dict[str, Any] = {
        "type": "library",
        "bom-ref": _purl(package),
        "name": package.name,
        "version": package.version,
        # Of every file that may be installed, one for each platform and the source.
        "hashes": [{"alg": "SHA-256", "content": content} for content in package.hashes],
        "licenses": [{"expression": licence}],
        "purl": _purl(package),
    }
    if package.marker:
        component["properties"] = [{"name": "lootkeep:installed-where", "value": package.marker}]
    return component


def _purl(package: Package) -> str:
    return f"pkg:pypi/{package.name}@{package.version}"


if __name__ == "__main__":
    main()
