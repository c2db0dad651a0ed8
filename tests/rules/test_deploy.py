"""The files in deploy/ name settings and commands that exist, and run the service as someone without rights."""

from __future__ import annotations

import re
from ipaddress import ip_address, ip_network
from pathlib import Path
from typing import Any

import pytest
import yaml

from lootkeep import __version__
from lootkeep.cli.commands import COMMANDS
from lootkeep.settings import Settings, variable
from lootkeep.settings.files import file_variable, secret_names
from tests.rules.tree import ROOT, files, name

DEPLOY = ROOT / "deploy"
DOCKERFILE = (DEPLOY / "Dockerfile").read_text()
COMPOSE = yaml.safe_load((DEPLOY / "compose.yaml").read_text())
# JSON has no comments.
FILES = [file for file in files("*", under=DEPLOY) if file.suffix not in (".env", ".json")]
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
OWN_SERVICES = ("migrate", "serve", "worker", "backup")
FOREIGN_IMAGES = [
    *[service["image"] for service in COMPOSE["services"].values() if service["image"] != "lootkeep"],
    *re.findall(r"^FROM (\S+)", DOCKERFILE, re.MULTILINE),
]

each_pod = pytest.mark.parametrize("pod", PODS.values(), ids=PODS.keys())


@pytest.mark.parametrize("file", FILES, ids=name)
def test_a_file_opens_with_a_sentence_and_names_only_settings_that_exist(file: Path) -> None:
    text = file.read_text()
    assert re.match(r"(#!/bin/sh\n)?# [A-Z`k].*[.\w`/]\n", text), (
        f"{name(file)} must open with a comment that says what it is."
    )
    known = {variable(setting) for setting in Settings.model_fields}
    known |= {file_variable(variable(setting)) for setting in secret_names(Settings)}
    unknown = set(re.findall(r"\bLOOTKEEP_[A-Z_]+", text)) - known
    assert not unknown, f"{name(file)} names {', '.join(sorted(unknown))}, which is no setting."


def test_secrets_are_in_files_that_every_deployment_mounts_where_its_settings_look() -> None:
    example = (DEPLOY / "lootkeep.env.example").read_text()
    (settings,) = [manifest["data"] for manifest in MANIFESTS if manifest["kind"] == "ConfigMap"]
    in_files = {"LOOTKEEP_DATABASE_URL_FILE", "LOOTKEEP_SECRET_KEY_FILE"}
    for own in OWN_SERVICES:
        mounted = {secret["target"] for secret in COMPOSE["services"][own]["secrets"]}
        assert mounted == {value for name, value in re.findall(r"^(LOOTKEEP_\w+_FILE)=(.*)$", example, re.MULTILINE)}
    assert in_files <= settings.keys()
    for pod in PODS.values():
        for container in [*pod.get("initContainers", []), *pod["containers"]]:
            assert {"name": "secrets", "mountPath": "/etc/lootkeep", "readOnly": True} in container["volumeMounts"]
    assert {str(Path(settings[name]).parent) for name in settings if name.endswith("_FILE")} == {"/etc/lootkeep"}
    assert all(secret["file"].startswith("secrets/") for secret in COMPOSE["secrets"].values())


@pytest.mark.parametrize("file", FILES, ids=name)
def test_no_file_has_a_place_for_a_password_or_a_key(file: Path) -> None:
    secrets = [variable(setting) for setting in secret_names(Settings)] + ["POSTGRES_PASSWORD"]
    values = re.findall(rf"\b({'|'.join(secrets)})[:=] *(\S*)", file.read_text())
    # Redis needs none on its own network.
    assert [value for value in values if value != ("LOOTKEEP_REDIS_URL", "redis://redis:6379/0")] == []


def test_the_image_is_built_from_hashed_locks_and_runs_unprivileged() -> None:
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
    assert {"locks" if path.startswith("locks/") else path for path in copied} == sent


def test_compose_migrates_first_and_runs_our_containers_unprivileged() -> None:
    services = COMPOSE["services"]
    for own in OWN_SERVICES:
        assert services[own]["read_only"] is True
        assert services[own]["cap_drop"] == ["ALL"]
        assert "entrypoint" in services[own] or services[own]["command"][0] in COMMANDS
    for own in ("serve", "worker", "backup"):
        assert services[own]["depends_on"]["migrate"] == {"condition": "service_completed_successfully"}
    for other in services.keys() - set(OWN_SERVICES):
        assert services[other]["healthcheck"]["test"]
    # A file or folder of this one, or one of the volumes; and none that is used by nobody.
    sources = {volume.split(":")[0] for service in services.values() for volume in service.get("volumes", [])}
    assert {source for source in sources if not source.startswith("./")} == COMPOSE["volumes"].keys()
    assert all((DEPLOY / source).exists() for source in sources if source.startswith("./"))


