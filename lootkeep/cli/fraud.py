"""`lootkeep fraud`: tools for who tunes fraud detection."""

from __future__ import annotations

import typer

from lootkeep.cli.backtest import command as backtest

app = typer.Typer(help="See what fraud detection would have done.", no_args_is_help=True)
app.command("backtest")(backtest.backtest)
