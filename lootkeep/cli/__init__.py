"""The command line: one file per noun."""

from __future__ import annotations

import errno
import os
import sys

import typer

from lootkeep import __version__
from lootkeep.cli.commands import HELP_NAMES, Commands
from lootkeep.cli.output import fail
from lootkeep.kernel.errors import AppError, StartupError

# A full disk, and the limits of an account and of a file.
_NO_ROOM = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}

app = typer.Typer(
    cls=Commands,
    help="Lootkeep: referrals, fraud detection, signed webhooks and the back office of a game store.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": HELP_NAMES},
    epilog="`lootkeep COMMAND --help` shows more. Settings are environment variables, or lines in a file .env.",
)


@app.callback(invoke_without_command=True)
def version(show: bool = typer.Option(False, "--version", help="Print the version and exit.")) -> None:
    if show:
        typer.echo(__version__)
        raise typer.Exit


def main() -> None:
    """An expected error is one sentence and a non-zero exit code, never a traceback."""
    # To look for plugins of pydantic is to read the metadata of every installed package.
    os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")
    try:
        app(prog_name="lootkeep")
    except StartupError as error:
        fail(str(error))
    except AppError as reason:
        sentences = [sentence for texts in (reason.fields or {}).values() for sentence in texts]
        fail("\n".join(sentences or [reason.message]))
    except OSError as error:
        if error.errno not in _NO_ROOM:
            raise
        fail("There is no room for the files on the disk. Make room, and run the same command again.")
    except KeyboardInterrupt:
        sys.exit(130)
