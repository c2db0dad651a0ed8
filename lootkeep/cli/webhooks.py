"""`lootkeep webhooks`: sets up webhooks, and tools for developers of receivers."""

from __future__ import annotations

import sys
from contextlib import nullcontext
from functools import partial
from pathlib import Path
from socket import socket
from typing import Annotated
from urllib.parse import urlsplit

import typer
from msgspec.structs import replace
from rich.markup import escape

from lootkeep.cli import webhook_setup
from lootkeep.cli.output import HintConsole, JsonFlag, TestFlag, out, print_json, run
from lootkeep.cli.webhook_setup import EventTypes, temporary_webhook
from lootkeep.domain import receiving as receiving_rules
from lootkeep.domain.events import EVENT_TYPES
from lootkeep.engines.http1 import target
from lootkeep.kernel.errors import StartupError
from lootkeep.toolbox.webhooks import certify as certifying
from lootkeep.toolbox.webhooks.listen import Listener, ListenOptions, bind
from lootkeep.toolbox.webhooks.received import JsonLines, ReadableOutput, Screen
from lootkeep.toolbox.webhooks.resume import ResumeFile

app = typer.Typer(help="Set up webhooks, receive them on this machine, and test a receiver.", no_args_is_help=True)
app.add_typer(webhook_setup.app)

_SECRET = "The webhook's secret, as it was shown."  # noqa: S105  words of help
_SECRET_VARIABLE = "WEBHOOK_SECRET"  # noqa: S105  a name

_stderr = HintConsole(stderr=True)


@app.command()
def listen(
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port on 127.0.0.1; 0 picks a free one.")] = 4000,
    secret: Annotated[str | None, typer.Option(envvar=_SECRET_VARIABLE, help=_SECRET)] = None,
    forward: Annotated[
        str | None, typer.Option(metavar="URL", help="Forward each request to this URL and return its response.")
    ] = None,
    fail: Annotated[
        int | None, typer.Option(metavar="STATUS", min=300, max=599, help="Respond with this status to everything.")
    ] = None,
    slow: Annotated[float, typer.Option(metavar="SECONDS", min=0, max=3600, help="Wait before responding.")] = 0,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object per line.")] = False,
    resume: Annotated[
        Path | None, typer.Option(metavar="FILE", dir_okay=False, help="Store in this file what arrived.")
    ] = None,
    api: Annotated[
        str | None, typer.Option(metavar="URL", help="The store's URL: first print the events that were missed.")
    ] = None,
    token: Annotated[str | None, typer.Option(help="A token with events:read, for --api.")] = None,
    event: EventTypes = None,
    is_test: TestFlag = False,
) -> None:
    """Receive deliveries, verify their signatures and print them. Press Ctrl-C to stop.

    Without --secret it creates a webhook in the store of this folder, and removes it at the end.
    A wrong signature gets a 401, everything else a 200, unless --forward or --fail is given.
    With both, the other URL gets each request and the sender gets a failure.
    """
    if (api is None) != (token is None) or (api and not resume):
        raise StartupError(
            "--api, --token and --resume must be used together: the file stores the position in the event feed."
        )
    plan = ListenOptions(
        _checked(secret), _web_address(forward, "--forward"), fail, slow, _web_address(api, "--api"), token
    )
    memory, screen = ResumeFile(resume), JsonLines(out) if json else ReadableOutput(out)
    server = bind(port)
    temporary = temporary_webhook(server.getsockname()[1], event or list(EVENT_TYPES), is_test=is_test)
    with nullcontext(plan.secret) if plan.secret else temporary as verified_by:
        is_subscribed = verified_by is not None and plan.secret is None
        _listen(replace(plan, secret=verified_by), memory, screen, server, is_subscribed=is_subscribed)


@app.command()
def certify(
    url: Annotated[str, typer.Argument(metavar="URL", help="The receiver's URL.")],
    secret: Annotated[str, typer.Option(envvar=_SECRET_VARIABLE, help=_SECRET)],
    json: JsonFlag = False,
) -> None:
    """Send valid and invalid deliveries to a receiver and check its responses. Exits with 0 only if all pass.

    This tests your own receiver: plain http, this machine and private networks are allowed here,
    although the service only sends to public HTTPS URLs. The deliveries are samples: use a test system.
    """
    checks = run(certifying.certify(url, _required(secret)))
    passed = sum(check.is_passed for check in checks)
    if json:
        print_json(
            {"url": url, "passed": passed, "total": len(checks), "checks": [check.as_json() for check in checks]}
        )
    else:
        _print_checks(checks)
        style = "bold green" if passed == len(checks) else "bold red"
        out.print(f"\n[{style}]{passed} of {len(checks)} passed.[/]")
    if passed < len(checks):
        sys.exit(1)


def _listen(plan: ListenOptions, memory: ResumeFile, screen: Screen, server: socket, *, is_subscribed: bool) -> None:
    listener = Listener(plan, memory, screen)
    greet = partial(_greet, plan, server.getsockname()[1], is_subscribed=is_subscribed)
    run(listener.run(server, greet, _say))
    tally = listener.tally
    noun = "delivery" if tally.deliveries == 1 else "deliveries"
    _say(f"{tally.deliveries} {noun}, {tally.refused} with a bad signature, {tally.repeated} seen before.")


def _greet(plan: ListenOptions, port: int, *, is_subscribed: bool) -> None:
    _say(f"Listening at http://127.0.0.1:{port}/ (every path). Press Ctrl-C to stop.")
    _say(f"  Signatures  {'verified' if plan.secret else 'not verified: give --secret'}")
    if is_subscribed:
        _say("  Webhook     created for this session; the server permits this machine with `lootkeep serve --dev`")
    if plan.forward:
        _say(f"  Forward     {plan.forward}")
    if plan.fail or plan.slow:
        wait = f" after {plan.slow:g} s" if plan.slow else ""
        _say(f"  Answers     {plan.fail or 'as usual'}{wait}")
    _say("")


def _print_checks(checks: list[certifying.CaseResult]) -> None:
    for check in checks:
        mark = "[green]pass[/]" if check.is_passed else "[bold red]FAIL[/]"
        out.print(f"{mark}  [bold]{check.name:<18}[/]  expected {check.expected:<18} {escape(check.got)}")
        if check.advice:
            out.print(f"      [yellow]{escape(check.advice)}[/]")


def _checked(secret: str | None) -> str | None:
    return None if secret is None else _required(secret)


def _required(secret: str) -> str:
    secret = secret.strip()
    error = receiving_rules.check_secret(secret)
    if error:
        raise StartupError(error)
    return secret


def _web_address(url: str | None, option: str) -> str | None:
    if url is not None and not url.startswith(("http://", "https://")):
        raise StartupError(f"{option} takes a URL that starts with http:// or https://.")
    try:
        if url and ("@" in urlsplit(url).netloc or not target(url, "")):
            raise ValueError
    except ValueError:
        raise StartupError(f"{option} takes a URL in ASCII, with a host and without a user name.") from None
    return url


def _say(sentence: str) -> None:
    """On stderr, so stdout has only deliveries."""
    _stderr.print(sentence, markup=False)
