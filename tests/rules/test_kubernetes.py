"""The Kubernetes files are put together as listed, and hold only fields that Kubernetes knows, at their place."""

from __future__ import annotations

from ipaddress import ip_address, ip_network
from typing import Any

import yaml

from tests.rules.tree import ROOT, files, name

FOLDER = ROOT / "deploy" / "kubernetes"
DOCUMENTS: list[tuple[str, dict[str, Any]]] = [
    (name(file), document)
    for file in files("*.yaml", under=FOLDER)
    for document in yaml.safe_load_all(file.read_text())
]
(KUSTOMIZATION,) = [document for _, document in DOCUMENTS if document["kind"] == "Kustomization"]
MANIFESTS = [(file, document) for file, document in DOCUMENTS if document["kind"] != "Kustomization"]

# The part of Kubernetes' API that we use, checked without its programs: a type, the fields of an object, `[...]` for a
# list, and `"*"` for any name. What is not here is a typing error until a row is added.
LABELS = {"*": str}
METADATA = {"name": str, "labels": LABELS}
PROBE = {
    "httpGet": {"path": str, "port": str},
    "periodSeconds": int,
    "timeoutSeconds": int,
    "failureThreshold": int,
}
CONTAINER = {
    "name": str,
    "image": str,
    "command": [str],
    "args": [str],
    "ports": [{"name": str, "containerPort": int}],
    "envFrom": [{"configMapRef": {"name": str}}],
    "securityContext": {
        "allowPrivilegeEscalation": bool,
        "readOnlyRootFilesystem": bool,
        "capabilities": {"drop": [str]},
    },
    "startupProbe": PROBE,
    "livenessProbe": PROBE,
    "readinessProbe": PROBE,
    "lifecycle": {"preStop": {"exec": {"command": [str]}}},
    "resources": {"requests": {"cpu": str, "memory": str}, "limits": {"memory": str}},
    "volumeMounts": [{"name": str, "mountPath": str, "readOnly": bool}],
}
POD = {
    "restartPolicy": str,
    "terminationGracePeriodSeconds": int,
    "automountServiceAccountToken": bool,
    "enableServiceLinks": bool,
    "securityContext": {
        "runAsNonRoot": bool,
        "runAsUser": int,
        "runAsGroup": int,
        "fsGroup": int,
        "seccompProfile": {"type": str},
    },
    "initContainers": [CONTAINER],
    "containers": [CONTAINER],
    "volumes": [{"name": str, "emptyDir": {}, "secret": {"secretName": str, "defaultMode": int}}],
}
TEMPLATE = {"metadata": {"labels": LABELS}, "spec": POD}
SELECTOR = {"matchLabels": LABELS}
# A port of a policy has a number or a name.
POLICY_PORTS = [{"protocol": str, "port": (int, str)}]
KINDS: dict[tuple[str, str], dict[str, Any]] = {
    ("v1", "ConfigMap"): {"data": {"*": str}},
    ("v1", "Service"): {"spec": {"selector": LABELS, "ports": [{"name": str, "port": int, "targetPort": str}]}},
    ("networking.k8s.io/v1", "NetworkPolicy"): {
        "spec": {
            "podSelector": SELECTOR,
            "policyTypes": [str],
            "ingress": [{"from": [{"namespaceSelector": SELECTOR}], "ports": POLICY_PORTS}],
            "egress": [{"to": [{"ipBlock": {"cidr": str, "except": [str]}}], "ports": POLICY_PORTS}],
        }
    },
    ("policy/v1", "PodDisruptionBudget"): {"spec": {"minAvailable": int, "selector": SELECTOR}},
    ("apps/v1", "Deployment"): {
        "spec": {
            "replicas": int,
            "selector": SELECTOR,
            "strategy": {"rollingUpdate": {"maxUnavailable": int, "maxSurge": int}},
            "template": TEMPLATE,
        }
    },
    ("batch/v1", "Job"): {
        "spec": {
            "backoffLimit": int,
            "activeDeadlineSeconds": int,
            "ttlSecondsAfterFinished": int,
            "template": TEMPLATE,
        }
    },
}


def test_every_field_is_one_of_its_kind_and_has_its_type() -> None:
    errors = [
        f"{file}: {error}"
        for file, manifest in MANIFESTS
        for error in _faults(manifest, _schema(manifest), manifest["kind"])
    ]
    assert errors == []


def test_a_misspelt_field_and_a_wrong_type_are_found() -> None:
    manifest = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"nam": "a"}, "data": {"LOOTKEEP_PORT": 8000}}
    assert _faults(manifest, _schema(manifest), "ConfigMap") == [
        "ConfigMap.metadata.nam is no field of it",
        "ConfigMap.data.LOOTKEEP_PORT must be of type str",
    ]


