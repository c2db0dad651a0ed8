"""Prometheus for tests: real scrapes of the service, and promtool, which evaluates the rules over them."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import httpx
import yaml
from prometheus_client.parser import text_string_to_metric_families

from tests.cli.terminal import SECONDS
from tests.programs import installed
from tests.rules.tree import ROOT
from tests.world import World

RULES = ROOT / "deploy/prometheus/lootkeep.rules.yaml"
# As Prometheus adds them to everything that it scrapes.
TARGET = {"job": "lootkeep", "instance": "127.0.0.1:8000"}
# Longer than any window or `for` of a rule.
CALM_MINUTES = 90
# The service is real: on a busy machine it is slow, whatever is tested.
_SLOW = "LootkeepIsSlow"

Series = tuple[str, tuple[tuple[str, str], ...]]


class Scrape(NamedTuple):
    """What Prometheus has of one scrape; nothing but `up` when it was not answered."""

    samples: dict[Series, float]
    # Series that only grow.
    cumulative: frozenset[Series] = frozenset()

    @property
    def names(self) -> set[str]:
        return {name for name, _ in self.samples}


UNANSWERED = Scrape({("up", ()): 0})


def scrape(url: str, token: str) -> Scrape:
    try:
        answer = httpx.get(
            f"{url}/metrics", headers={"Authorization": f"Bearer {token}"}, timeout=SECONDS, verify=False
        )
    except httpx.TransportError:
        return UNANSWERED
    return _read(answer)


async def scrape_world(world: World) -> Scrape:
    return _read(await world.http.get("/metrics", headers={"Authorization": f"Bearer {world.token}"}))


def rules() -> list[dict[str, Any]]:
    (group,) = yaml.safe_load(RULES.read_text())["groups"]
    rules: list[dict[str, Any]] = group["rules"]
    return rules


def run_promtool(*arguments: str | Path) -> None:
    done = subprocess.run([installed("promtool"), *arguments], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def assert_fires(folder: Path, calm: Scrape, *trouble: Scrape, alerts: Collection[str], minutes: int = 60) -> None:
    """Exactly these alerts fire, and none before; that the service is slow counts only where it is expected.

    The first scrape is what Prometheus finds for a while, then it finds the others, one a minute. The trouble goes on:
    what has grown from the last scrape but one to the last grows by as much every minute.
    """
    timeline = [*[calm] * CALM_MINUTES, *trouble]
    series = sorted({series for scrape in (calm, *trouble) for series in scrape.samples})
    length = CALM_MINUTES + minutes + 1
    left_out = "" if _SLOW in alerts else f', alertname!="{_SLOW}"'
    firing = f'count by (alertname) (ALERTS{{alertstate="firing"{left_out}}})'
    fired = [{"labels": f'{{alertname="{name}"}}', "value": 1} for name in sorted(alerts)]
    test = {
        "interval": "1m",
        "input_series": [{"series": _selector(name), "values": _values(name, timeline, length)} for name in series],
        "promql_expr_test": [
            {"expr": firing, "eval_time": f"{CALM_MINUTES - 1}m", "exp_samples": []},
            {"expr": firing, "eval_time": f"{CALM_MINUTES + minutes}m", "exp_samples": fired},
        ],
    }
    file = folder / "firing.yaml"
    file.write_text(yaml.safe_dump({"rule_files": [str(RULES)], "evaluation_interval": "1m", "tests": [test]}))
    run_promtool("test", "rules", file)


def names_in(expression: str) -> set[str]:
    return set(re.findall(r"\b(?:lootkeep_\w+|up)\b", expression))


def labels_in(expression: str) -> set[tuple[str, str]]:
    """Each metric with each label that is asked of it."""
    selectors = re.findall(r"\b(lootkeep_\w+|up){([^}]*)}", expression)
    return {(name, label) for name, inside in selectors for label in re.findall(r"(\w+)=", inside)}


def _read(answer: httpx.Response) -> Scrape:
    if answer.status_code != 200:
        return UNANSWERED
    samples: dict[Series, float] = {("up", ()): 1}
    cumulative = set()
    for family in text_string_to_metric_families(answer.text):
        for sample in family.samples:
            series = sample.name, tuple(sorted(sample.labels.items()))
            samples[series] = sample.value
            if family.type != "gauge":
                cumulative.add(series)
    return Scrape(samples, frozenset(cumulative))


def _selector(series: Series) -> str:
    name, labels = series
    inside = ",".join(f'{label}="{value}"' for label, value in (dict(labels) | TARGET).items())
    return f"{name}{{{inside}}}"


def _values(series: Series, timeline: Sequence[Scrape], length: int) -> str:
    """As promtool reads them: `_` where a scrape has none."""
    values = [scrape.samples.get(series) for scrape in timeline]
    *_, before, last = values
    if last is not None and any(series in scrape.cumulative for scrape in timeline):
        growth = last - (before or 0)
        values += [last + growth * minute for minute in range(1, length - len(values) + 1)]
    else:
        values += [last] * (length - len(values))
    return " ".join("_" if value is None else f"{value:.9f}" for value in values)
