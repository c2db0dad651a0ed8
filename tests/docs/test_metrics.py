"""The page of metrics has those of /metrics: `python -m tests.docs.test_metrics` writes its table again."""

from __future__ import annotations

import re
import tempfile
from pathlib import Path

import httpx

from tests.cli import terminal
from tests.operate.prometheus import RULES, run_promtool
from tests.rules.tree import ROOT

PAGE = ROOT / "docs/operate/metrics.md"
COMMAND = "python -m tests.docs.test_metrics"
HEAD = "| metric | type | what it is |\n|---|---|---|\n"
_TABLE = re.compile(re.escape(HEAD) + r"(?:\|.*\n)*")


def exposed(folder: Path) -> str:
    started = terminal.start(folder, terminal.environment({"log_level": "error"}), "serve", "--port", "0")
    with terminal.served(started) as server:
        answer = httpx.get(
            f"{server.url}/metrics", headers={"Authorization": f"Bearer {server.token}"}, timeout=terminal.SECONDS
        )
    assert answer.status_code == 200
    return answer.text


def table(text: str) -> str:
    kinds = dict(re.findall(r"^# TYPE (\S+) (\w+)$", text, re.MULTILINE))
    words = dict(re.findall(r"^# HELP (\S+) (.*)$", text, re.MULTILINE))
    return HEAD + "".join(f"| `{name}` | {kinds[name]} | {words[name]} |\n" for name in kinds)


def test_the_page_has_every_metric_and_no_other(tmp_path: Path) -> None:
    page = PAGE.read_text()
    expected = table(exposed(tmp_path))
    assert _TABLE.findall(page) == [expected], f"The table in {PAGE.name} is not that of /metrics: run `{COMMAND}`."
    documented = set(re.findall(r"`(lootkeep_\w+)` \|", expected))
    assert set(re.findall(r"\blootkeep_[a-z_]+", page)) <= documented


def test_prometheus_accepts_the_examples(tmp_path: Path) -> None:
    token = tmp_path / "lootkeep.token"
    token.write_text("lk_token")
    example = "".join(re.findall(r"```yaml\n(.*?)```", PAGE.read_text(), re.DOTALL))
    example = example.replace("/etc/prometheus/lootkeep.token", str(token))
    file = tmp_path / "prometheus.yaml"
    file.write_text(example.replace("/etc/prometheus/lootkeep.rules.yaml", str(RULES)))
    run_promtool("check", "config", file)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        new = table(exposed(Path(folder)))
    PAGE.write_text(_TABLE.sub(lambda _: new, PAGE.read_text()))
