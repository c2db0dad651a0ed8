"""The webhooks of a store on the command line: list, create, test, redeliver, and the webhook of a listener."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Annotated

import typer

from lootkeep import settings
from lootkeep.cli.output import JsonFlag, TestFlag, out, print_json, print_table
from lootkeep.cli.store import in_store, location
from lootkeep.deps import Deps
from lootkeep.domain.webhooks import EVENT_PATTERNS, Webhook, WebhookRules
from lootkeep.services import webhooks as webhooks_service
from lootkeep.storage.webhooks import endpoints as endpoints_db
from lootkeep.views import webhooks as webhooks_views

app = typer.Typer()

# The maximum of a 64-bit column.
_MAX_ID = 2**63 - 1
_Id = Annotated[int, typer.Argument(metavar="ID", min=1, max=_MAX_ID, help="Its id, from `webhooks list`.")]
EventTypes = Annotated[
    list[str] | None,
    typer.Option(
        "--event",
        metavar="TYPE",
        help="A type to receive, such as order.paid or order.*; can be repeated.",
        show_default="all",
    ),
]


@app.command("list")
def list_webhooks(json: JsonFlag = False, is_test: TestFlag = False) -> None:
    """List the webhooks, without secrets."""
    stored = in_store(_all, is_test=is_test)
    if json:
        print_json([webhooks_views.webhook(webhook) for webhook in stored])
        return
    rows = [
        (str(webhook.id), "active" if webhook.is_active else "off", webhook.url, _pattern_or_types(webhook.event_types))
        for webhook in stored
    ]
    print_table(("ID", "State", "URL", "Events"), rows)


@app.command()
def create(
    url: Annotated[str, typer.Argument(metavar="URL", help="Where deliveries are sent.")],
    event: EventTypes = None,
    json: JsonFlag = False,
    is_test: TestFlag = False,
) -> None:
    """Create a webhook. Its secret is shown only now."""
    webhook, secret = in_store(lambda deps: webhooks_service.create(deps, url, event or ["*"]), is_test=is_test)
    if json:
        print_json(webhooks_views.webhook_with_secret(webhook, secret))
        return
    sentence = f"Webhook {webhook.id} was created in {location()} for {_pattern_or_types(webhook.event_types)}."
    out.print(f"{sentence} Its secret is shown only now:\n", markup=False)
    out.print(f"  {secret}\n", markup=False)


@app.command("test")
def send_test(webhook_id: _Id, json: JsonFlag = False, is_test: TestFlag = False) -> None:
    """Send a test delivery immediately. Exits with 1 if it was not delivered."""
    result = in_store(lambda deps: webhooks_service.test(deps, webhook_id), is_test=is_test)
    if json:
        print_json(webhooks_views.test_result(result))
    elif result.is_delivered:
        out.print(f"Delivered: answered {result.response_code} after {result.latency_ms} ms.")
    else:
        out.print(f"Not delivered: {result.reason}.", markup=False)
    if not result.is_delivered:
        sys.exit(1)


@app.command()
def redeliver(
    delivery_id: Annotated[str, typer.Argument(metavar="DELIVERY", help="The delivery's id: wh_ and a UUID.")],
    json: JsonFlag = False,
    is_test: TestFlag = False,
) -> None:
    """Send a delivery again, with the same id and bytes. The service sends it within a few seconds."""
    delivery = in_store(lambda deps: webhooks_service.redeliver(deps, delivery_id), is_test=is_test)
    if json:
        print_json(webhooks_views.delivery(delivery))
        return
    out.print(f"{delivery.public_id} is sent again to webhook {delivery.webhook_id}.")


@contextmanager
def temporary_webhook(port: int, event_types: list[str], *, is_test: bool) -> Iterator[str | None]:
    """The secret of a webhook to this machine, which exists inside the block; None if there is no store."""
    config = settings.load()
    has_store = is_test or config.sqlite_path is None or config.sqlite_path.exists()
    if config.environment == "production" or not has_store:
        yield None
        return
    origin = f"http://127.0.0.1:{port}/"
    webhook_id, secret = in_store(lambda deps: _subscribe(deps, origin, event_types), is_test=is_test)
    try:
        yield secret
    finally:
        if webhook_id is not None:
            in_store(lambda deps: webhooks_service.delete(deps, webhook_id), is_test=is_test)


def _pattern_or_types(event_types: list[str]) -> str:
    """The name of the pattern for exactly these types, if there is one."""
    names = [name for name, types in EVENT_PATTERNS.items() if set(types) == set(event_types)]
    return names[0] if names else " ".join(event_types)


async def _all(deps: Deps) -> list[Webhook]:
    async with deps.db.read() as tx:
        return await endpoints_db.ROWS.find(tx)


async def _subscribe(deps: Deps, origin: str, event_types: list[str]) -> tuple[int | None, str]:
    """The webhook to remove later, and the secret; an existing webhook to this machine is used and stays."""
    url = f"{origin}lootkeep-listen"
    for webhook in await _all(deps):
        if webhook.url == url:
            # Left by a listener that was killed: nobody else can listen on this port.
            await webhooks_service.delete(deps, webhook.id)
        elif webhook.url.startswith(origin) and webhook.is_active:
            return None, webhooks_service.secrets_of(deps, webhook, deps.clock.now())[0]
    # The server decides whether this machine may be reached; its settings may differ.
    permitted = replace(deps, webhook_rules=WebhookRules(allow_insecure=True))
    webhook, secret = await webhooks_service.create(permitted, url, event_types)
    return webhook.id, secret
