"""Operations on e-mail campaigns: writing, sending and cancelling them, and what recipients do."""

from __future__ import annotations

import asyncio
from typing import Any, Literal, NamedTuple

import msgspec
from msgspec.structs import asdict, replace

from lootkeep.deps import Deps
from lootkeep.domain import campaigns as campaigns_rules, emails as emails_rules
from lootkeep.domain.campaign_emails import one_body, targets
from lootkeep.domain.campaigns import Campaign, audience_of
from lootkeep.domain.customers import Customer
from lootkeep.domain.html import text_of
from lootkeep.kernel.clock import Instant
from lootkeep.kernel.errors import InvalidFields, existing
from lootkeep.services.campaign_markdown import with_bodies, with_bodies_of
from lootkeep.storage.campaigns import (
    audiences as audiences_db,
    queue as campaign_queue_db,
    readers as campaign_readers_db,
    rows as campaigns_db,
)
from lootkeep.storage.engine.database import Transaction
from lootkeep.storage.events import outbox as outbox_db
from lootkeep.views import customer_events as customer_events_views

UNSUBSCRIBE = "unsubscribe"
OPEN = "open"
CLICK = "click"
REFERRAL = "referral"
# For one e-mail: further links redirect too, but are not counted.
MAX_REFERRAL_CLICKS_PER_MINUTE = 60

# The recipient of a preview or test: their links change nothing.
NOBODY = 0

_NO_CAMPAIGN = "Email campaign"


async def create(deps: Deps, fields: dict[str, Any], reading: Reading | None = None) -> Campaign:
    """`reading` is for a caller that has already parsed the bodies, outside the transaction that this one joins."""
    new = await draft(deps, fields, reading)
    async with deps.db.write() as tx:
        return await campaigns_db.ROWS.add(tx, new)


async def draft(deps: Deps, fields: dict[str, Any], reading: Reading | None = None) -> Campaign:
    """A campaign that is not stored, or everything that is wrong with it."""
    terms = campaigns_rules.checked(fields, has_store_url=deps.store.url is not None)
    now = deps.clock.now()
    return Campaign(id=0, **_derived(terms, reading or await _read_aside(terms)), created_at=now, updated_at=now)


async def change(deps: Deps, campaign_id: int, changes: dict[str, Any]) -> Campaign:
    changes = one_body(campaigns_rules.checked(changes, has_store_url=deps.store.url is not None))
    reading = await _read_aside(await _stored_terms(deps, campaign_id) | changes)
    async with deps.db.write() as tx:
        campaign = await _get_or_404(tx, campaign_id)
        campaigns_rules.require_editable(campaign)
        terms = _derived(_terms(campaign) | changes, reading)
        changed = replace(campaign, **terms | {"updated_at": deps.clock.now()})
        if changed.status == "scheduled":
            campaigns_rules.require_body(changed)
        return await campaigns_db.ROWS.save(tx, campaign, changed)


async def delete(deps: Deps, campaign_id: int) -> None:
    async with deps.db.write() as tx:
        campaign = await _get_or_404(tx, campaign_id)
        campaigns_rules.require_editable(campaign)
        await campaigns_db.ROWS.remove(tx, campaign)


async def duplicate(deps: Deps, campaign_id: int, name: str | None) -> Campaign:
    """A new draft with the same terms, in any state of the original."""
    checked = campaigns_rules.checked({} if name is None else {"name": name}, has_store_url=deps.store.url is not None)
    async with deps.db.write() as tx:
        campaign = await _get_or_404(tx, campaign_id)
        name = checked.get("name", campaigns_rules.copy_name(campaign.name))
        return await campaigns_db.ROWS.add(tx, campaigns_rules.copied(campaign, name, deps.clock.now()))


