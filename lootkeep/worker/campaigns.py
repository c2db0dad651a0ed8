"""Sends campaigns: starts those that are due, and sends one e-mail at a time at the set pace."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from lootkeep.deps import Deps
from lootkeep.domain import campaigns as campaigns_rules
from lootkeep.domain.campaign_emails import Template, TrackingLinks, filled
from lootkeep.domain.campaigns import Campaign, Recipient, RecipientFields
from lootkeep.domain.emails import INTERRUPTED, LEASE, RETRY_SECONDS, Email, SendResult, one_line
from lootkeep.engines.emails import Mailer
from lootkeep.engines.wakeup import Wakeup
from lootkeep.kernel.clock import MINUTE, Instant
from lootkeep.services import campaigns as campaigns_service
from lootkeep.storage.campaigns import queue as campaign_queue_db, rows as campaigns_db
from lootkeep.storage.engine.database import Transaction
from lootkeep.views.emails import campaign_template
from lootkeep.worker.emails import MailerWorker
from lootkeep.worker.metrics import WorkerMetrics

# If the server is the problem, nothing is sent for this long.
HOLD_OFF = MINUTE
# One transaction never skips more recipients.
_MAX_LEFT_OUT = 100


@dataclass(frozen=True, slots=True)
class CampaignOptions:
    """How campaigns are sent; the operator's settings."""

    emails_per_minute: int = 300
    is_tracked: bool = True
    has_server: bool = True


class CampaignWorker(MailerWorker[tuple[Recipient, RecipientFields]]):
    """Sends one e-mail at a time; several workers share one pace."""

    work = "campaigns"
    wakes_for = frozenset({"email_campaigns"})

    def __init__(
        self,
        deps: Deps,
        wakeup: Wakeup,
        mailer: Mailer,
        options: Callable[[], CampaignOptions],
        *,
        delays: Sequence[int] = RETRY_SECONDS,
        metrics: WorkerMetrics | None = None,
    ) -> None:
        super().__init__(deps, wakeup, mailer, delays=delays, metrics=metrics)
        self._options = options
        # The campaign that was sent last: its template is prepared once for each start and version of the settings.
        self._prepared: tuple[tuple[int, int, Instant], Campaign, Template] | None = None

    async def run_once(self, stopping: asyncio.Event | None = None) -> bool:
        if await campaigns_service.start_due(self._deps):
            return True
        return await super().run_once(stopping) if self._options().has_server else await self._to_outbox()

    async def next_due(self, tx: Transaction, now: Instant) -> Instant | None:
        start = await campaign_queue_db.next_start(tx)
        times = (start[0] if start else None, await campaign_queue_db.next_due(tx))
        return min((time for time in times if time is not None), default=None)

    async def settle_and_claim(
        self,
        tx: Transaction,
        finished: tuple[tuple[Recipient, RecipientFields], SendResult] | None,
        *,
        claim: bool,
        now: Instant,
    ) -> tuple[Recipient, RecipientFields] | None:
        # First, because it locks the campaigns, which come before recipients in the lock order.
        may_claim = claim and await campaign_queue_db.take_slot(tx, MINUTE // self._options().emails_per_minute, now)
        if finished:
            (recipient, _), outcome = finished
            await campaign_queue_db.settle(
                tx, self._lease, recipient, campaigns_rules.settle(outcome, recipient, now, self._delays), now
            )
            if outcome.is_bounce:
                await campaigns_service.announce(tx, await campaign_queue_db.set_bounced(tx, recipient, now))
            if outcome.kind == "unreachable":
                await campaign_queue_db.hold_off(
                    tx, Instant(now + HOLD_OFF), f"Waiting for the mail server: {outcome.reason}."
                )
                may_claim = False
        return await self._claim(tx, now) if may_claim else None

    async def _claim(self, tx: Transaction, now: Instant) -> tuple[Recipient, RecipientFields] | None:
        """The next recipient; those who must not get e-mails are settled on the way."""
        for _ in range(_MAX_LEFT_OUT):
            recipient = await campaign_queue_db.QUEUE.claim(tx, self._lease, Instant(now + LEASE), now)
            if recipient is None:
                break
            reader = await campaign_queue_db.addressee(tx, recipient)
            settlement = campaigns_rules.left_out(recipient, reader, now)
            if settlement is None and recipient.failures > len(self._delays):
                settlement = campaigns_rules.settle(SendResult("refused", INTERRUPTED), recipient, now, self._delays)
            if settlement is None:
                return recipient, reader
            await campaign_queue_db.settle(tx, self._lease, recipient, settlement, now)
        return None

    async def write(self, item: tuple[Recipient, RecipientFields]) -> Email:
        recipient, reader = item
        campaign, prepared = await self._prepare(recipient.campaign_id, reader.started_at)
        values = {"name": reader.name, "email": recipient.email, "referral_code": reader.referral_code}
        links = self._addresses(recipient.id, reader.referral_code)
        # Thousands of links in half a megabyte take a tenth of a second, and the event loop also serves the API.
        subject, text, html = await asyncio.to_thread(filled, prepared, values, links)
        return Email(
            recipient.email,
            one_line(reader.name),
            campaign.from_name,
            campaign.reply_to,
            subject,
            text,
            html,
            f"campaign.{campaign.id}.{recipient.id}",
            (
                ("List-Unsubscribe", f"<{links.unsubscribe}>"),
                ("List-Unsubscribe-Post", "List-Unsubscribe=One-Click"),
                ("Precedence", "bulk"),
            ),
        )

    def _addresses(self, recipient_id: int, referral_code: str) -> TrackingLinks:
        sign, base = self._deps.vault.sign, self._deps.store.public_url
        unsubscribe = f"{base}/u/{sign(str(recipient_id), campaigns_service.UNSUBSCRIBE)}"
        if not self._options().is_tracked:
            return TrackingLinks(unsubscribe, self._deps.store.referral_link(referral_code))
        return TrackingLinks(
            unsubscribe,
            f"{base}/r/{sign(str(recipient_id), campaigns_service.REFERRAL)}",
            f"{base}/p/{sign(str(recipient_id), campaigns_service.OPEN)}",
            lambda number: f"{base}/c/{sign(f'{recipient_id}.{number}', campaigns_service.CLICK)}",
        )

    async def _prepare(self, campaign_id: int, started_at: Instant) -> tuple[Campaign, Template]:
        """A campaign that is being sent cannot change, so it is read once."""
        wanted = self._deps.settings.version, campaign_id, started_at
        if self._prepared is None or self._prepared[0] != wanted:
            async with self._deps.db.read() as tx:
                campaign = await campaigns_db.ROWS.get(tx, campaign_id)
            assert campaign is not None
            is_tracked = self._options().is_tracked
            prepared = await asyncio.to_thread(campaign_template, campaign, self._deps.store, is_tracked=is_tracked)
            self._prepared = wanted, campaign, prepared
        return self._prepared[1:]

    async def _to_outbox(self) -> bool:
        if self._finished:
            # What was sent before the server was removed counts as sent.
            await self._settle(claim=False)
        now = self._deps.clock.now()
        async with self._deps.db.read() as tx:
            if not await campaign_queue_db.has_free(tx, now):
                return False
        async with self._deps.db.write() as tx:
            await campaign_queue_db.all_to_outbox(tx, now)
        return True
