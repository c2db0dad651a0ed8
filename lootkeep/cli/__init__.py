"""The command line: one file per noun."""

from __future__ import annotations

import sys

import typer

from lootkeep import __version__
from lootkeep.cli import demo, doctor, fraud, import_, mail, migrate, openapi, serve, token, user, webhooks, worker
from lootkeep.cli.output import fail
from lootkeep.kernel.errors import Reason, StartupError

app = typer.Typer(
    help="Lootkeep: referrals, fraud detection, signed webhooks and the back office of a game store.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command("serve")(serve.serve)
app.command("worker")(worker.worker)
app.command("migrate")(migrate.migrate)
app.command("openapi")(openapi.openapi)
app.command("doctor")(doctor.doctor)
app.add_typer(demo.app, name="demo")
app.add_typer(fraud.app, name="fraud")
app.add_typer(import_.app, name="import")
app.add_typer(mail.app, name="mail")
app.add_typer(token.app, name="token")
app.add_typer(user.app, name="user")
app.add_typer(webhooks.app, name="webhooks")


@app.callback(invoke_without_command=True)
def version(show: bool = typer.Option(False, "--version", help="Print the version and exit.")) -> None:
    if show:
        typer.echo(__version__)
        raise typer.Exit


def main() -> None:
    """What goes wrong in an expected way is one sentence and a non-zero exit, never a traceback."""
    try:
        app()
    except StartupError as error:
        fail(str(error))
    except Reason as reason:
        sentences = [sentence for texts in (reason.fields or {}).values() for sentence in texts]
        fail("\n".join(sentences or [reason.message]))
    except KeyboardInterrupt:
        sys.exit(130)
