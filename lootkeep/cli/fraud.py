"""`lootkeep fraud`: the data that fraud detection leans on."""

from __future__ import annotations

import typer

from lootkeep.cli import fraud_lists

app = typer.Typer(help="Look after the lists that fraud detection leans on.", no_args_is_help=True)
app.add_typer(fraud_lists.app, name="lists")