async def send(deps: Deps, campaign_id: int, scheduled_at: Instant | None) -> Campaign:
    """Now: the recipients are fixed in this transaction, and the worker starts. Later: at the scheduled time."""
    now = deps.clock.now()
    if scheduled_at is not None:
        campaigns_rules.require_in_time(scheduled_at, now)
    async with deps.db.read() as tx:
        seen = existing(await campaigns_db.ROWS.get(tx, campaign_id), _NO_CAMPAIGN)
    campaigns_rules.require_sendable(seen)
    written = await with_bodies(deps, seen, scheduled_at or now)
    async with deps.db.write() as tx:
        campaign = await _get_or_404(tx, campaign_id)
        campaigns_rules.require_sendable(campaign)
        if campaign != seen:
            # Someone else changed it in between, which is rare enough to write it here.
            written = await with_bodies(deps, campaign, scheduled_at or now)
        # Sending now finds out with the list of recipients.
        is_for_later = scheduled_at is not None or not deps.sends_emails
        if is_for_later and await audiences_db.someone(tx, audience_of(campaign)) is None:
            raise campaigns_rules.no_audience()
        emails_rules.require_server(deps.sends_emails)
        if campaign.status == "failed":
            await campaigns_db.forget_recipients(tx, campaign_id)
            campaign = await campaigns_db.ROWS.save(tx, campaign, campaigns_rules.started_over(campaign))
        if scheduled_at is not None:
            return await campaigns_db.ROWS.save(tx, campaign, campaigns_rules.scheduled(campaign, scheduled_at, now))
        count = await audiences_db.fix(tx, campaign_id, audience_of(campaign), now)
        if count == 0:
            raise campaigns_rules.no_audience()
        started = campaigns_rules.started(with_bodies_of(campaign, written), count, now)
        return await campaigns_db.start(tx, campaign, started)


async def start_due(deps: Deps) -> bool:
    """Starts the campaign that is due; if it can no longer be sent, it fails with a reason."""
    now = deps.clock.now()
    async with deps.db.read() as tx:
        first = await campaign_queue_db.next_start(tx)
        seen = await campaigns_db.ROWS.get(tx, first[1]) if first and first[0] <= now else None
    if seen is None:
        return False
    error = None if seen.has_body else campaigns_rules.NO_BODY_LEFT
    try:
        written = await with_bodies(deps, seen, now)
    except InvalidFields as wrong:
        error = " ".join(sentence for sentences in (wrong.fields or {}).values() for sentence in sentences)
    async with deps.db.write() as tx:
        # Another process may have been faster, or someone changed it.
        if await campaigns_db.ROWS.lock(tx, seen.id) != seen or seen.status != "scheduled":
            return True
        count = 0 if error else await audiences_db.fix(tx, seen.id, audience_of(seen), now)
        if count:
            await campaigns_db.start(tx, seen, campaigns_rules.started(written, count, now))
        else:
            ended = campaigns_rules.ended(seen, "failed", error or campaigns_rules.NOBODY_LEFT, now)
            await campaigns_db.ROWS.save(tx, seen, ended)
    return True


async def cancel(deps: Deps, campaign_id: int) -> Campaign:
    """No more e-mails are sent; cancelling again changes nothing."""
    now = deps.clock.now()
    async with deps.db.write() as tx:
        campaign = await _get_or_404(tx, campaign_id)
        if campaign.status == "cancelled":
            return campaign
        campaigns_rules.require_cancellable(campaign)
        await campaigns_db.cancel_recipients(tx, campaign_id, now)
        return await campaigns_db.ROWS.save(tx, campaign, campaigns_rules.ended(campaign, "cancelled", None, now))


async def unsubscribe(deps: Deps, token: str) -> bool:
    """False if the token is invalid."""
    recipient_id = recipient_of(deps, token, UNSUBSCRIBE)
    if recipient_id is None:
        return False
    async with deps.db.write() as tx:
        visit = await campaign_readers_db.find(tx, recipient_id)
        if visit is None:
            return False
        now = deps.clock.now()
        await campaign_readers_db.mark(tx, recipient_id, visit.campaign_id, "unsubscribed", now)
        await announce(tx, await campaign_readers_db.unsubscribe(tx, visit.customer_id, now))
    return True


async def undo_unsubscribe(deps: Deps, token: str) -> bool:
    """For recipients who unsubscribed with this link by mistake; False if they did not."""
    recipient_id = recipient_of(deps, token, UNSUBSCRIBE)
    if recipient_id is None:
        return False
    async with deps.db.write() as tx:
        is_done, customer = await campaign_readers_db.undo_unsubscribe(tx, recipient_id, deps.clock.now())
        await announce(tx, customer)
    return is_done


async def announce(tx: Transaction, customer: Customer | None) -> None:
    """E-mails reach the customer, or no longer do; None if nothing has changed."""
    if customer:
        data = customer_events_views.mailbox_changed(customer)
        await outbox_db.append(tx, "customer.updated", data, customer.updated_at)


