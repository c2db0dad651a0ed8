"""`lootkeep doctor` finds queues that wait, clocks that differ, receivers and URLs that cannot be reached."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import apsw
import pytest

from lootkeep.kernel.clock import MINUTE, SECOND, Instant, SystemClock
from lootkeep.wiring import serving
from tests.cli.terminal import KEY, Terminal
from tests.worker.delivering import only_postgresql
from tests.world import World


def diagnose(terminal: Terminal, name: str, **settings: str) -> tuple[str, str]:
    findings: list[dict[str, Any]] = json.loads(terminal.call("doctor", "--json", **settings).out)
    (finding,) = [finding for finding in findings if finding["what"] == name]
    return finding["level"], finding["sentence"]


def record_event(terminal: Terminal, microseconds: int) -> None:
    """An event that no worker has seen, that long ago."""
    store = apsw.Connection(str(terminal.folder / "lootkeep.db"))
    at = SystemClock().now() - microseconds
    store.execute("INSERT INTO events (type, data, created_at) VALUES ('order.paid', '{}', ?)", (at,))
    store.close()


@pytest.mark.parametrize(("minutes", "level"), [(1, "ok"), (10, "warning"), (90, "bad")])
def test_a_pending_event_means_no_worker_is_running(terminal: Terminal, minutes: int, level: str) -> None:
    terminal.call("migrate")
    record_event(terminal, minutes * MINUTE)
    finding = diagnose(terminal, "worker")
    assert finding[0] == level
    assert (f"The oldest event has waited for {minutes} minutes." in finding[1]) == (level != "ok")


def test_an_event_in_the_future_means_a_wrong_clock(terminal: Terminal) -> None:
    terminal.call("migrate")
    record_event(terminal, -90 * SECOND)
    level, sentence = diagnose(terminal, "clock")
    assert (level, sentence.endswith("in the future: set this machine's clock.")) == ("bad", True)


def test_the_clock_is_compared_with_that_of_the_database_server(terminal: Terminal, postgres_url: str) -> None:
    finding = diagnose(terminal, "clock", database_url=postgres_url, secret_key=KEY)
    assert finding == ("ok", "This machine and the database agree about the time.")


class SlowClock(SystemClock):
    """The first answer is long over when the next is asked for."""

    late = 10 * SECOND

    def now(self) -> Instant:
        late, self.late = self.late, 0
        return Instant(super().now() - late)


@only_postgresql
async def test_a_database_that_takes_its_time_to_answer_agrees_about_the_time(world: World) -> None:
    findings = await serving.examine(world.settings, replace(world.deps, clock=SlowClock()))
    levels = {finding.what: finding.level for finding in findings}
    assert levels["clock"] == "ok"


def add_webhook(terminal: Terminal, url: str) -> None:
    store = apsw.Connection(str(terminal.folder / "lootkeep.db"))
    store.execute(
        "INSERT INTO webhooks (url, events, secret, is_active, header_names, created_at, updated_at)"
        " VALUES (?, ?, 'x', 1, '[]', 0, 0)",
        (url, '["order.paid"]'),
    )
    store.close()


def test_unreachable_receivers_are_found(terminal: Terminal) -> None:
    terminal.call("migrate")
    assert diagnose(terminal, "egress") == ("ok", "There is no active webhook.")
    add_webhook(terminal, "http://127.0.0.1:9/")
    assert diagnose(terminal, "egress")[0] == "bad"


def test_an_unreachable_public_url_is_found(terminal: Terminal) -> None:
    level, sentence = diagnose(terminal, "public URL", public_url="http://127.0.0.1:9")
    assert (level, sentence) == (
        "warning",
        "http://127.0.0.1:9 cannot be reached from here: the address is not public.",
    )


def test_a_misspelled_setting_is_found(terminal: Terminal) -> None:
    finding = diagnose(terminal, "settings", smpt_url="smtp://mail.example")
    assert finding == ("warning", "LOOTKEEP_SMPT_URL is not a setting; did you mean LOOTKEEP_SMTP_URL?")
