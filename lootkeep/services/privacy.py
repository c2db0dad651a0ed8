"""Privacy requests: exporting everything about a person, and erasing it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, TypeVar

import msgspec

from lootkeep.deps import Deps
from lootkeep.domain import customers as customers_rules
from lootkeep.domain.customers import ERASED_NAME, ERASED_TEXT, Customer
from lootkeep.domain.goods import goods_of, looks_by_good
from lootkeep.domain.orders import OrderDetails
from lootkeep.kernel.clock import Instant, utc
from lootkeep.kernel.errors import existing
from lootkeep.kernel.paging import ListRequest, PageRequest
from lootkeep.services import subscriptions
from lootkeep.storage import (
    audit as audit_db,
    creators as creators_db,
    subscriptions as subscriptions_db,
)
from lootkeep.storage.customers import (
    erasure as erasure_db,
    export as customer_export_db,
    lists as customer_lists_db,
    rows as customers_db,
)
from lootkeep.storage.engine.database import JoinedDatabase, Transaction
from lootkeep.storage.events import outbox as outbox_db
from lootkeep.storage.gift_cards import lists as gift_card_lists_db
from lootkeep.storage.goods import looks as looks_db, owned as owned_db
from lootkeep.storage.lists import Listing
from lootkeep.storage.orders import details as order_details_db, lists as order_lists_db
from lootkeep.storage.referrals import claims as claims_db, lists as referral_lists_db
from lootkeep.storage.tickets import lists as ticket_lists_db, rows as tickets_db
from lootkeep.views import (
    creators as creators_views,
    customer_export as customer_export_views,
    customers as customers_views,
    gift_cards as gift_cards_views,
    orders as orders_views,
    payments as payments_views,
    subscriptions as subscriptions_views,
    tickets as tickets_views,
)
from lootkeep.views.customer_events import CustomerErasedData
from lootkeep.views.customer_export import CustomerExportView, ExportedGoodView
from lootkeep.views.customer_referrals import claim_with_coupon
from lootkeep.views.tickets import TicketDetailView

R = TypeVar("R")

ERASE = "Erase a customer"
_PURPOSE = "erased trace"
_PAGE = 100
_ALL_MESSAGES = 1_000_000


async def export(deps: Deps, customer_id: int) -> CustomerExportView:
    """Everything that is stored about a person; only ids of other people, and the name of the referrer."""
    now = deps.clock.now()
    async with deps.db.read(slow=True) as tx:
        customer = existing(await customers_db.ROWS.get(tx, customer_id), "Customer")
        referrers = await customer_lists_db.referrers(tx, [customer])
        emails = await _emails(tx, customer)
        records = await customer_export_db.stored_data(tx, customer_id, emails)
        cards = await _all(tx, gift_card_lists_db.LISTING, customer_id=customer_id)
        for email in emails:
            cards += await _all(tx, gift_card_lists_db.LISTING, recipient_email=email)
        owned = await _all(tx, subscriptions_db.LISTING, customer_id=customer_id)
        creators = await creators_db.ROWS.find(tx, customer_id=customer_id)
        referred = await _all(tx, referral_lists_db.REFERRALS, referrer_id=customer_id)
        return CustomerExportView(
            exported_at=utc(now),
            customer=customers_views.customer(customer, referrers.get(customer.referred_by_id or 0)),
            former_emails=customer.earlier_emails,
            orders=[orders_views.order(details) for details in await _orders(tx, customer_id)],
            subscriptions=[subscriptions_views.subscription(record, customer) for record in owned],
            support_tickets=await _tickets(tx, customer_id),
            gift_cards=[gift_cards_views.gift_card(card, now) for card in {card.id: card for card in cards}.values()],
            referred=[customer_export_views.referred(entry) for entry in referred],
            claims=[claim_with_coupon(*pair) for pair in await claims_db.of_customer(tx, customer_id)],
            creators=[
                creators_views.creator(account, deps.currency)
                for account in await creators_db.accounts(tx, creators, now)
            ],
            creator_ledger=[
                creators_views.entry(entry)
                for creator in creators
                for entry in await creators_db.ENTRIES.find(tx, creator_id=creator.id)
            ],
            fraud_checks=[customer_export_views.check(check) for check in records.checks],
            traces=[customer_export_views.trace(trace) for trace in records.traces],
            goods=await _goods(tx, customer_id, now),
            emails=[customer_export_views.email(email) for email in records.emails],
            payment_events=[payments_views.event(event) for event in records.payment_events],
            changes=[customer_export_views.change(change) for change in records.changes],
        )


async def _all(tx: Transaction, listing: Listing[R], **filters: Any) -> list[R]:
    sort = next(iter(listing.sorts))
    records: list[R] = []
    total = 1
    while len(records) < total:
        request = ListRequest(PageRequest(len(records) // _PAGE + 1, _PAGE), filters, sort)
        page, total = await listing.page(tx, request)
        if not page:
            break
        records += page
    return records


async def _goods(tx: Transaction, customer_id: int, now: Instant) -> list[ExportedGoodView]:
    looks = looks_by_good(await looks_db.of_customer(tx, customer_id))
    goods = goods_of(await owned_db.of_customer(tx, customer_id), now)
    return [customer_export_views.good(good, looks[good.item_id, good.key_id]) for good in goods]


async def _orders(tx: Transaction, customer_id: int) -> list[OrderDetails]:
    rows = await _all(tx, order_lists_db.LISTING, customer_id=customer_id)
    orders: list[OrderDetails] = []
    for start in range(0, len(rows), _PAGE):
        orders += await order_details_db.with_items(tx, rows[start : start + _PAGE])
    return orders


async def _tickets(tx: Transaction, customer_id: int) -> list[TicketDetailView]:
    tickets = await _all(tx, ticket_lists_db.LISTING, customer_id=customer_id)
    return [
        tickets_views.detail(ticket, await tickets_db.messages(tx, ticket.id, None, _ALL_MESSAGES), None)
        for ticket in tickets
    ]


async def erase(deps: Deps, customer_id: int, user_id: int | None, ip_address: str | None = None) -> None:
    """Personal data goes, wherever it is stored; orders, totals and fraud evidence stay under a pseudonym.

    Erasing again erases what came in since, and is not logged again.
    """
    async with deps.db.read(slow=True) as tx:
        customer = existing(await customers_db.ROWS.get(tx, customer_id), "Customer")
        seen = await outbox_db.horizon(tx)
        events = await erasure_db.find_events(tx, customer_id)
    pseudonym = customers_rules.pseudonym(customer_id)
    async with deps.db.write() as tx:
        await customers_db.take_turn(tx, customer_id)
        customer = existing(await customers_db.ROWS.get(tx, customer_id), "Customer")
        await erasure_db.lock(tx, customer_id)
        now = deps.clock.now()
        for email in await _emails(tx, customer):
            owner = msgspec.structs.replace(customer, email=email)
            await erasure_db.erase(tx, owner, pseudonym, lambda it: _hashed(deps, it), now)
        events = [*events, *await erasure_db.find_events(tx, customer_id, after=seen)]
        await erasure_db.set_events(tx, [(id_, _erased_data(data, pseudonym)) for id_, data in dict(events).items()])
        if customer.erased_at is None:
            joined = replace(deps, db=JoinedDatabase(tx))
            for subscription_id in await erasure_db.active_subscriptions(tx, customer_id):
                await subscriptions.cancel(joined, subscription_id, at_period_end=False, reason=None)
            await outbox_db.append(tx, "customer.erased", CustomerErasedData(customer_id), now)
            record = f"customer:{customer_id}"
            await audit_db.add(tx, user_id=user_id, action=ERASE, record=record, ip_address=ip_address, now=now)


async def _emails(tx: Transaction, customer: Customer) -> list[str]:
    """Those that the customer has and had, but for what belongs to someone else by now."""
    former = [it for it in customer.earlier_emails if not await customers_db.ROWS.find_one(tx, email=it)]
    return [customer.email, *former]


def _hashed(deps: Deps, trace: str) -> str:
    return deps.vault.fingerprint(trace.encode(), _PURPOSE)


def _erased_data(text: str, pseudonym: str) -> str:
    data = msgspec.json.decode(text)
    erased: dict[str, Any] = {"customer_email": pseudonym, "customer_name": ERASED_NAME, "tags": []}
    erased |= dict.fromkeys(("reason", "external_id", "username", "country", "output"))
    erased |= dict.fromkeys(("subject", "message"), ERASED_TEXT)
    if data.get("author_type") == "customer":
        erased["author_name"] = ERASED_NAME
    return msgspec.json.encode({name: erased.get(name, value) for name, value in data.items()}).decode()