async def follow_referral(deps: Deps, token: str) -> str | None:
    """The store's URL with the recipient's code, for friends as well; None if the token is invalid."""
    recipient_id = recipient_of(deps, token, REFERRAL)
    if recipient_id is None:
        return None
    async with deps.db.read() as tx:
        referral = await campaign_readers_db.referral(tx, recipient_id)
    if referral is None:
        return None
    campaign_id, code = referral
    state = await deps.limiter.hit(f"referral:{recipient_id}", MAX_REFERRAL_CLICKS_PER_MINUTE, deps.clock.now())
    if state.is_allowed:
        async with deps.db.write() as tx:
            await campaign_readers_db.count_referral(tx, recipient_id, campaign_id)
    return deps.store.referral_link(code)


async def note_opened(deps: Deps, token: str) -> None:
    recipient_id = recipient_of(deps, token, OPEN)
    if recipient_id is not None:
        await _note(deps, recipient_id, ("opened",))


async def follow(deps: Deps, token: str) -> str | None:
    """The target of the link, which is always one of the e-mail's own; None if the token is invalid."""
    text = deps.vault.signed(token, CLICK)
    if text is None:
        return None
    recipient_id, _, number = text.partition(".")
    async with deps.db.read() as tx:
        visit = await campaign_readers_db.find(tx, int(recipient_id))
        links = await campaign_readers_db.links(tx, visit.campaign_id) if visit else []
    if int(number) >= len(links):
        return None
    # A recipient who clicks a link has opened the e-mail, even if images are not shown.
    await _note(deps, int(recipient_id), ("opened", "clicked"))
    return links[int(number)]


def recipient_of(deps: Deps, token: str, purpose: str) -> int | None:
    text = deps.vault.signed(token, purpose)
    return None if text is None else int(text)


async def _note(deps: Deps, recipient_id: int, what: tuple[Literal["opened", "clicked"], ...]) -> None:
    # Looked up first: most e-mails are opened more than once, and only the first time is recorded.
    async with deps.db.read() as tx:
        visit = await campaign_readers_db.find(tx, recipient_id)
    new = [word for word in what if visit is not None and getattr(visit, f"{word}_at") is None]
    if visit is None or not new:
        return
    async with deps.db.write() as tx:
        for word in new:
            await campaign_readers_db.mark(tx, recipient_id, visit.campaign_id, word, deps.clock.now())


async def _get_or_404(tx: Transaction, campaign_id: int) -> Campaign:
    return existing(await campaigns_db.ROWS.lock(tx, campaign_id), _NO_CAMPAIGN)


def _terms(campaign: Campaign) -> dict[str, Any]:
    """As given by the user, without a text that was generated from the HTML."""
    terms = asdict(campaign)
    return terms | {"body_text": None if campaign.is_text_derived else campaign.body_text}


async def _stored_terms(deps: Deps, campaign_id: int) -> dict[str, Any]:
    async with deps.db.read() as tx:
        campaign = existing(await campaigns_db.ROWS.get(tx, campaign_id), _NO_CAMPAIGN)
    return _terms(campaign)


class Reading(NamedTuple):
    """What a mail's bodies say, and the bodies that were read."""

    html: str | None
    text: str | None
    derived: dict[str, Any]


def read(html: str | None, text: str | None) -> Reading:
    """Half a megabyte of HTML takes half a second: never on the event loop, nor inside a transaction."""
    return Reading(html, text, _derive(html, text))


async def _read_aside(terms: dict[str, Any]) -> Reading:
    return await asyncio.to_thread(read, terms.get("body_html"), terms.get("body_text"))


def _derived(terms: dict[str, Any], reading: Reading) -> dict[str, Any]:
    """With a generated text if none was given, and the counted links."""
    html, text = terms.get("body_html"), terms.get("body_text")
    if (html, text) == (reading.html, reading.text):
        return terms | reading.derived
    # Someone else changed it in between, which is rare enough to parse it here.
    return terms | _derive(html, text)


def _derive(html: str | None, text: str | None) -> dict[str, Any]:
    is_derived = bool((html or "").strip()) and not (text or "").strip()
    return {
        "body_text": text_of(html or "") if is_derived else text,
        "is_text_derived": is_derived,
        "links": msgspec.json.encode(targets(html)).decode(),
    }
