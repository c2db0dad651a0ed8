"""Signing up: a new customer, and the referral that may have brought them."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from lootkeep.deps import Deps
from lootkeep.domain import identity, referral_abuse
from lootkeep.domain.coupons import of_welcome
from lootkeep.domain.customers import Customer, plain_code
from lootkeep.domain.identity import Trace
from lootkeep.domain.referral_abuse import Evidence
from lootkeep.domain.referrals import SETTINGS, Referral, ReferralSettings
from lootkeep.domain.sign_up import SignedUp, SignUp
from lootkeep.kernel.errors import Reason, invalid
from lootkeep.storage import coupons, referrals
from lootkeep.storage import customers as storage
from lootkeep.storage import identity as stored_identity
from lootkeep.storage import settings as stored_settings
from lootkeep.storage.customers import NewCustomer
from lootkeep.storage.engine.database import Transaction
from lootkeep.storage.identity import Seen
from lootkeep.storage.totals.changes import Changes


async def sign_up(deps: Deps, form: SignUp) -> SignedUp:
    changes = Changes(spread=hash(form.email))
    async with deps.db.write() as tx:
        signed_up = await sign_up_in(deps, tx, form, changes)
        await changes.apply(tx)
    return signed_up


async def sign_up_in(deps: Deps, tx: Transaction, form: SignUp, changes: Changes) -> SignedUp:
    """The same inside a transaction that does more, and applies all changes at its end."""
    (signed_up,) = await sign_up_all(deps, tx, [form], changes)
    if isinstance(signed_up, Reason):
        raise signed_up
    return signed_up


async def sign_up_all(
    deps: Deps, tx: Transaction, forms: Sequence[SignUp], changes: Changes
) -> list[SignedUp | Reason]:
    """Signs up several, no two with the same e-mail; tells what came of each."""
    new = [_new(deps, form) for form in forms]
    added = {customer.email: customer for customer in await storage.add(tx, new)}
    outcomes = [added.get(one.email) or await _add_alone(deps, tx, one) for one in new]
    known = [(form, customer) for form, customer in zip(forms, outcomes, strict=True) if isinstance(customer, Customer)]
    seen = {customer.id: _seen(form, customer) for form, customer in known}
    await stored_identity.remember(tx, seen.values())
    for _, customer in known:
        changes.count("customers", None, customer)
    return [
        one if isinstance(one, Reason) else await _attribute(deps, tx, one, form, seen[one.id], changes)
        for form, one in zip(forms, outcomes, strict=True)
    ]


def _new(deps: Deps, form: SignUp) -> NewCustomer:
    return NewCustomer(
        email=form.email.lower(),
        name=form.name,
        username=form.username,
        external_id=form.external_id,
        country=form.country,
        accepts_marketing=form.accepts_marketing,
        referral_code=deps.ids.code(),
        created_at=deps.clock.now() if form.created_at is None else form.created_at,
    )


def _seen(form: SignUp, customer: Customer) -> Seen:
    traces = identity.traces(customer.email, form.ip_address, form.device_id)
    return Seen(customer.id, traces, customer.created_at)


async def _add_alone(deps: Deps, tx: Transaction, new: NewCustomer) -> Customer | Reason:
    """For one that could not be added: why not, unless it was for the referral code."""
    while True:
        if await storage.by_email(tx, new.email):
            return invalid("email", "The email field has already been taken.")
        if new.external_id and await storage.by_external_id(tx, new.external_id):
            return invalid("external_id", "The external id field has already been taken.")
        # The referral code was taken: one in a trillion, and the next one will do.
        for customer in await storage.add(tx, [replace(new, referral_code=deps.ids.code())]):
            return customer


async def _attribute(
    deps: Deps, tx: Transaction, customer: Customer, form: SignUp, seen: Seen, changes: Changes
) -> SignedUp:
    if not form.referral_code or not form.referral_code.strip():
        return SignedUp(customer)
    now = seen.at
    settings = await stored_settings.get(tx, SETTINGS, ReferralSettings)
    if not settings.referral_enabled:
        return SignedUp(customer, refusal="program_disabled")
    referrer = await storage.by_referral_code(tx, plain_code(form.referral_code))
    if referrer is None or referrer.id == customer.id:
        return SignedUp(customer, refusal="unknown_code")
    evidence = await _evidence(tx, customer, referrer, seen.traces)
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


async def _evidence(tx: Transaction, customer: Customer, referrer: Customer, traces: Sequence[Trace]) -> Evidence:
    ancestors = await stored_identity.ancestors(tx, referrer.id)
    found = {trace.kind: await stored_identity.seen_with(tx, trace, (referrer.id, *ancestors)) for trace in traces}
    return Evidence(
        referrer_id=referrer.id,
        ancestors=ancestors,
        same_mailbox=found.get("mailbox", ()),
        same_device=found.get("device", ()),
        same_address=found.get("address", ()),
        shares_email_domain=identity.domain_of(customer.email) == identity.domain_of(referrer.email),
    )
