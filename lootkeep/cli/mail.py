"""`lootkeep mail`: lists, shows and resends e-mails."""

from __future__ import annotations

from typing import Annotated

import typer

from lootkeep.cli.output import JsonFlag, fail, out, print_json, print_table
from lootkeep.cli.store import in_store, location
from lootkeep.deps import Deps
from lootkeep.domain.emails import EmailStatus, QueuedEmail
from lootkeep.engines.vault import SealError
from lootkeep.kernel.clock import iso
from lootkeep.kernel.errors import StartupError
from lootkeep.services import emails as emails_service
from lootkeep.storage import emails as emails_db

# The maximum of a 64-bit column.
_MAX_LISTED = 2**63 - 1

app = typer.Typer(help="List e-mails and the outbox, and resend e-mails.", no_args_is_help=True)

_Id = Annotated[int, typer.Argument(metavar="ID", min=1, max=_MAX_LISTED, help="Its id, from `mail list`.")]


@app.command("list")
def list_emails(
    status: Annotated[EmailStatus | None, typer.Option(help="Only e-mails in this state.")] = None,
    before: Annotated[
        int, typer.Option(metavar="ID", min=1, max=_MAX_LISTED, help="Only e-mails older than this id.")
    ] = _MAX_LISTED,
    limit: Annotated[int, typer.Option(min=1, max=1000, help="How many.")] = 25,
    json: JsonFlag = False,
) -> None:
    """List e-mails, newest first. Their bodies, which may contain gift card codes, are not shown."""
    sent = in_store(lambda deps: _newest(deps, status, before, limit + 1))
    emails = sent[:limit]
    older = emails[-1].id if len(sent) > limit else None
    if json:
        print_json({"mails": [_json(email) for email in emails], "next_before": older})
        return
    if not emails:
        out.print("There are no such e-mails.")
        return
    rows = [
        (str(email.id), _state(email), email.kind, _plain(email.to_email), iso(email.created_at), _plain(email.subject))
        for email in emails
    ]
    print_table(("ID", "State", "Kind", "To", "Written", "Subject"), rows)
    if older is not None:
        chosen = f" --status {status}" if status else ""
        out.print(f"\nOlder ones: lootkeep mail list{chosen} --limit {limit} --before {older}")


@app.command()
def show(mail_id: _Id, json: JsonFlag = False) -> None:
    """Show an e-mail with its body, which may contain a gift card code."""
    email, text = in_store(lambda deps: _read(deps, mail_id))
    if json:
        print_json(_json(email) | {"text": text})
        return
    lines = {
        "State": _state(email),
        "Reason": email.reason,
        "To": f"{email.to_name} <{email.to_email}>",
        "Reply to": email.reply_to,
        "Subject": email.subject,
        "Written": iso(email.created_at),
        "Ended": iso(email.finished_at) if email.finished_at else None,
        "Attempts": str(email.attempts_count),
    }
    for name, value in lines.items():
        if value:
            out.print(f"{name:<9}  {_plain(value)}", markup=False)
    out.print()
    for line in text.splitlines():
        out.print(_plain(line), markup=False)


@app.command()
def retry(
    mail_ids: Annotated[
        list[int], typer.Argument(metavar="ID...", min=1, max=_MAX_LISTED, help="Ids, from `mail list`.")
    ],
    json: JsonFlag = False,
) -> None:
    """Queue e-mails that failed or are in the outbox again. The worker sends them."""
    if not in_store(lambda deps: _retry(deps, mail_ids)):
        fail("No mail server is set: the e-mails would end in the outbox again.")
    if json:
        print_json({"queued": mail_ids})
        return
    for mail_id in mail_ids:
        out.print(f"Mail {mail_id} is queued in {location()}.", markup=False)


async def _newest(deps: Deps, status: EmailStatus | None, before: int, size: int) -> list[QueuedEmail]:
    async with deps.db.read() as tx:
        return await emails_db.newest(tx, status, size, before)


async def _read(deps: Deps, mail_id: int) -> tuple[QueuedEmail, str]:
    email = await emails_service.get(deps, mail_id)
    try:
        return email, emails_db.body_of(email, deps.vault.open).text
    except SealError as error:
        raise StartupError(str(error)) from None


async def _retry(deps: Deps, mail_ids: list[int]) -> bool:
    """False without a mail server: nothing is queued."""
    if deps.store.has_mail_server:
        await emails_service.retry(deps, mail_ids)
    return deps.store.has_mail_server


def _state(mail: QueuedEmail) -> str:
    if mail.status == "outbox":
        return "outbox, not sent"
    return f"{mail.status}, perhaps twice" if mail.perhaps_twice else mail.status


def _plain(text: str) -> str:
    """Names and texts are user input: control characters must not reach the terminal."""
    return "".join(letter if letter.isprintable() else "\N{REPLACEMENT CHARACTER}" for letter in text)


def _json(mail: QueuedEmail) -> dict[str, object]:
    return {
        "id": mail.id,
        "kind": mail.kind,
        "status": mail.status,
        "to_email": mail.to_email,
        "to_name": mail.to_name,
        "subject": mail.subject,
        "attempts_count": mail.attempts_count,
        "perhaps_twice": mail.perhaps_twice,
        "reason": mail.reason,
        "created_at": iso(mail.created_at),
        "finished_at": iso(mail.finished_at) if mail.finished_at else None,
    }
