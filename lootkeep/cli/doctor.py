"""`lootkeep doctor`: checks everything the service depends on; each line says what to do."""

from __future__ import annotations

import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from typing import Annotated

import typer
from rich.markup import escape

from lootkeep import settings, wiring
from lootkeep.cli.output import JsonFlag, out, print_json, run, waiting
from lootkeep.domain.webhooks import reachable
from lootkeep.engines.outbound import Outbound
from lootkeep.kernel.clock import SystemClock
from lootkeep.kernel.errors import StartupError
from lootkeep.services import health as health_service, recount as recount_service
from lootkeep.services.health import Finding
from lootkeep.settings import Settings
from lootkeep.storage.engine.database import Engine

# Opens a store.
_NEEDED = ("settings", "database", "key", "redis")
_MARKS = {"ok": "[green]ok     [/]", "warning": "[yellow]warning[/]", "bad": "[bold red]bad    [/]"}
# The exit codes of monitoring systems: ok, warning, critical.
_EXIT_CODES = {"ok": 0, "warning": 1, "bad": 2}


def doctor(
    check_counters: Annotated[
        bool, typer.Option("--check-counters", help="Recount all maintained totals and compare.")
    ] = False,
    rebuild_counters: Annotated[
        bool, typer.Option("--rebuild-counters", help="Recount all maintained totals and repair the wrong ones.")
    ] = False,
    json: JsonFlag = False,
) -> None:
    """Check everything the service depends on. Exits with 0 if everything is ok, 1 for warnings, 2 for errors."""
    with waiting("Checking the database, Redis, e-mail and the lists"):
        findings = run(_examine())
    if check_counters or rebuild_counters:
        with waiting("Recounting all maintained totals"):
            findings.append(_counted(findings, rebuild=rebuild_counters))
    if json:
        print_json([finding._asdict() for finding in findings])
    else:
        for finding in findings:
            out.print(f"{_MARKS[finding.level]}  {finding.what:<10} {escape(finding.sentence)}")
    sys.exit(_EXIT_CODES[health_service.worst(findings)])


def _counted(findings: list[Finding], *, rebuild: bool) -> Finding:
    """An unreadable list does not prevent the recount, but a store that cannot be opened does."""
    if all(finding.level != "bad" for finding in findings if finding.what in _NEEDED):
        return run(_counters(rebuild=rebuild))
    return Finding("counters", "bad", "Nothing was counted: fix the errors of the store first.")


async def _counters(*, rebuild: bool) -> Finding:
    config = settings.load()
    if config.sqlite_path and not config.sqlite_path.exists():
        return Finding("counters", "ok", "There is nothing to count yet.")
    async with wiring.opened(config) as deps:
        wrong = await (recount_service.rebuild(deps) if rebuild else recount_service.check(deps))
    if not any(wrong.values()):
        return Finding("counters", "ok", "Every maintained total equals a recount.")
    differences = ", ".join(f"{count} of {kind}" for kind, count in wrong.items() if count)
    if rebuild:
        return Finding("counters", "ok", f"Wrong maintained totals were repaired: {differences}.")
    return Finding(
        "counters", "bad", f"Maintained totals are wrong: {differences}. Run `lootkeep doctor --rebuild-counters`."
    )


async def _examine() -> list[Finding]:
    try:
        config = settings.load()
        wiring.check_settings(config)
    except StartupError as error:
        return [Finding("settings", "bad", str(error))]
    config = settings.effective(config, await wiring.stored_settings(config) or {})
    is_missing = config.sqlite_path is not None and not config.sqlite_path.exists()
    opened = None if is_missing else partial(_opened, config)
    clock, outbound = SystemClock(), Outbound(reachable(wiring.webhook_rules(config)))
    mailer, intelligence = wiring.mailer(config, clock), wiring.intelligence(config)
    try:
        return await health_service.examine(config, opened, mailer, outbound, intelligence, clock)
    finally:
        await outbound.close()


@asynccontextmanager
async def _opened(config: Settings) -> AsyncIterator[Engine]:
    engine = await wiring.open_database(config)
    try:
        yield engine
    finally:
        await engine.close()
