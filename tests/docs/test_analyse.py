"""The questions of the guide *Analyse your orders*, asked of a demo store's folder."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import duckdb
import pytest

from lootkeep.storage.engine.database import Engine
from lootkeep.toolbox.facts.rows import COLUMNS
from lootkeep.toolbox.facts.writing import export
from tests.cli.demo_store import loaded
from tests.rules.tree import ROOT

PAGE = (ROOT / "docs/analyse-your-orders.md").read_text()
QUESTIONS = re.findall(r"^\*\*([^\n]+\?)\*\*\n\n```sql\n(.+?)```", PAGE, re.MULTILINE | re.DOTALL)
NOTEBOOK = re.findall(r"```python\n(import duckdb.+?)```", PAGE, re.DOTALL)


@pytest.fixture
async def folder(db: Engine, tmp_path: Path) -> Path:
    world, _ = await loaded(db)
    await export(world.deps, tmp_path / "facts", "hashed")
    return tmp_path


def test_there_are_five_questions_and_a_notebook() -> None:
    assert (len(QUESTIONS), len(NOTEBOOK), PAGE.count("```sql")) == (5, 1, 5)


def test_every_question_is_answered_by_the_orders_of_a_store(folder: Path) -> None:
    with duckdb.connect() as connection:
        connection.execute(f"SET file_search_path = '{folder}'")
        answers = {question: connection.execute(sql).fetchall() for question, sql in QUESTIONS}
    assert [question for question, rows in answers.items() if not rows] == []
    ((_, orders, frauds, lost), *_) = sorted(answers[QUESTIONS[0][0]], key=lambda row: -row[2])
    assert orders > frauds > 0
    assert lost is None or lost > 0


def test_the_notebook_runs(folder: Path) -> None:
    done = subprocess.run([sys.executable, "-c", NOTEBOOK[0]], cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "USD" in done.stdout


def test_the_page_names_every_column() -> None:
    table = "".join(line for line in PAGE.splitlines() if line.startswith("| `"))
    assert re.findall(r"`(\w+)`", table) != []
    assert [column for column in COLUMNS if f"`{column}`" not in table] == []