def test_the_listed_files_make_up_everything() -> None:
    # With another key of kustomize the result would not be what the files say, and this test no test of it.
    assert KUSTOMIZATION.keys() == {"apiVersion", "kind", "resources", "images"}
    assert KUSTOMIZATION["apiVersion"] == "kustomize.config.k8s.io/v1beta1"
    listed = {name(FOLDER / resource) for resource in KUSTOMIZATION["resources"]}
    assert listed == {file for file, _ in MANIFESTS}
    names = [(manifest["kind"], manifest["metadata"]["name"]) for _, manifest in MANIFESTS]
    assert len(names) == len(set(names))


def test_selectors_find_the_pods_of_their_deployment() -> None:
    deployments = [manifest for _, manifest in MANIFESTS if manifest["kind"] == "Deployment"]
    pods = [deployment["spec"]["template"]["metadata"]["labels"] for deployment in deployments]
    assert [deployment["spec"]["selector"]["matchLabels"] for deployment in deployments] == pods
    budgets = [manifest for _, manifest in MANIFESTS if manifest["kind"] == "PodDisruptionBudget"]
    assert all(budget["spec"]["selector"]["matchLabels"] in pods for budget in budgets)


def test_policies_admit_only_the_ingress_and_the_metrics() -> None:
    policies = {
        manifest["metadata"]["name"]: manifest["spec"]
        for _, manifest in MANIFESTS
        if manifest["kind"] == "NetworkPolicy"
    }
    everything, serve = policies["lootkeep"], policies["lootkeep-serve"]
    # Without a rule of its own for who comes in, the policy of all pods lets nobody in.
    assert (everything["policyTypes"], "ingress" in everything) == (["Ingress", "Egress"], False)
    labels = [
        manifest["spec"]["template"]["metadata"]["labels"]
        for _, manifest in MANIFESTS
        if "template" in manifest.get("spec", {})
    ]
    chosen = everything["podSelector"]["matchLabels"].items()
    assert all(chosen <= pod.items() for pod in labels)
    assert [serve["podSelector"]["matchLabels"].items() <= pod.items() for pod in labels].count(True) == 1
    (world,) = [rule["to"] for rule in everything["egress"] if "to" in rule]
    excepted = [ip_network(network) for block in world for network in block["ipBlock"]["except"]]
    for inside in ("10.96.0.1", "172.16.0.1", "192.168.1.1", "169.254.169.254", "fd00::1"):
        assert any(ip_address(inside) in network for network in excepted), inside


def test_everything_a_container_refers_to_exists() -> None:
    settings = {manifest["metadata"]["name"] for _, manifest in MANIFESTS if manifest["kind"] == "ConfigMap"}
    ports = set()
    for _, manifest in MANIFESTS:
        for container in manifest.get("spec", {}).get("template", {}).get("spec", {}).get("containers", []):
            names = {port["name"] for port in container.get("ports", [])}
            ports |= names
            probes = [value for key, value in container.items() if key.endswith("Probe")]
            assert {probe["httpGet"]["port"] for probe in probes} <= names
            assert {part["configMapRef"]["name"] for part in container["envFrom"] if "configMapRef" in part} <= settings
    (service,) = [manifest for _, manifest in MANIFESTS if manifest["kind"] == "Service"]
    assert {port["targetPort"] for port in service["spec"]["ports"]} <= ports


def _schema(manifest: dict[str, Any]) -> dict[str, Any]:
    """Raises for a kind, or a version of its API, that has no row."""
    return {"apiVersion": str, "kind": str, "metadata": METADATA} | KINDS[manifest["apiVersion"], manifest["kind"]]


def _faults(value: Any, schema: Any, path: str) -> list[str]:
    if isinstance(schema, dict):
        if not isinstance(value, dict):
            return [f"{path} must be an object"]
        errors = []
        for key, part in value.items():
            known = schema.get(key, schema.get("*"))
            if known is None:
                errors.append(f"{path}.{key} is no field of it")
            else:
                errors += _faults(part, known, f"{path}.{key}")
        return errors
    if isinstance(schema, list):
        if not isinstance(value, list):
            return [f"{path} must be a list"]
        return [error for number, part in enumerate(value) for error in _faults(part, schema[0], f"{path}.{number}")]
    if isinstance(schema, tuple):
        return [] if type(value) in schema else [f"{path} must be a number or a name"]
    # A bool is an int to Python, and not to Kubernetes.
    return [] if type(value) is schema else [f"{path} must be of type {schema.__name__}"]
