"""`lootkeep serve`: the API and the worker in one process, or in several on PostgreSQL."""

from __future__ import annotations

import asyncio
import errno
import os
import resource
import socket
import sys
from contextlib import AsyncExitStack, nullcontext
from typing import Annotated, NamedTuple

import typer
from rich.markup import escape
from uvicorn import Config

from lootkeep import __version__, settings, wiring
from lootkeep.api.http.server import Protocol
from lootkeep.api.http.stopping import DRAIN_SECONDS, StoppingServer
from lootkeep.cli.output import out, run
from lootkeep.cli.user import console_link
from lootkeep.cli.waiting import until_opened
from lootkeep.deps import Deps
from lootkeep.domain.access import SCOPES, SERVER_SCOPE
from lootkeep.domain.webhooks import WebhookMode
from lootkeep.engines import logs
from lootkeep.engines.outbound import allow_connections
from lootkeep.kernel.clock import SystemClock
from lootkeep.kernel.errors import StartupError
from lootkeep.services import (
    access as access_service,
    goods as goods_service,
    sign_in as sign_in_service,
    webhooks as webhooks_service,
)
from lootkeep.settings import Settings
from lootkeep.storage import demo as demo_db
from lootkeep.storage.access import rows as access_db
from lootkeep.storage.engine.sqlite_tokens import serving_alone

_BACKLOG = 2048
# Each takes about 20 KB.
_MAX_CONNECTIONS = 20_000
_OPEN_HOUSE = (
    "It is an open house: anyone looks around without a password, nothing leaves this machine, and the data is made\n"
    "again at 04:00 UTC. `lootkeep user link` lets you in as the owner until then."
)


def serve(
    workers: Annotated[int, typer.Option(min=1, help="Processes to run; more than one needs PostgreSQL.")] = 1,
    host: Annotated[str | None, typer.Option(help="Address to listen on.", show_default="LOOTKEEP_HOST")] = None,
    port: Annotated[
        int | None,
        typer.Option(min=0, max=65535, help="Port; 0 picks a free one.", show_default="LOOTKEEP_PORT"),
    ] = None,
    is_dev: Annotated[bool, typer.Option("--dev", help="Set LOOTKEEP_WEBHOOK_ALLOW_INSECURE=true.")] = False,
    with_demo: Annotated[bool, typer.Option("--demo", help="Fill an empty store with the small demo first.")] = False,
    is_open_house: Annotated[
        bool, typer.Option("--open-house", help="With --demo: anyone looks around, nothing leaves, new each night.")
    ] = False,
) -> None:
    """Serve the API. Creates its database, migrates an embedded one; the first start prints a token."""
    config = _load(is_dev=is_dev)
    if is_open_house and not (with_demo and config.sqlite_path):
        raise StartupError(
            "--open-house lets anyone in and deletes the data each night: it needs --demo and an embedded database."
        )
    if workers > 1 and config.sqlite_path:
        raise StartupError(
            "An embedded database serves one process. Set LOOTKEEP_DATABASE_URL to a PostgreSQL database "
            "to use --workers, or leave --workers out."
        )
    logs.configure(config.log_level, config.log_format)
    with serving_alone(config.sqlite_path) if config.sqlite_path else nullcontext():
        _serve(config, workers, host, port, with_demo=with_demo, is_open_house=is_open_house)


def _serve(
    config: Settings, workers: int, host: str | None, port: int | None, *, with_demo: bool, is_open_house: bool
) -> None:
    listener = _listen(host or config.host, config.port if port is None else port)
    url = _url(listener)
    if with_demo and config.public_url is None:
        # The demo has pages of buyers to open. In the environment, where every process reads its settings.
        os.environ["LOOTKEEP_PUBLIC_URL"] = url
        config = settings.load()
    _greet(config, url, run(_prepare(config, with_demo=with_demo, is_open_house=is_open_house)))
    # Each process reads the settings again through the factory, so all of them are built the same way.
    server = Config(
        "lootkeep.wiring:app",
        factory=True,
        lifespan="on",
        http=Protocol,
        loop="uvloop",
        ws="none",
        log_config=None,
        access_log=False,
        server_header=False,
        date_header=False,
        timeout_graceful_shutdown=DRAIN_SECONDS,
        limit_concurrency=config.max_connections or _connections_by_files(),
    )
    if is_open_house and config.sqlite_path:
        # Only imported if there is one, like the demo.
        from lootkeep.cli.open_house import OpenHouse

        OpenHouse(server, listener, config, config.sqlite_path, SystemClock()).run()
    elif workers > 1:
        # Only imported if there are several.
        from lootkeep.cli.processes import Processes

        Processes(server, listener, workers).run()
    else:
        StoppingServer(server).run(sockets=[listener])


def _load(*, is_dev: bool) -> Settings:
    if is_dev:
        # In the environment, where every process of this service reads its settings.
        os.environ["LOOTKEEP_WEBHOOK_ALLOW_INSECURE"] = "true"
    return settings.load()


