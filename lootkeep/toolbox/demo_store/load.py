"""Loads the demo: the store opens a year ago, and runs through the year until now."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from random import Random

from msgspec.structs import replace as changed

from lootkeep.deps import CurrentSettings, Deps
from lootkeep.domain.retention import CLOCK, ClockRecord
from lootkeep.engines.demo_receivers import DemoReceivers
from lootkeep.engines.emails.outbox import OutboxMailer
from lootkeep.engines.wakeup import Wakeup
from lootkeep.kernel.clock import DAY, HOUR, Instant, ManualClock
from lootkeep.kernel.errors import Conflict
from lootkeep.services import (
    coupons as coupons_service,
    gift_cards as gift_cards_service,
    subscriptions as subscriptions_service,
)
from lootkeep.storage import demo as demo_db, settings as settings_db
from lootkeep.storage.demo import Demo
from lootkeep.storage.engine.database import JoinedDatabase, Transaction
from lootkeep.toolbox.demo_store import places, provider
from lootkeep.toolbox.demo_store.campaign_emails import CampaignEmails
from lootkeep.toolbox.demo_store.desk import Desk
from lootkeep.toolbox.demo_store.frauds import Frauds
from lootkeep.toolbox.demo_store.game_servers import GameServers
from lootkeep.toolbox.demo_store.ids import SeededIds
from lootkeep.toolbox.demo_store.receivers import Deliveries
from lootkeep.toolbox.demo_store.shop import Shop
from lootkeep.toolbox.demo_store.troubles import Troubles
from lootkeep.toolbox.demo_store.year import DAYS, Year
from lootkeep.worker.campaigns import CampaignOptions, CampaignWorker
from lootkeep.worker.emails import EmailWorker

SCALES = {"small": 2_000, "medium": 50_000, "large": 1_000_000}

# With fewer orders, not every story would occur twice.
_MIN_STORIES = 24
_MAILS_AT_ONCE = 300


async def load(deps: Deps, scale: str, seed: int, orders: int, advance: Callable[[int], None]) -> Shop:
    """Fills an empty store; `advance` is called with the number of orders so far."""
    begun = Demo(scale, seed)
    async with deps.db.write() as tx:
        await _require_empty(tx)
        await demo_db.set_mark(tx, begun, deps.clock.now())
    # Whole hours: repeating a load soon gives the same store.
    end = Instant(deps.clock.now() // HOUR * HOUR)
    shop = _shop(deps, Random(seed), end)  # noqa: S311  made-up data
    await _live_through(deps, shop, orders, advance)
    await _to_outbox(deps, shop)
    await provider.report(deps, shop)
    async with deps.db.write() as tx:
        now = deps.clock.now()
        await demo_db.set_mark(tx, changed(begun, loaded_at=now), now)
        # The store has run until now, so its clock is believed.
        await settings_db.get_for_update(tx, CLOCK, ClockRecord, now)
        await settings_db.put(tx, CLOCK, ClockRecord(believed_at=now, looked_at=now), now)
    return shop


def demo_deps(deps: Deps) -> Deps:
    """The store's own dependencies, except that they know the demo's IP addresses."""
    return replace(deps, intelligence=places.intelligence(deps.clock))


async def _require_empty(tx: Transaction) -> None:
    mark, records = await demo_db.mark(tx), await demo_db.existing_records(tx)
    if mark.loaded_at is not None:
        raise Conflict("demo_loaded", f"This store already contains the demo ({mark.scale}, seed {mark.seed}).")
    if mark.is_begun:
        raise Conflict("demo_unfinished", "An earlier load was interrupted. Start again with an empty database.")
    if records:
        raise Conflict(
            "store_not_empty",
            f"This store contains {' and '.join(records)}: the demo needs an empty store. Set LOOTKEEP_DATABASE_URL to "
            "another database.",
        )


def _shop(deps: Deps, rng: Random, end: Instant) -> Shop:
    clock = ManualClock(Instant(end - DAYS * DAY))
    now = deps.settings.value
    sending = changed(now, identity=changed(now.identity, has_mail_server=True))
    shop = replace(
        deps,
        clock=clock,
        ids=SeededIds(rng),
        # Shortly before the end, so some deliveries still wait for their next attempt.
        outbound=DemoReceivers(rng, clock, Instant(end - 5 * HOUR)),
        intelligence=places.intelligence(clock),
        # Its campaigns were sent, to the outbox.
        settings=CurrentSettings(lambda _: sending),
    )
    return Shop(shop, clock, rng, end)


async def _live_through(deps: Deps, shop: Shop, orders: int, advance: Callable[[int], None]) -> None:
    length = DAYS * DAY
    stories = max(_MIN_STORIES, orders // 40)
    sending = Deliveries(shop)
    await shop.catalogue.open(orders)
    # The rest are orders of frauds, and renewals of subscriptions.
    Year(shop, shop.clock.now(), orders * 19 // 20 - 2 * stories).begin()
    Frauds(shop).begin(stories, length)
    Desk(shop).begin(max(10, orders // 40), max(12, orders // 100), length)
    CampaignEmails(shop).begin(length)
    servers = GameServers(shop, deps)
    servers.begin(length)
    Troubles(shop).begin(length)
    sending.begin(length)
    await shop.agenda.run(deps.db, shop.join, sending.after_each, lambda: advance(shop.orders_placed))
    await servers.end(deps)


def _without_server() -> CampaignOptions:
    return CampaignOptions(has_server=False)


async def _to_outbox(deps: Deps, shop: Shop) -> None:
    """Due cards and subscriptions are settled too; no e-mail of the demo is ever sent to anyone."""
    shop.clock.advance(shop.agenda.end - shop.clock.now())
    past_deps = replace(shop.deps, db=deps.db)
    await gift_cards_service.settle(past_deps)
    await coupons_service.settle(past_deps)
    await subscriptions_service.expire(past_deps)
    more = True
    while more:
        async with deps.db.write() as tx:
            joined = replace(past_deps, db=JoinedDatabase(tx))
            emails = EmailWorker(joined, Wakeup(), OutboxMailer())
            campaigns = CampaignWorker(joined, Wakeup(), OutboxMailer(), _without_server)
            while await campaigns.run_once():
                pass
            for _ in range(_MAILS_AT_ONCE):
                more = await emails.run_once()
                if not more:
                    break
            await emails.drain()
