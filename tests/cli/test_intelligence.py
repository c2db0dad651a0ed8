"""`lootkeep fraud lists` and what `doctor` says of lists."""

from __future__ import annotations

import json
import os
import time
from typing import Any

import pytest

from lootkeep.engines.intelligence.fetching import PUBLIC_LISTS
from lootkeep.engines.intelligence.sources import NEEDS
from tests.cli.terminal import Terminal

DAY_SECONDS = 86_400


def write(terminal: Terminal, name: str, text: str, *, days: int = 0) -> None:
    folder = terminal.folder / "lootkeep-data"
    folder.mkdir(exist_ok=True)
    (folder / name).write_text(text)
    # A minute more, so that the day is over whenever the test asks.
    then = time.time() - days * DAY_SECONDS - 60
    os.utime(folder / name, (then, then))


def test_status_has_a_line_for_each_need_and_advice_where_no_list_is_loaded(terminal: Terminal) -> None:
    outcome = terminal.call("fraud", "lists", "status")
    assert (outcome.code, outcome.err) == (0, "")
    assert outcome.out.split()[:2] == ["Kind", "Source"]
    assert [need for need in NEEDS if f"\n{need} " not in outcome.out] == []
    assert "vpn: No list loaded: run `lootkeep fraud lists refresh`, or put vpn.txt into lootkeep-data." in outcome.out


def test_status_shows_source_entries_and_age(terminal: Terminal) -> None:
    write(terminal, "vpn.txt", "192.0.2.0/24\n" * 1500, days=3)
    lines = terminal.call("fraud", "lists", "status").out.splitlines()
    (line,) = [line for line in lines if line.startswith("vpn")]
    assert line.split()[:5] == ["vpn", "vpn.txt", "1,500", "3", "days"]


def test_status_names_files_that_are_not_used(terminal: Terminal) -> None:
    write(terminal, "tor[1].txt", "oops\n")
    outcome = terminal.call("fraud", "lists", "status")
    assert "Not used: tor[1].txt does not have an IP address or a network in line 1." in outcome.out


def test_status_supports_json(terminal: Terminal) -> None:
    write(terminal, "tor.txt", "192.0.2.1\n", days=20)
    write(terminal, "proxy.txt", "oops\n")
    status = json.loads(terminal.call("fraud", "lists", "status", "--json").out)
    needs: dict[str, Any] = {need["need"]: need for need in status["needs"]}
    (tor,) = needs["tor"]["sources"]
    assert status["folder"] == "lootkeep-data"
    assert (tor["source"], tor["entries"], tor["age_days"], len(tor["sha256"])) == ("tor.txt", 1, 20, 64)
    assert needs["tor"]["advice"].startswith("Older than 14 days")
    assert needs["proxy"]["sources"] == []
    assert [item["file"] for item in status["rejected"]] == ["proxy.txt"]


def test_the_folder_is_a_setting(terminal: Terminal) -> None:
    (terminal.folder / "elsewhere").mkdir()
    (terminal.folder / "elsewhere" / "vpn.txt").write_text("192.0.2.1\n")
    status = json.loads(terminal.call("fraud", "lists", "status", "--json", data_dir="elsewhere").out)
    assert [need["sources"][0]["source"] for need in status["needs"] if need["need"] == "vpn"] == ["vpn.txt"]


def test_refresh_without_internet_access_reports_each_list_and_exits_with_1(
    terminal: Terminal, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(terminal, "vpn.txt", "192.0.2.1\n")
    # A proxy at which nobody listens: no list can be had, wherever the test runs.
    monkeypatch.setenv("HTTPS_PROXY", "http://127.0.0.1:1")
    monkeypatch.delenv("NO_PROXY", raising=False)
    monkeypatch.delenv("no_proxy", raising=False)
    monkeypatch.delenv("https_proxy", raising=False)
    outcome = terminal.call("fraud", "lists", "refresh")
    assert (outcome.code, outcome.err) == (1, "")
    assert outcome.out.count("cannot be reached. Nothing was written.") == len(PUBLIC_LISTS)
    assert [item.file for item in PUBLIC_LISTS if item.file not in outcome.out] == []
    assert os.listdir(terminal.folder / "lootkeep-data") == ["vpn.txt"]


def findings(terminal: Terminal) -> tuple[int, dict[str, tuple[str, str]]]:
    outcome = terminal.call("doctor", "--json")
    listed = json.loads(outcome.out)
    return outcome.code, {finding["what"]: (finding["level"], finding["sentence"]) for finding in listed}


def test_doctor_reports_each_need_and_warns_of_missing_lists(terminal: Terminal) -> None:
    code, listed = findings(terminal)
    assert code == 1
    assert [need for need in NEEDS if need not in listed] == []
    assert listed["tor"] == (
        "warning",
        "No list loaded: run `lootkeep fraud lists refresh`, or put tor.txt into lootkeep-data.",
    )
    assert listed["country"][1].startswith("iptocc ")


def test_doctor_reports_the_age_of_a_list(terminal: Terminal) -> None:
    write(terminal, "tor.txt", "192.0.2.1\n", days=1)
    code, listed = findings(terminal)
    assert (code, listed["tor"]) == (1, ("ok", "tor.txt (1 entries, 1 day old)."))


def test_doctor_finds_an_outdated_tor_list(terminal: Terminal) -> None:
    write(terminal, "tor.txt", "192.0.2.1\n", days=15)
    code, listed = findings(terminal)
    assert (code, listed["tor"][0]) == (1, "warning")
    assert listed["tor"][1].endswith("Older than 14 days, it counts for less: run `lootkeep fraud lists refresh`.")


def test_doctor_finds_a_file_that_is_not_used(terminal: Terminal) -> None:
    write(terminal, "tor.txt", "oops\n")
    code, listed = findings(terminal)
    assert (code, listed["lists"]) == (2, ("bad", "tor.txt does not have an IP address or a network in line 1."))
