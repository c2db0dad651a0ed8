"""Rules and dashboard use metrics that the service serves, in expressions that Prometheus understands."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import httpx
import pytest
import yaml

from tests.cli.terminal import SECONDS, Serving
from tests.operate.prometheus import RULES, TARGET, Scrape, labels_in, names_in, rules, run_promtool, scrape
from tests.rules.tree import ROOT
from tests.world import EXTERNAL

DASHBOARD = json.loads((ROOT / "deploy/grafana/lootkeep.json").read_text())
PANELS: list[dict[str, Any]] = [panel for panel in DASHBOARD["panels"] if panel["type"] != "row"]
SHOWN: list[str] = [target["expr"] for panel in PANELS for target in panel["targets"]]
ASKED: list[str] = [rule["expr"] for rule in rules()]
# As Grafana fills them in.
VARIABLES = {"$job": TARGET["job"], "$__rate_interval": "5m"}


@pytest.fixture(scope="module")
def served(service: Serving) -> Scrape:
    """After a request, so that requests have their labels."""
    httpx.get(f"{service.url}{EXTERNAL}/referrals/tiers", timeout=SECONDS, verify=False)
    return scrape(service.url, service.token)


def test_prometheus_accepts_the_rules() -> None:
    run_promtool("check", "rules", RULES)


@pytest.mark.parametrize("expression", [*ASKED, *SHOWN])
def test_an_expression_uses_only_metrics_and_labels_that_are_served(served: Scrape, expression: str) -> None:
    assert names_in(expression)
    assert names_in(expression) <= served.names
    labels = {(name, label) for name, pairs in served.samples for label, _ in pairs}
    assert labels_in(expression) <= labels | {(name, label) for name in served.names for label in TARGET}


def test_everything_that_is_served_is_on_the_dashboard(served: Scrape) -> None:
    shown = {name for expression in SHOWN for name in names_in(expression)}
    parts = {name.removesuffix(suffix) for name in shown for suffix in ("_bucket", "_sum", "_count")}
    missing = {name for name in served.names if name not in shown and name.rpartition("_")[0] not in parts}
    assert missing == set()


def test_prometheus_understands_every_expression_of_the_dashboard(tmp_path: Path) -> None:
    expressions = list(SHOWN)
    for name, value in VARIABLES.items():
        expressions = [expression.replace(name, value) for expression in expressions]
    recorded = [{"record": f"shown:{number}", "expr": expression} for number, expression in enumerate(expressions)]
    file = tmp_path / "dashboard.rules.yaml"
    file.write_text(yaml.safe_dump({"groups": [{"name": "dashboard", "rules": recorded}]}))
    run_promtool("check", "rules", file)


def test_every_panel_has_a_unique_title_a_unit_and_a_description() -> None:
    titles = [panel["title"] for panel in DASHBOARD["panels"]]
    assert len(set(titles)) == len(titles)
    for panel in PANELS:
        assert panel["title"]
        assert panel["fieldConfig"]["defaults"]["unit"]
        assert panel["description"].endswith((".", "?"))
        assert all(target["legendFormat"] for target in panel["targets"])


def test_no_panel_covers_another() -> None:
    cells = [
        (x, y)
        for panel in DASHBOARD["panels"]
        for x in range(panel["gridPos"]["x"], panel["gridPos"]["x"] + panel["gridPos"]["w"])
        for y in range(panel["gridPos"]["y"], panel["gridPos"]["y"] + panel["gridPos"]["h"])
    ]
    assert len(set(cells)) == len(cells)
    assert max(x for x, _ in cells) < 24
