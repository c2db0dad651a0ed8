"""`lootkeep fraud signals`: how often each signal was right."""

from __future__ import annotations

from pathlib import Path

from lootkeep import settings, wiring
from lootkeep.cli.calibrate import FactsArgument
from lootkeep.cli.output import JsonFlag, print_json, print_table, run
from lootkeep.storage.fraud import truth as fraud_truth_db
from lootkeep.toolbox.backtest.tables import percent
from lootkeep.toolbox.facts.reading import FactsFolder
from lootkeep.views import fraud_reports as fraud_reports_views


def signals(folder: FactsArgument = None, json: JsonFlag = False) -> None:
    """Show how often each signal fired, and the outcomes of those orders, as GET /fraud/signals does."""
    report = fraud_reports_views.signal_report(run(_counts(folder)))
    if json:
        print_json(report)
        return
    rows = [(row.name, f"{row.fired:,}", f"{row.right:,}", f"{row.wrong:,}", percent(row.precision)) for row in report]
    print_table(("Signal", "Fired", "Right", "Wrong", "Precision"), rows)


async def _counts(folder: Path | None) -> dict[str, int]:
    if folder is not None:
        return FactsFolder(folder).signal_counts()
    async with wiring.opened(settings.load()) as deps, deps.db.read(slow=True) as tx:
        return await fraud_truth_db.signal_counts(tx, deps.clock.now())
