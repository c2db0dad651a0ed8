"""Campaigns of the demo: two that were sent and read, and drafts."""

from __future__ import annotations

from typing import Any

from lootkeep.domain.audiences import Audience, SegmentFilters
from lootkeep.domain.emails import Email, SendResult
from lootkeep.engines.wakeup import Wakeup
from lootkeep.kernel.clock import DAY, MINUTE
from lootkeep.services import campaigns as campaigns_service
from lootkeep.toolbox.demo_store.shop import Shop
from lootkeep.worker.campaigns import CampaignOptions, CampaignWorker

_HTML = """<h1>Hello {{ name }}</h1><p>%s</p><p><a href="https://pixelforge.example/sale">To the store</a></p>"""
_PER_MINUTE = 60_000
_READERS = 400


class _DiscardingMailer:
    """Replaces the mail server: accepts every e-mail, and stores none."""

    async def send(self, email: Email) -> SendResult:
        return SendResult("sent")

    async def check(self) -> str | None:
        return None

    async def close(self) -> None:
        return None


class CampaignEmails:
    def __init__(self, shop: Shop) -> None:
        self._shop = shop
        self._readers = 0

    def begin(self, length: int) -> None:
        self._shop.agenda.add(length // 2, self._welcome)
        self._shop.agenda.add(length - 20 * DAY, self._write)

    async def _welcome(self) -> None:
        people = self._shop.people[-_READERS:]
        lately = Audience(type="customers", customer_ids=tuple(person.id for person in people))
        await self._send(_terms("Welcome aboard", "What our players like best", lately))

    async def _send(self, terms: dict[str, Any]) -> None:
        shop, deps = self._shop, self._shop.deps
        campaign = await campaigns_service.create(deps, terms)
        sent = await campaigns_service.send(deps, campaign.id, None)
        options = CampaignOptions(emails_per_minute=_PER_MINUTE)
        worker = CampaignWorker(deps, Wakeup(), _DiscardingMailer(), lambda: options)
        while await worker.run_once():
            shop.clock.advance(MINUTE // _PER_MINUTE)
        # Recipients are numbered through all campaigns.
        for reader in range(self._readers + 1, self._readers + sent.recipients_count + 1):
            await self._read(reader)
        self._readers += sent.recipients_count

    async def _read(self, reader: int) -> None:
        deps, chance = self._shop.deps, self._shop.rng.random()
        if chance < 0.45:
            await campaigns_service.note_opened(deps, deps.vault.sign(str(reader), campaigns_service.OPEN))
        if chance < 0.12:
            await campaigns_service.follow(deps, deps.vault.sign(f"{reader}.0", campaigns_service.CLICK))
        if chance < 0.02:
            await campaigns_service.unsubscribe(deps, deps.vault.sign(str(reader), campaigns_service.UNSUBSCRIBE))

    async def _write(self) -> None:
        deps = self._shop.deps
        await self._send(_terms("Autumn sale", "Half price until Sunday", Audience()))
        loyal = Audience(type="segment", filters=SegmentFilters(min_orders=3))
        await campaigns_service.create(deps, _terms("For our regulars", "A look at what comes next", loyal))
        brought = Audience(type="segment", filters=SegmentFilters(is_referrer=True))
        await campaigns_service.create(deps, _terms("Recruiters", "Your code is worth more in December", brought))


def _terms(name: str, subject: str, audience: Audience) -> dict[str, Any]:
    return {
        "name": name,
        "subject": subject,
        "preview_text": None,
        "from_name": "Pixel Forge",
        "reply_to": None,
        "audience": audience,
        "body_html": _HTML % f"{subject}.",
        "body_text": None,
    }
