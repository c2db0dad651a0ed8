"""`lootkeep fraud calibrate`: compares the points of each signal with the store's own orders."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from lootkeep import settings, wiring
from lootkeep.cli.output import JsonFlag, out, print_json, print_table, run
from lootkeep.cli.past_orders import LabelOption, SourceArgument, in_time, is_file, judge_file
from lootkeep.domain.fraud import calibration
from lootkeep.domain.fraud.calibration import MIN_LABELS, Calibration, PastCheck
from lootkeep.domain.fraud.policy import SETTINGS, Policy
from lootkeep.domain.fraud.score import probability
from lootkeep.kernel.clock import Instant
from lootkeep.services import fraud_calibration as fraud_calibration_service
from lootkeep.storage import settings as settings_db
from lootkeep.toolbox.backtest.stored import personal_warnings
from lootkeep.toolbox.backtest.tables import decimal, percent
from lootkeep.toolbox.facts.reading import FactsFolder
from lootkeep.toolbox.files.reading import FileOptions


def calibrate(
    source: SourceArgument = None,
    label: LabelOption = None,
    accept: Annotated[
        bool, typer.Option("--accept", help="Apply the proposed changes as a new version of the settings.")
    ] = False,
    json: JsonFlag = False,
) -> None:
    """Compare the points of each signal with the outcomes of past orders, and propose changes.

    Orders of the last 90 days are excluded, because their outcome is not known yet; of a file, every label counts.
    Nothing changes without --accept.
    """
    result = run(_calibrate(source, label, accept))
    if json:
        print_json(result)
    else:
        _show(result, accept)


async def _calibrate(source: Path | None, label: str | None, accept: bool) -> Calibration:
    async with wiring.opened(settings.load()) as deps:
        if source is None:
            result = await fraud_calibration_service.report(deps)
        else:
            async with deps.db.read() as tx:
                policy = await settings_db.get(tx, SETTINGS, Policy)
            result = await _of_files(source, label, policy, deps.clock.now())
        if accept and result.changes:
            await fraud_calibration_service.accept(deps, result.changes)
    return result


async def _of_files(source: Path, label: str | None, policy: Policy, now: Instant) -> Calibration:
    if is_file(source):
        _, judged, warnings = await judge_file(source, label, FileOptions(), policy)
        checks = [PastCheck(order.verdict.signals, order.order.is_fraud) for order in in_time(judged)]
        result = calibration.calibrate(checks, len(checks), now)
    else:
        result, warnings = FactsFolder(source).calibration(policy), personal_warnings(policy)
    for sentence in warnings:
        Console(stderr=True, soft_wrap=True).print(sentence, markup=False)
    return result


def _show(result: Calibration, is_accepted: bool) -> None:
    base, trial = result.base, result.trial
    out.print(
        f"[bold]{base.orders:,} orders[/], {base.frauds:,} of them fraud; the outcome of {base.labels:,} is known."
    )
    if base.labels < MIN_LABELS:
        out.print(
            f"With fewer than {MIN_LABELS} known outcomes, an order without points has a fraud probability of 1 %."
        )
    out.print(f"An order without points has a fraud probability of {percent(probability(0, base.odds))}.\n")
    rows = [
        (
            fit.name,
            f"{fit.orders:,}",
            f"{fit.frauds:,}",
            f"{fit.lift:.1f} ({fit.lift_low:.1f} to {fit.lift_high:.1f})",
            f"{fit.points_given:.1f}",
            f"{fit.points_by_data}",
            fit.sentence,
        )
        for fit in result.signals
    ]
    print_table(("Signal", "Orders", "Frauds", "Lift, 95 %", "Points", "By data", ""), rows)
    if not result.changes:
        out.print("\nNothing to change.")
        return
    changes = ", ".join(f"{name} {change:+d}" for name, change in result.changes.items())
    out.print(f"\nProposed: [bold]{changes}[/]")
    out.print(
        f"Tried on the last fifth by time ({trial.orders:,} orders, {trial.frauds:,} frauds): AUC "
        f"{decimal(trial.auc_before)} → {decimal(trial.auc_after)}, frauds caught at 1 % mistakes "
        f"{percent(trial.tpr_before)} → {percent(trial.tpr_after)}."
    )
    out.print("They are accepted." if is_accepted else "`lootkeep fraud calibrate --accept` applies them.")
