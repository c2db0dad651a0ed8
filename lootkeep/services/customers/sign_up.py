"""Sign-up: a new customer, and the referral they may have come from."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from lootkeep.deps import Deps
from lootkeep.domain import identity as identity_rules, referral_abuse as referral_abuse_rules
from lootkeep.domain.coupons import issued, of_welcome
from lootkeep.domain.customers import Customer, plain_code
from lootkeep.domain.identity import Trace
from lootkeep.domain.referral_abuse import Evidence
from lootkeep.domain.referrals import SETTINGS, Referral, ReferralSettings
from lootkeep.domain.sign_up import SignedUp, SignUp, new_customer
from lootkeep.kernel.errors import AppError, invalid
from lootkeep.storage import coupons as coupons_db, settings as settings_db
from lootkeep.storage.customers import rows as customers_db
from lootkeep.storage.engine.database import Transaction
from lootkeep.storage.events import outbox as outbox_db
from lootkeep.storage.fraud import identity as identity_db
from lootkeep.storage.fraud.identity import SeenCustomer
from lootkeep.storage.referrals import rows as referrals_db
from lootkeep.views import customer_events as customer_events_views

_PURPOSE = "referred trace"


async def sign_up(deps: Deps, form: SignUp) -> SignedUp:
    async with deps.db.write() as tx:
        await customers_db.wait_for_names(tx, form.email, form.external_id)
        return await sign_up_in(deps, tx, form)


async def sign_up_in(deps: Deps, tx: Transaction, form: SignUp) -> SignedUp:
    """The same inside a larger transaction."""
    (signed_up,) = await sign_up_all(deps, tx, [form])
    if isinstance(signed_up, AppError):
        raise signed_up
    # An imported customer signed up long ago.
    if signed_up.is_new and form.created_at is None:
        customer = signed_up.customer
        await outbox_db.append(tx, "customer.created", customer_events_views.created(customer), customer.created_at)
    return signed_up


async def sign_up_all(deps: Deps, tx: Transaction, forms: Sequence[SignUp]) -> list[SignedUp | AppError]:
    """Creates several customers, no two with the same e-mail; returns the result of each."""
    now = deps.clock.now()
    new = [new_customer(form, deps.ids.code(), now) for form in forms]
    by_email = {customer.email: customer for customer in await customers_db.ROWS.add_free(tx, new)}
    outcomes = [by_email.get(entry.email) or await _add_alone(deps, tx, entry) for entry in new]
    created = [
        (form, customer) for form, customer in zip(forms, outcomes, strict=True) if isinstance(customer, Customer)
    ]
    seen = {customer.id: _seen(form, customer) for form, customer in created}
    await identity_db.remember(tx, seen.values())
    return [
        await _attribute(deps, tx, outcome, form, seen[outcome.id]) if isinstance(outcome, Customer) else outcome
        for form, outcome in zip(forms, outcomes, strict=True)
    ]


def taken(field: str, owner: Customer) -> AppError:
    return invalid(field, f"The {field.replace('_', ' ')} field has already been taken by customer {owner.id}.")


def _seen(form: SignUp, customer: Customer) -> SeenCustomer:
    traces = identity_rules.traces(customer.email, form.ip_address, form.device_id)
    return SeenCustomer(customer.id, traces, customer.created_at)


async def _add_alone(deps: Deps, tx: Transaction, new: Customer) -> Customer | SignedUp | AppError:
    """For a customer that could not be added: the existing one, or the reason, unless the referral code was taken."""
    while True:
        owner = await customers_db.ROWS.find_one(tx, email=new.email)
        if owner and new.external_id and owner.external_id == new.external_id:
            referrer = await customers_db.ROWS.get(tx, owner.referred_by_id) if owner.referred_by_id else None
            return SignedUp(owner, referrer=referrer, is_new=False)
        if owner:
            return taken("email", owner)
        owner = await customers_db.ROWS.find_one(tx, external_id=new.external_id) if new.external_id else None
        if owner:
            return taken("external_id", owner)
        # The referral code was taken: one in a trillion, so the next one will do.
        customer = await customers_db.ROWS.add_if_free(tx, replace(new, referral_code=deps.ids.code()))
        if customer:
            return customer


async def _attribute(deps: Deps, tx: Transaction, customer: Customer, form: SignUp, seen: SeenCustomer) -> SignedUp:
    if not form.referral_code or not form.referral_code.strip():
        return SignedUp(customer)
    now = seen.at
    settings = await settings_db.get(tx, SETTINGS, ReferralSettings)
    if not settings.referral_enabled:
        return SignedUp(customer, rejection="program_disabled")
    referrer = await customers_db.owner_of_code(tx, plain_code(form.referral_code))
    if referrer is None or referrer.id == customer.id:
        return SignedUp(customer, rejection="unknown_code")
    evidence = await _evidence(tx, customer, referrer, seen.traces)
    rejection = referral_abuse_rules.rejection(evidence)
    marks = referral_abuse_rules.marks(evidence)
    referral = Referral(customer.id, referrer.id, "pending", now, None, " ".join(marks), **_hashes(deps, seen.traces))
    if rejection is None and not await referrals_db.add(tx, referral):
        rejection = "already_referred"
    if rejection:
        await referrals_db.add_refused(tx, customer.id, referrer.id, rejection, now)
        return SignedUp(customer, referrer=referrer, rejection=rejection)
    customer = await customers_db.ROWS.save(tx, customer, replace(customer, referred_by_id=referrer.id))
    coupon = None
    # An imported customer gets none: it would have expired long ago.
    if settings.referral_welcome_discount_enabled and form.created_at is None:
        terms = of_welcome(settings, deps.currency, now)
        new = issued(terms, "welcome", f"HI-{deps.ids.code()}", now, customer_id=customer.id)
        coupon = await coupons_db.ROWS.add(tx, new)
    return SignedUp(customer, referrer=referrer, marks=tuple(marks), welcome_coupon=coupon)


def _hashes(deps: Deps, traces: Sequence[Trace]) -> dict[str, str]:
    """Not the values themselves: what was referred stays known when the customer is erased."""
    kinds = ("mailbox", "device")
    return {it.kind: deps.vault.fingerprint(it.value.encode(), _PURPOSE) for it in traces if it.kind in kinds}


async def _evidence(tx: Transaction, customer: Customer, referrer: Customer, traces: Sequence[Trace]) -> Evidence:
    ancestors = await identity_db.ancestors(tx, referrer.id)
    customers_by_trace = {
        trace.kind: await identity_db.seen_with(tx, trace, (referrer.id, *ancestors)) for trace in traces
    }
    return Evidence(
        referrer_id=referrer.id,
        ancestors=ancestors,
        same_mailbox=customers_by_trace.get("mailbox", ()),
        same_device=customers_by_trace.get("device", ()),
        same_address=customers_by_trace.get("address", ()),
        shares_email_domain=identity_rules.domain_of(customer.email) == identity_rules.domain_of(referrer.email),
    )
