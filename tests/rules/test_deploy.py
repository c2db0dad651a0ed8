"""The files in deploy/ name settings and commands that exist, and run the service as someone without rights."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from lootkeep import __version__
from lootkeep.cli.commands import COMMANDS
from lootkeep.settings import Settings, variable
from tests.rules.tree import ROOT, files, name

DEPLOY = ROOT / "deploy"
DOCKERFILE = (DEPLOY / "Dockerfile").read_text()
COMPOSE = yaml.safe_load((DEPLOY / "compose.yaml").read_text())
FILES = [file for file in files("*", under=DEPLOY) if file.suffix != ".env"]
UNITS = files("*.service", under=DEPLOY)
MANIFESTS: list[dict[str, Any]] = [
    manifest
    for file in files("*.yaml", under=DEPLOY / "kubernetes")
    for manifest in yaml.safe_load_all(file.read_text())
]
PODS = {
    manifest["metadata"]["name"]: manifest["spec"]["template"]["spec"]
    for manifest in MANIFESTS
    if manifest["kind"] in ("Deployment", "Job")
}
OWN_SERVICES = ("migrate", "serve", "worker")

each_pod = pytest.mark.parametrize("pod", PODS.values(), ids=PODS.keys())


@pytest.mark.parametrize("file", FILES, ids=name)
def test_a_file_opens_with_a_sentence_and_names_only_settings_that_exist(file: Path) -> None:
    text = file.read_text()
    assert re.match(r"# [A-Z`k].*[.\w`/]\n", text), f"{name(file)} must open with a comment that says what it is."
    unknown = set(re.findall(r"\bLOOTKEEP_[A-Z_]+", text)) - {variable(setting) for setting in Settings.model_fields}
    assert not unknown, f"{name(file)} names {', '.join(sorted(unknown))}, which is no setting."


def test_the_image_is_created_from_locks_with_hashes_and_runs_as_nobody_special() -> None:
    installs = re.findall(r"pip install (.*)", DOCKERFILE)
    assert all("--require-hashes" in install or "--no-index" in install for install in installs)
    final = DOCKERFILE.rpartition("\nFROM ")[2]
    assert re.search(r"^USER (?!0)\d+:\d+$", final, re.MULTILINE)
    assert re.search(r"^HEALTHCHECK .*/healthz", final, re.MULTILINE)
    copied = {
        word for line in re.findall(r"^COPY (?!--from)(.*) \S+$", DOCKERFILE, re.MULTILINE) for word in line.split()
    }
    assert [path for path in copied if not (ROOT / path).exists()] == []
    sent = set(re.findall(r"^!(.*)$", (DEPLOY / "Dockerfile.dockerignore").read_text(), re.MULTILINE))
    assert {path.split("/")[0] for path in copied} == sent


def test_compose_migrates_first_and_gives_our_own_containers_no_rights() -> None:
    services = COMPOSE["services"]
    for own in OWN_SERVICES:
        assert services[own]["read_only"] is True
        assert services[own]["cap_drop"] == ["ALL"]
        assert services[own]["command"][0] in COMMANDS
    for own in ("serve", "worker"):
        assert services[own]["depends_on"]["migrate"] == {"condition": "service_completed_successfully"}
    for other in services.keys() - set(OWN_SERVICES):
        assert services[other]["healthcheck"]["test"]
    mounted = {volume.split(":")[0] for service in services.values() for volume in service.get("volumes", [])}
    assert mounted == COMPOSE["volumes"].keys()
    for service in services.values():
        assert (DEPLOY / f"{service['env_file']}.example").exists() if "env_file" in service else True


@pytest.mark.parametrize(
    "image", [s["image"] for s in COMPOSE["services"].values()] + re.findall(r"^FROM (\S+)", DOCKERFILE, re.M)
)
def test_images_are_named_without_a_host(image: str) -> None:
    assert "/" not in image


@each_pod
def test_a_pod_runs_our_image_without_rights_and_within_limits(pod: dict[str, Any]) -> None:
    (container,) = pod["containers"]
    assert pod["securityContext"]["runAsNonRoot"] is True
    assert f"USER {pod['securityContext']['runAsUser']}:{pod['securityContext']['runAsGroup']}\n" in DOCKERFILE
    assert container["securityContext"] == {
        "allowPrivilegeEscalation": False,
        "readOnlyRootFilesystem": True,
        "capabilities": {"drop": ["ALL"]},
    }
    assert container["image"] == f"lootkeep:{__version__}"
    assert container["args"][0] in COMMANDS
    assert container["resources"]["limits"]["memory"]
    assert {mount["name"] for mount in container["volumeMounts"]} == {volume["name"] for volume in pod["volumes"]}


def test_the_api_is_probed_and_reached() -> None:
    (container,) = PODS["lootkeep"]["containers"]
    probes = {kind: container[kind]["httpGet"]["path"] for kind in ("startupProbe", "livenessProbe", "readinessProbe")}
    assert probes == {"startupProbe": "/healthz", "livenessProbe": "/healthz", "readinessProbe": "/readyz"}
    (service,) = [manifest for manifest in MANIFESTS if manifest["kind"] == "Service"]
    (labels,) = [
        manifest["spec"]["template"]["metadata"]["labels"]
        for manifest in MANIFESTS
        if manifest["kind"] == "Deployment" and manifest["metadata"]["name"] == "lootkeep"
    ]
    assert service["spec"]["selector"] == labels


@pytest.mark.parametrize("unit", UNITS, ids=name)
def test_a_unit_runs_a_command(unit: Path) -> None:
    text = unit.read_text()
    (command,) = re.findall(r"^ExecStart=\S+/lootkeep (\w+)$", text, re.MULTILINE)
    assert command in COMMANDS
