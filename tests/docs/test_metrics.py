"""The page of metrics has those of /metrics: `python -m tests.docs.test_metrics` writes its table again."""

from __future__ import annotations

import re
import tempfile
from pathlib import Path

import httpx
import yaml

from tests.cli import terminal
from tests.rules.tree import ROOT

PAGE = ROOT / "docs/operate/metrics.md"
COMMAND = "python -m tests.docs.test_metrics"
HEAD = "| metric | type | what it is |\n|---|---|---|\n"
_TABLE = re.compile(re.escape(HEAD) + r"(?:\|.*\n)*")
# What Prometheus makes of a metric: a counter has a total, a histogram has buckets, a sum and a count.
_SUFFIX = re.compile(r"_(total|bucket|sum|count)$")


def exposed(folder: Path) -> str:
    started = terminal.start(folder, terminal.environment({"log_level": "error"}), "serve", "--port", "0")
    with terminal.served(started) as server:
        answer = httpx.get(
            f"{server.address}/metrics", headers={"Authorization": f"Bearer {server.token}"}, timeout=terminal.SECONDS
        )
    assert answer.status_code == 200
    return answer.text


def table(text: str) -> str:
    kinds = dict(re.findall(r"^# TYPE (\S+) (\w+)$", text, re.MULTILINE))
    words = dict(re.findall(r"^# HELP (\S+) (.*)$", text, re.MULTILINE))
    # When each began to count is reported next to it, and is nothing to watch.
    names = [name for name in kinds if not name.endswith("_created")]
    return HEAD + "".join(f"| `{name}` | {kinds[name]} | {words[name]} |\n" for name in names)


def test_the_page_has_every_metric_and_the_alerts_know_them(tmp_path: Path) -> None:
    page = PAGE.read_text()
    expected = table(exposed(tmp_path))
    assert _TABLE.findall(page) == [expected], f"The table in {PAGE.name} is not that of /metrics: run `{COMMAND}`."
    documented = {_SUFFIX.sub("", name) for name in re.findall(r"`(lootkeep_\w+)` \|", expected)}
    used = {_SUFFIX.sub("", name) for name in re.findall(r"lootkeep_[a-z_]+", page)}
    assert used <= documented


def test_the_examples_are_yaml_and_every_alert_has_an_expression() -> None:
    blocks = re.findall(r"```yaml\n(.*?)```", PAGE.read_text(), re.DOTALL)
    _, rules = (yaml.safe_load(block) for block in blocks)
    for rule in rules["groups"][0]["rules"]:
        assert rule["expr"].count("(") == rule["expr"].count(")")
        assert rule["for"]


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as made:
        new = table(exposed(Path(made)))
    PAGE.write_text(_TABLE.sub(lambda _: new, PAGE.read_text()))