def _connections_by_files() -> int:
    """The rest is for the database, webhook receivers and logs."""
    allow_connections()
    files, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return _MAX_CONNECTIONS if files == resource.RLIM_INFINITY else min(_MAX_CONNECTIONS, max(1, files * 3 // 4))


def _listen(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((host, port))
    except OSError as error:
        listener.close()
        if error.errno == errno.EADDRINUSE:
            raise StartupError(
                f"Port {port} on {host} is in use. Stop what listens there, or set LOOTKEEP_PORT to another port."
            ) from None
        raise StartupError(
            f"Port {port} on {host} cannot be used ({error.strerror or error}). Check LOOTKEEP_HOST and LOOTKEEP_PORT."
        ) from None
    listener.listen(_BACKLOG)
    listener.set_inheritable(True)
    return listener


class Prepared(NamedTuple):
    """The greeting for a database that is ready; secrets are not printed where they would be logged."""

    # Set if there was no token, at the very first start.
    first_token: str | None
    # The one-time link that creates the owner's password, until someone can sign in.
    link_token: str | None
    is_empty: bool
    # What is in the demo store, if it is one, and what to look at there.
    demo: dict[str, int]
    steps: list[tuple[str, str]]
    is_open_house: bool
    # A buyer's page of the demo store.
    page: str | None


async def _prepare(config: Settings, *, with_demo: bool, is_open_house: bool) -> Prepared:
    async with AsyncExitStack() as stack:
        deps = await _opened(config, stack)
        await webhooks_service.set_mode(deps, WebhookMode(config.webhook_allow_insecure))
        if with_demo:
            # Only imported if there is a second store, which is rare.
            from lootkeep.cli.demo import ensure

            await ensure(deps)
        async with deps.db.write() as tx:
            await demo_db.set_open_house(tx, is_open_house, deps.clock.now())
        async with deps.db.read(slow=True) as tx:
            demo = await demo_db.counts(tx) if (await demo_db.mark(tx)).loaded_at else {}
            order = await demo_db.order_with_key(tx) if demo else None
            is_empty = not await demo_db.existing_records(tx)
            # The tokens of game servers call nothing else.
            has_tokens = any(token.scopes != SERVER_SCOPE for token in await access_db.all_tokens(tx))
        page = goods_service.page_url(deps, order) if order else None
        steps = await _steps(deps) if demo else []
        prepared = Prepared(None, None, is_empty, demo, steps, is_open_house, page)
        # What an open house makes is gone after a night.
        if _is_logged(config) or is_open_house:
            return prepared
        if not await sign_in_service.is_set_up(deps):
            prepared = prepared._replace(link_token=await sign_in_service.make_link(deps, None))
        if not has_tokens:
            secret, _ = await access_service.create_token(deps, name="first token", scopes=list(SCOPES))
            prepared = prepared._replace(first_token=secret)
        return prepared


async def _steps(deps: Deps) -> list[tuple[str, str]]:
    # Only imported for a demo, like the demo itself.
    from lootkeep.console import tour

    return [(step.title, step.url) for step in await tour.steps(deps)]


async def _opened(config: Settings, stack: AsyncExitStack) -> Deps:
    """Another process, such as an import, may lock an embedded database for a while. PostgreSQL is up, or an error."""
    if config.sqlite_path is None:
        return await stack.enter_async_context(wiring.opened(config, may_create=True))
    opened = await until_opened(lambda: stack.enter_async_context(wiring.opened(config)), "The server", asyncio.Event())
    assert opened is not None
    return opened


def _is_logged(config: Settings) -> bool:
    """Whether the output ends up in a log, where a token must not be."""
    return config.environment == "production" and not sys.stdout.isatty()


def _url(listener: socket.socket) -> str:
    host, port = listener.getsockname()[:2]
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def _greet(config: Settings, url: str, prepared: Prepared) -> None:
    first_token = prepared.first_token
    data = str(config.sqlite_path.resolve()) if config.sqlite_path else "PostgreSQL"
    out.print(f"[bold]Lootkeep {__version__}[/] is at {escape(url)}", style="default")
    out.print(f"  Data        {escape(data)}")
    if prepared.demo:
        out.print(
            "  Demo        {orders:,} orders, {customers:,} customers, {products:,} products".format(**prepared.demo)
        )
    out.print(f"  Console     {escape(url)}/console")
    if prepared.page:
        out.print(f"  Buyer page  {escape(prepared.page)}")
    out.print(f"  Reference   {escape(url)}/docs")
    if prepared.link_token:
        begin = (
            "This link lets you in as"
            if prepared.demo
            else "Nobody can sign in to the console yet. This link makes you"
        )
        out.print(f"\n{begin} the owner; it works once, for a day:\n")
        out.print(f"  {escape(console_link(config, prepared.link_token, url))}")
    if prepared.is_open_house:
        out.print(f"\n{_OPEN_HOUSE}")
    if prepared.steps:
        out.print("\nThen look at these:\n" if prepared.link_token else "\nLook at these:\n")
    for title, path in prepared.steps:
        out.print(f"  {title:<42}{escape(url + path)}")
    if first_token:
        out.print("\nThis is the first start, so here is a token with every scope. It is shown only now:\n")
        out.print(f"  {first_token}\n")
    if first_token and prepared.is_empty:
        out.print("The store is empty. To see sample data, stop it and start it again with --demo.\n")
    if prepared.is_open_house:
        out.print(f"\nWhether it is ready:\n\n  curl {escape(url)}/readyz\n")
    else:
        _print_call(escape(url), first_token, has_orders=bool(prepared.demo))
    sys.stdout.flush()


def _print_call(url: str, token: str | None, *, has_orders: bool) -> None:
    """Single quotes around a token, as a shell takes it; double quotes around a variable."""
    path = "/api/external/v1/orders" if has_orders else "/api/external/v1/referrals/tiers"
    if token:
        out.print(f"Try it:\n\n  curl -H 'Authorization: Bearer {token}' {url}{path}\n")
        return
    out.print("\nTry it, or create a token with `lootkeep token create --name NAME --all-scopes`:\n")
    out.print(f'  curl -H "Authorization: Bearer $TOKEN" {url}{path}\n' if has_orders else f"  curl {url}/healthz\n")
