"""`lootkeep fraud signals`: how often each signal was right."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from pathlib import Path

from lootkeep import settings, wiring
from lootkeep.cli.output import JsonFlag, print_json, print_table, run
from lootkeep.cli.past_orders import LabelOption, SourceArgument, is_file, judge_file
from lootkeep.domain.fraud.policy import Policy
from lootkeep.storage.fraud import truth as fraud_truth_db
from lootkeep.toolbox.backtest.tables import percent
from lootkeep.toolbox.facts.reading import FactsFolder
from lootkeep.toolbox.files.reading import FileOptions
from lootkeep.views import fraud_reports as fraud_reports_views


def signals(source: SourceArgument = None, label: LabelOption = None, json: JsonFlag = False) -> None:
    """Show how often each signal fired, and the outcomes of those orders, as GET /fraud/signals does."""
    report = fraud_reports_views.signal_report(run(_counts(source, label)))
    if json:
        print_json(report)
        return
    rows = [(row.name, f"{row.fired:,}", f"{row.right:,}", f"{row.wrong:,}", percent(row.precision)) for row in report]
    print_table(("Signal", "Fired", "Right", "Wrong", "Precision"), rows)


async def _counts(source: Path | None, label: str | None) -> Mapping[str, int]:
    if is_file(source):
        return await _counts_of_file(source, label)
    if source is not None:
        return FactsFolder(source).signal_counts()
    async with wiring.opened(settings.load()) as deps, deps.db.read(slow=True) as tx:
        return await fraud_truth_db.signal_counts(tx, deps.clock.now())


async def _counts_of_file(file: Path, label: str | None) -> Counter[str]:
    """Judged with the settings of a new store."""
    _, judged, _ = await judge_file(file, label, FileOptions(), Policy())
    counts = Counter[str]()
    for order in judged:
        outcome = "fraud" if order.order.is_fraud else "legitimate"
        counts.update(f"{name}.{what}" for name in order.verdict.signals for what in ("fired", outcome))
    return counts
