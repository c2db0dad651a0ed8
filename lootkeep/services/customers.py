"""Signing up: a new customer, and the referral that may have brought them."""

from __future__ import annotations

from lootkeep.deps import Deps
from lootkeep.domain import identity, referral_abuse
from lootkeep.domain.coupons import of_welcome
from lootkeep.domain.customers import Customer, plain_code
from lootkeep.domain.identity import Trace
from lootkeep.domain.referral_abuse import Evidence
from lootkeep.domain.referrals import SETTINGS, Referral, ReferralSettings
from lootkeep.domain.sign_up import SignedUp, SignUp
from lootkeep.kernel.clock import Instant
from lootkeep.kernel.errors import invalid
from lootkeep.storage import coupons, referrals
from lootkeep.storage import customers as storage
from lootkeep.storage import identity as stored_identity
from lootkeep.storage import settings as stored_settings
from lootkeep.storage.counters import Changes
from lootkeep.storage.database import Transaction


async def sign_up(deps: Deps, form: SignUp) -> SignedUp:
    changes = Changes(spread=hash(form.email))
    async with deps.db.write() as tx:
        signed_up = await sign_up_in(deps, tx, form, changes)
        await changes.apply(tx)
    return signed_up


async def sign_up_in(deps: Deps, tx: Transaction, form: SignUp, changes: Changes) -> SignedUp:
    """The same inside a transaction that holds several sign-ups, an import, which applies all changes at its end."""
    now = deps.clock.now() if form.created_at is None else form.created_at
    customer = await _add(deps, tx, form, now)
    traces = identity.traces(customer.email, form.ip_address, form.device_id)
    signed_up = SignedUp(customer)
    if form.referral_code and form.referral_code.strip():
        signed_up = await _attribute(deps, tx, customer, form, traces, now, changes)
    await stored_identity.remember(tx, customer.id, traces, now)
    changes.add("customers.all", 1, at=now)
    return signed_up


async def _add(deps: Deps, tx: Transaction, form: SignUp, now: Instant) -> Customer:
    email = form.email.lower()
    while True:
        customer = await storage.add(
            tx,
            email=email,
            name=form.name,
            username=form.username,
            external_id=form.external_id,
            country=form.country,
            accepts_marketing=form.accepts_marketing,
            referral_code=deps.ids.code(),
            now=now,
        )
        if customer:
            return customer
        if await storage.by_email(tx, email):
            raise invalid("email", "The email field has already been taken.")
        if form.external_id and await storage.by_external_id(tx, form.external_id):
            raise invalid("external_id", "The external id field has already been taken.")
        # The referral code was taken: one in a trillion, and the next one will do.


async def _attribute(
    deps: Deps, tx: Transaction, customer: Customer, form: SignUp, traces: list[Trace], now: Instant, changes: Changes
) -> SignedUp:
    settings = await stored_settings.get(tx, SETTINGS, ReferralSettings)
    if not settings.referral_enabled:
        return SignedUp(customer, refusal="program_disabled")
    referrer = await storage.by_referral_code(tx, plain_code(form.referral_code or ""))
    if referrer is None or referrer.id == customer.id:
        return SignedUp(customer, refusal="unknown_code")
    evidence = await _evidence(tx, customer, referrer, traces)
    refusal = referral_abuse.refusal(evidence)
    if refusal:
        await referrals.add_refused(tx, customer.id, referrer.id, refusal, now, changes)
        return SignedUp(customer, referrer=referrer, refusal=refusal)
    marks = referral_abuse.marks(evidence)
    await referrals.add(tx, Referral(customer.id, referrer.id, "pending", now, None, " ".join(marks)), changes)
    customer = await storage.set_referrer(tx, customer.id, referrer.id)
    coupon = None
    # History gets none: it would have expired long ago.
    if settings.referral_welcome_discount_enabled and form.created_at is None:
        terms = of_welcome(settings, deps.currency, now)
        coupon = await coupons.add(tx, f"HI-{deps.ids.code()}", customer.id, terms, now)
    return SignedUp(customer, referrer=referrer, marks=tuple(marks), welcome_coupon=coupon)


async def _evidence(tx: Transaction, customer: Customer, referrer: Customer, traces: list[Trace]) -> Evidence:
    ancestors = await stored_identity.ancestors(tx, referrer.id)
    seen = {trace.kind: await stored_identity.seen_with(tx, trace, (referrer.id, *ancestors)) for trace in traces}
    return Evidence(
        referrer_id=referrer.id,
        ancestors=ancestors,
        same_mailbox=seen.get("mailbox", ()),
        same_device=seen.get("device", ()),
        same_address=seen.get("address", ()),
        shares_email_domain=identity.domain_of(customer.email) == identity.domain_of(referrer.email),
    )
