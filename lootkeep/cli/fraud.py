"""`lootkeep fraud`: for who tunes fraud detection and looks after its data."""

from __future__ import annotations

import typer

from lootkeep.cli import backtest, calibrate, fraud_lists, simulate

app = typer.Typer(help="See what fraud detection would have done, and look after its lists.", no_args_is_help=True)
app.command("backtest")(backtest.backtest)
app.command("calibrate")(calibrate.calibrate)
app.command("simulate")(simulate.simulate)
app.add_typer(fraud_lists.app, name="lists")
