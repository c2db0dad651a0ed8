"""Every alert has a page that says what to do, and every such page has an alert."""

from __future__ import annotations

import re
from typing import Any

import pytest
import yaml

from lootkeep.domain.alerts import TRIGGERS
from tests.rules.tree import ROOT

RULES = yaml.safe_load((ROOT / "deploy/prometheus/lootkeep.rules.yaml").read_text())["groups"][0]["rules"]
ALERTS = [rule["alert"] for rule in RULES]
FOLDER = ROOT / "docs/operate/runbooks"
NO_ALERT = {"index.md", "store-alerts.md"}
HEADINGS = ["What it means", "How to look", "What to do"]
# Half a page.
MAX_WORDS = 350


def _file(alert: str) -> str:
    words: list[str] = re.findall(r"[A-Z][a-z]*", alert.removeprefix("Lootkeep"))
    return "-".join(words).lower() + ".md"


@pytest.mark.parametrize("rule", RULES, ids=ALERTS)
def test_an_alert_links_to_its_page_and_has_a_severity(rule: dict[str, dict[str, str]]) -> None:
    page = _file(str(rule["alert"])).replace(".md", ".html")
    assert rule["annotations"]["runbook_url"] == f"https://docs.shop.example/operate/runbooks/{page}"
    assert rule["annotations"]["summary"].endswith(".")
    assert rule["labels"]["severity"] in ("critical", "warning")


def test_every_page_is_about_an_alert_and_every_alert_has_one() -> None:
    assert {path.name for path in FOLDER.iterdir()} - NO_ALERT == set(map(_file, ALERTS))


def test_every_alert_has_a_test_that_fires_it() -> None:
    tests = (ROOT / "tests/operate/test_firing.py").read_text()
    assert {alert for names in re.findall(r"alerts={(.*?)}", tests) for alert in re.findall(r"\w+", names)} == set(
        ALERTS
    )


@pytest.mark.parametrize("alert", ALERTS)
def test_a_page_explains_the_meaning_the_diagnosis_and_the_remedy_in_half_a_page(alert: str) -> None:
    text = (FOLDER / _file(alert)).read_text()
    assert text.startswith(f"# {alert}\n")
    assert re.findall(r"^## (.+)$", text, re.MULTILINE) == HEADINGS
    assert len(text.split()) <= MAX_WORDS


def test_the_index_has_every_alert_in_the_order_of_the_rules_with_its_severity() -> None:
    rows = re.findall(r"^\| \[(\w+)\]\(([\w.-]+)\) \| (\w+) \|", (FOLDER / "index.md").read_text(), re.MULTILINE)
    assert rows == [(rule["alert"], _file(rule["alert"]), rule["labels"]["severity"]) for rule in RULES]


def test_the_menu_of_the_site_has_every_page() -> None:
    (operate,) = [entry["Operate"] for entry in _menu() if "Operate" in entry]
    (runbooks,) = [entry["Runbooks"] for entry in operate if "Runbooks" in entry]
    first, *pages = runbooks
    assert first == "operate/runbooks/index.md"
    names = {name: path for page in pages for name, path in page.items()}
    expected = {alert: f"operate/runbooks/{_file(alert)}" for alert in ALERTS}
    assert names == expected | {"Alerts of the store": "operate/runbooks/store-alerts.md"}


def test_the_page_of_the_store_has_a_section_for_each_of_its_alerts() -> None:
    text = (FOLDER / "store-alerts.md").read_text()
    sections = dict(re.findall(r"^## (\w+)\n(.*?)(?=^## |\Z)", text, re.MULTILINE | re.DOTALL))
    assert list(sections) == list(TRIGGERS)
    for section in sections.values():
        assert "**What it means.**" in section
        assert "**What to do.**" in section


def _menu() -> list[dict[str, Any]]:
    menu: list[dict[str, Any]] = yaml.safe_load((ROOT / "mkdocs.yml").read_text())["nav"]
    return menu
