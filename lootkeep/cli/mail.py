"""`lootkeep mail`: what was written to customers, what became of it, and sending it again."""

from __future__ import annotations

from typing import Annotated

import typer

from lootkeep import settings, wiring
from lootkeep.cli.output import fail, out, print_json, print_table, run
from lootkeep.domain.emails import EmailStatus, QueuedEmail
from lootkeep.engines.vault import SealError
from lootkeep.kernel.clock import iso
from lootkeep.kernel.errors import StartupError
from lootkeep.services import emails
from lootkeep.storage import emails as emails_db

# What a 64-bit column holds.
_MOST = 2**63 - 1

app = typer.Typer(help="See the mails and the outbox, and send what was not sent.", no_args_is_help=True)

_Id = Annotated[int, typer.Argument(metavar="ID", min=1, max=_MOST, help="Its id, from `mail list`.")]
_Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]


@app.command("list")
def list_mails(
    status: Annotated[EmailStatus | None, typer.Option(help="Only those in this state.")] = None,
    before: Annotated[int, typer.Option(metavar="ID", min=1, max=_MOST, help="Only older ones than this.")] = _MOST,
    limit: Annotated[int, typer.Option(min=1, max=1000, help="How many.")] = 25,
    json: _Json = False,
) -> None:
    """List mails, newest first. Their texts, which may hold a gift card's code, are not shown."""
    found = run(_newest(status, before, limit + 1))
    shown = found[:limit]
    older = shown[-1].id if len(found) > limit else None
    if json:
        print_json({"mails": [_json(mail) for mail in shown], "next_before": older})
        return
    if not shown:
        out.print("There is no such mail.")
        return
    rows = [
        (str(mail.id), _state(mail), mail.kind, _plain(mail.to_email), iso(mail.created_at), _plain(mail.subject))
        for mail in shown
    ]
    print_table(("ID", "State", "Kind", "To", "Written", "Subject"), rows)
    if older is not None:
        chosen = f" --status {status}" if status else ""
        out.print(f"\nOlder ones: lootkeep mail list{chosen} --limit {limit} --before {older}")


@app.command()
def show(mail_id: _Id, json: _Json = False) -> None:
    """Show a mail with its text. It may hold a gift card's code."""
    mail, text = run(_read(mail_id))
    if json:
        print_json(_json(mail) | {"text": text})
        return
    lines = {
        "State": _state(mail),
        "Reason": mail.reason,
        "To": f"{mail.to_name} <{mail.to_email}>",
        "Reply to": mail.reply_to,
        "Subject": mail.subject,
        "Written": iso(mail.created_at),
        "Ended": iso(mail.finished_at) if mail.finished_at else None,
        "Attempts": str(mail.attempts_count),
    }
    for name, value in lines.items():
        if value:
            out.print(f"{name:<9}  {_plain(value)}", markup=False)
    out.print()
    for line in text.splitlines():
        out.print(_plain(line), markup=False)


@app.command()
def retry(
    mail_ids: Annotated[list[int], typer.Argument(metavar="ID...", min=1, max=_MOST, help="Ids, from `mail list`.")],
    json: _Json = False,
) -> None:
    """Queue mails again that failed or lie in the outbox. The worker sends them."""
    given = settings.load()
    if given.smtp_url is None:
        fail("LOOTKEEP_SMTP_URL is not set: the mails would end in the outbox again.")
    run(_retry(mail_ids))
    if json:
        print_json({"queued": mail_ids})
        return
    for mail_id in mail_ids:
        out.print(f"Mail {mail_id} is queued.")


async def _newest(status: EmailStatus | None, before: int, size: int) -> list[QueuedEmail]:
    async with wiring.opened(settings.load()) as deps, deps.db.read() as tx:
        return await emails_db.newest(tx, status, size, before)


async def _read(mail_id: int) -> tuple[QueuedEmail, str]:
    async with wiring.opened(settings.load()) as deps:
        mail = await emails.get(deps, mail_id)
        try:
            return mail, emails_db.body_of(mail, deps.vault.open).text
        except SealError as error:
            raise StartupError(str(error)) from None


async def _retry(mail_ids: list[int]) -> None:
    async with wiring.opened(settings.load()) as deps:
        await emails.retry(deps, mail_ids)


def _state(mail: QueuedEmail) -> str:
    return f"{mail.status}, perhaps twice" if mail.perhaps_twice else mail.status


def _plain(text: str) -> str:
    """Names and texts come from people: what a terminal would obey is not passed on to it."""
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
