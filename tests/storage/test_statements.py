"""The SQL of every statement can be printed and read."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tools.statements import sql, statements


def printed(*arguments: str) -> str:
    command = [sys.executable, "-m", "tools.statements", *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def test_a_statement_is_printed_by_its_name() -> None:
    assert printed("webhooks.endpoints._VERSION_AT").startswith(
        "-- webhooks.endpoints._VERSION_AT\nSELECT webhook_versions.events, "
    )


def test_a_statement_for_many_rows_is_printed_in_both_forms_for_postgresql() -> None:
    single, _, many = printed("--engine", "postgresql", "goods.servers._SEEN").partition("-- for many rows\n")
    assert "WHERE servers.id = $2::BIGINT" in single
    assert "FROM unnest($1::BIGINT[], $2::BIGINT[]) AS given(now, server)" in many


@pytest.mark.parametrize("engine", ["sqlite", "postgresql"])
def test_every_statement_has_a_text_and_its_own_name(engine: str) -> None:
    named = [(name, sql(query, engine)) for name, query in statements()]
    assert len(named) > 200
    assert len(dict(named)) == len(named)
    assert all(text.strip() for _, text in named)


def test_a_change_of_the_first_rows_that_match_skips_those_that_another_process_changes() -> None:
    """PostgreSQL waits for such a row and does not ask again whether it is among them: it would be changed twice."""
    texts = {name: sql(query, "postgresql") for name, query in statements()}
    limited = {name: text for name, text in texts.items() if text.startswith(("UPDATE", "DELETE")) and "LIMIT" in text}
    assert "subscriptions._EXPIRE" in limited
    assert not [name for name, text in limited.items() if "SKIP LOCKED" not in text]
