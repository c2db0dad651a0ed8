"""`lootkeep fraud`: tests and tunes fraud detection and manages its data."""

from __future__ import annotations

import typer

from lootkeep.cli import backtest, calibrate, intelligence, signals, simulate

app = typer.Typer(help="Test and tune fraud detection, and manage its lists.", no_args_is_help=True)
app.command("backtest")(backtest.backtest)
app.command("calibrate")(calibrate.calibrate)
app.command("signals")(signals.signals)
app.command("simulate")(simulate.simulate)
app.add_typer(intelligence.app, name="lists")