def test_only_the_compose_proxy_is_reachable_from_outside_and_trusted() -> None:
    services = COMPOSE["services"]
    assert [name for name, service in services.items() if "ports" in service] == ["proxy"]
    ip = services["proxy"]["networks"]["outside"]["ipv4_address"]
    assert f"\nFORWARDED_ALLOW_IPS={ip}\n" in (DEPLOY / "lootkeep.env.example").read_text()
    (pool,) = COMPOSE["networks"]["outside"]["ipam"]["config"]
    assert ip_address(ip) in ip_network(pool["subnet"])
    assert COMPOSE["networks"]["inside"] == {"internal": True}
    assert [services[server]["networks"] for server in ("postgres", "redis")] == [["inside"], ["inside"]]


def test_backups_use_the_tools_of_the_servers_version() -> None:
    (client,) = re.findall(r"\bpostgresql-client-(\d+)", DOCKERFILE)
    assert COMPOSE["services"]["postgres"]["image"].startswith(f"postgres:{client}.")


@pytest.mark.parametrize("image", FOREIGN_IMAGES)
def test_a_third_party_image_is_named_without_a_host_with_version_and_digest(image: str) -> None:
    assert re.fullmatch(r"[a-z]+:\d+(\.\d+)+(-[a-z]+)*@sha256:[0-9a-f]{64}", image)


def test_kubernetes_runs_no_image_but_ours_and_names_its_version_once() -> None:
    (kustomization,) = [manifest for manifest in MANIFESTS if manifest["kind"] == "Kustomization"]
    assert kustomization["images"] == [{"name": "lootkeep", "newTag": __version__}]
    texts = [file.read_text() for file in files("*.yaml", under=DEPLOY / "kubernetes")]
    assert sum(text.count(__version__) for text in texts) == 1


def test_every_deployment_downloads_the_public_lists_and_keeps_them_on_a_volume() -> None:
    assert "\nLOOTKEEP_LISTS_REFRESH_HOURS=24\n" in (DEPLOY / "lootkeep.env.example").read_text()
    (settings,) = [manifest["data"] for manifest in MANIFESTS if manifest["kind"] == "ConfigMap"]
    assert settings["LOOTKEEP_LISTS_REFRESH_HOURS"] == "24"
    assert "LOOTKEEP_DATA_DIR=/data/lists" in DOCKERFILE
    for service in ("serve", "worker"):
        assert "data:/data" in COMPOSE["services"][service]["volumes"]
        mounts = PODS["lootkeep" if service == "serve" else "lootkeep-worker"]["containers"][0]["volumeMounts"]
        assert {"name": "data", "mountPath": "/data"} in mounts
    for unit in ("lootkeep.service", "lootkeep-worker.service"):
        text = (DEPLOY / "systemd" / unit).read_text()
        assert "\nStateDirectory=lootkeep\n" in text
        assert "\nWorkingDirectory=/var/lib/lootkeep\n" in text


def test_the_page_says_how_the_first_owner_gets_into_the_console() -> None:
    page = (ROOT / "docs/operate/deployment.md").read_text()
    for section in ("Docker", "Compose", "systemd", "Kubernetes"):
        text = page.partition(f"\n## {section}\n")[2].partition("\n## ")[0]
        assert "lootkeep user link" in text, f"{section} does not say it."


@each_pod
def test_a_pod_runs_our_image_unprivileged_and_within_limits(pod: dict[str, Any]) -> None:
    assert pod["securityContext"]["runAsNonRoot"] is True
    assert f"USER {pod['securityContext']['runAsUser']}:{pod['securityContext']['runAsGroup']}\n" in DOCKERFILE
    for container in [*pod.get("initContainers", []), *pod["containers"]]:
        assert container["securityContext"] == {
            "allowPrivilegeEscalation": False,
            "readOnlyRootFilesystem": True,
            "capabilities": {"drop": ["ALL"]},
        }
        assert container["image"] == "lootkeep"
        assert "command" in container or container["args"][0] in COMMANDS
        assert container["resources"]["limits"]["memory"]
        assert {mount["name"] for mount in container["volumeMounts"]} == {volume["name"] for volume in pod["volumes"]}


def test_the_api_has_probes_and_a_service() -> None:
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
    (program, argument) = re.findall(r"^ExecStart=/opt/lootkeep/(\S+) (\S+)", unit.read_text(), re.MULTILINE)[0]
    assert (program == ".venv/bin/lootkeep" and argument in COMMANDS) or (ROOT / program).stat().st_mode & 0o111


def test_the_units_are_hardened_alike() -> None:
    parts = {re.search(r"^# It reads its code.*?(?=\n\n|\Z)", unit.read_text().rstrip(), re.M | re.S) for unit in UNITS}
    assert len({part.group() for part in parts if part}) == 1
    assert None not in parts
