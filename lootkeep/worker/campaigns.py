"""Sending campaigns: start what is due, write to one reader at a time at the set pace, settle what came of it."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Sequence
from dataclasses import dataclass

from lootkeep.deps import Deps
from lootkeep.domain import campaigns as rules
from lootkeep.domain.campaign_mail import Addresses, Template, filled, template
from lootkeep.domain.campaigns import Addressee, Campaign, Recipient
from lootkeep.domain.mail import INTERRUPTED, RETRY_SECONDS, Letter, Outcome, one_line
from lootkeep.engines.mail import Mailer
from lootkeep.engines.wakeup import Wakeup
from lootkeep.kernel.clock import MINUTE, Instant
from lootkeep.kernel.errors import Unavailable
from lootkeep.services import campaigns as services
from lootkeep.storage import campaign_queue as queue
from lootkeep.storage import campaigns as storage
from lootkeep.storage.database import Transaction
from lootkeep.worker.mail import pause, sent
from lootkeep.worker.outage import Outage

# When the server is the trouble, nobody is written to for so long.
HOLD_OFF = MINUTE
# One transaction never passes over more than so many.
_LEFT_OUT_AT_ONCE = 100


@dataclass(frozen=True, slots=True)
class Manner:
    """How campaigns are sent; the operator's settings."""

    public_url: str
    mails_per_minute: int = 300
    is_tracked: bool = True
    has_server: bool = True


class Campaigner:
    """One worker with one mail under way. Any number may run on PostgreSQL: they keep the pace together."""

    def __init__(
        self,
        deps: Deps,
        wakeup: Wakeup,
        mailer: Mailer,
        manner: Manner,
        *,
        delays: Sequence[int] = RETRY_SECONDS,
    ) -> None:
        self._deps = deps
        self._wakeup = wakeup
        self._outage = Outage("campaigns")
        self._mailer = mailer
        self._manner = manner
        self._delays = delays
        self._pause = MINUTE // manner.mails_per_minute
        self._lease = secrets.token_hex(8)
        self._finished: tuple[Recipient, Outcome] | None = None
        # The campaign that was written last: its mail is prepared once.
        self._prepared: tuple[Campaign, Template] | None = None

    async def run(self, stopping: asyncio.Event) -> None:
        """Works until it is told to stop, then ends what is under way."""
        while not stopping.is_set():
            try:
                is_idle = not await self.turn(stopping)
                self._outage.end()
                if is_idle:
                    await self._rest()
            except Unavailable:
                await self._outage.wait(stopping)
        if self._finished is not None:
            await self._settle()
        await self._mailer.close()

    async def turn(self, stopping: asyncio.Event | None = None) -> bool:
        """Settles the last mail and writes to the next reader; False when there was nothing to do."""
        if await services.start_due(self._deps):
            return True
        if not self._manner.has_server:
            return await self._to_outbox()
        taken = await self._next()
        if taken is None:
            return False
        recipient, reader = taken
        self._finished = recipient, await sent(self._mailer, await self._letter(recipient, reader), stopping)
        return True

    async def _next(self) -> tuple[Recipient, Addressee] | None:
        now = self._deps.clock.now()
        # Looked for first: an idle worker never writes, and so never wakes itself.
        async with self._deps.db.read() as tx:
            due = await queue.next_due(tx)
        is_due = due is not None and due <= now
        if not is_due and self._finished is None:
            return None
        return await self._settle(claim=is_due)

    async def _settle(self, *, claim: bool = False) -> tuple[Recipient, Addressee] | None:
        """Writes down what came of the last mail and takes the next reader, in one transaction."""
        now = self._deps.clock.now()
        taken = None
        async with self._deps.db.write() as tx:
            # First, for it holds the campaigns: two workers never wait for each other in a circle.
            may_claim = claim and await queue.take_turn(tx, self._pause, now)
            if self._finished is not None:
                recipient, outcome = self._finished
                await queue.settle(tx, self._lease, recipient, rules.settle(outcome, recipient, now, self._delays), now)
                if outcome.is_bounce:
                    await queue.set_bounced(tx, recipient, now)
                if outcome.kind == "unreachable":
                    await queue.hold_off(tx, Instant(now + HOLD_OFF), f"Waiting for the mail server: {outcome.reason}.")
                    may_claim = False
            if may_claim:
                taken = await self._take(tx, now)
        self._finished = None
        return taken

    async def _take(self, tx: Transaction, now: Instant) -> tuple[Recipient, Addressee] | None:
        """The next reader who may be written to; those who may not are settled on the way."""
        for _ in range(_LEFT_OUT_AT_ONCE):
            held = await queue.claim(tx, self._lease, now)
            if held is None:
                break
            reader = await queue.addressee(tx, held)
            settlement = rules.left_out(held, reader, now)
            if settlement is None and held.failures > len(self._delays):
                settlement = rules.settle(Outcome("refused", INTERRUPTED), held, now, self._delays)
            if settlement is None:
                return held, reader
            await queue.settle(tx, self._lease, held, settlement, now)
        return None

    async def _letter(self, recipient: Recipient, reader: Addressee) -> Letter:
        campaign, made = await self._prepare(recipient.campaign_id)
        values = {"name": reader.name, "email": recipient.email, "referral_code": reader.referral_code}
        addresses = self._addresses(recipient.id)
        subject, text, html = filled(made, values, addresses)
        return Letter(
            recipient.email,
            one_line(reader.name),
            campaign.from_name,
            campaign.reply_to,
            subject,
            text,
            html,
            f"campaign.{campaign.id}.{recipient.id}",
            (
                ("List-Unsubscribe", f"<{addresses.unsubscribe}>"),
                ("List-Unsubscribe-Post", "List-Unsubscribe=One-Click"),
                ("Precedence", "bulk"),
            ),
        )

    def _addresses(self, recipient_id: int) -> Addresses:
        sign, base = self._deps.vault.sign, self._manner.public_url
        unsubscribe = f"{base}/u/{sign(str(recipient_id), services.UNSUBSCRIBE)}"
        if not self._manner.is_tracked:
            return Addresses(unsubscribe)
        return Addresses(
            unsubscribe,
            f"{base}/o/{sign(str(recipient_id), services.OPEN)}",
            lambda number: f"{base}/c/{sign(f'{recipient_id}.{number}', services.CLICK)}",
        )

    async def _prepare(self, campaign_id: int) -> tuple[Campaign, Template]:
        """What is sent cannot be changed any more, so it is read once."""
        if self._prepared is None or self._prepared[0].id != campaign_id:
            async with self._deps.db.read() as tx:
                campaign = await storage.get(tx, campaign_id)
            assert campaign is not None
            made = template(
                campaign.subject,
                campaign.preview_text,
                campaign.body_html,
                campaign.body_text,
                is_tracked=self._manner.is_tracked,
            )
            self._prepared = campaign, made
        return self._prepared

    async def _to_outbox(self) -> bool:
        async with self._deps.db.read() as tx:
            if await queue.next_due(tx) is None:
                return False
        async with self._deps.db.write() as tx:
            return await queue.all_to_outbox(tx, self._deps.clock.now())

    async def _rest(self) -> None:
        async with self._deps.db.read() as tx:
            starts = await queue.next_start(tx)
            due = await queue.next_due(tx)
        times = [time for time in (starts[0] if starts else None, due) if time is not None]
        await self._wakeup.wait(pause(min(times, default=None), self._deps.clock.now()))
