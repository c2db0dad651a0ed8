"""The referral program: its figures and leaderboard, the tiers in order, who brought whom, claims and refusals."""

from __future__ import annotations

from typing import Any, get_args

import msgspec

from lootkeep.console import lists
from lootkeep.console.forms import Form
from lootkeep.console.labels import label
from lootkeep.console.lists import Choice, Column, ListPage
from lootkeep.console.page import Answer, Done, Handler, Page, Visit, change, lock, url
from lootkeep.domain.referral_abuse import SENTENCES
from lootkeep.domain.referrals import (
    MAX_COUPON_VALIDITY_DAYS,
    MAX_DESCRIPTION_LENGTH,
    SETTINGS,
    DiscountType,
    ReferralSettings,
    ReferralStatus,
    RewardEvent,
    RewardType,
    Tier,
    TierTerms,
)
from lootkeep.kernel import money
from lootkeep.kernel.clock import iso
from lootkeep.kernel.errors import existing
from lootkeep.services import referrals as referrals_service
from lootkeep.services import tiers as tiers_service
from lootkeep.storage import referral_lists
from lootkeep.storage import settings as settings_db
from lootkeep.storage import tiers as tiers_db
from lootkeep.storage.totals import counters

_RANKED = 10
_MAX_COUNT = 1_000_000
_SWITCH = {"yes": "On", "no": "Off"}
_EVENTS = {name: label(name) for name in get_args(RewardEvent)}
_REWARDS = {name: label(name) for name in get_args(RewardType)}
_DISCOUNTS = {name: label(name) for name in get_args(DiscountType)}

REFERRALS = ListPage(
    referral_lists.REFERRALS,
    columns=(
        Column("Customer", lambda referral: referral.name),
        Column("E-mail", lambda referral: referral.email),
        Column("Brought by", lambda referral: referral.referrer_name),
        Column("Status", lambda referral: label(referral.status)),
        Column("First order", lambda referral: iso(referral.first_order_at) if referral.first_order_at else None),
        Column("Signed up", lambda referral: iso(referral.referred_at), "created_at", is_number=True),
    ),
    empty="Customers who sign up with another customer's code appear here.",
    file="referrals",
    choices=(Choice("status", "Status", {name: label(name) for name in get_args(ReferralStatus)}, is_open=True),),
    linked={"referrer_id": ("Brought by customer", int)},
    search="Name or e-mail",
    has_dates=False,
)
CLAIMS = ListPage(
    referral_lists.CLAIMS,
    columns=(
        Column("Customer", lambda claim: claim.customer_name),
        Column("Tier", lambda claim: claim.tier_name),
        Column("Coupon", lambda claim: claim.coupon_code),
        Column("Coupon status", lambda claim: label(claim.coupon_status)),
        Column("Claimed", lambda claim: iso(claim.claimed_at), "created_at", is_number=True),
    ),
    empty="Rewards appear here as customers claim the tiers that they reached.",
    file="claims",
    has_dates=False,
)
REFUSED = ListPage(
    referral_lists.REFUSED,
    columns=(
        Column("Customer", lambda refused: refused.customer_name),
        Column("Code of", lambda refused: refused.referrer_name),
        Column("Why", lambda refused: SENTENCES[refused.reason]),
        Column("Refused", lambda refused: iso(refused.created_at), "created_at", is_number=True),
    ),
    empty="Sign-ups with the code of somebody who looks like the same person appear here. None has been refused.",
    file="refused-referrals",
    has_dates=False,
)


async def show_program(visit: Visit) -> Answer:
    async with visit.deps.db.read() as tx:
        version, settings = await settings_db.current(tx, SETTINGS, ReferralSettings)
        counts = await counters.totals(tx, "referrals.")
        # Amounts of different currencies are never added up: the figure is in the store's.
        given = await counters.total(tx, [f"coupon_discounts.{visit.deps.currency}"])
        claims = await counters.totals(tx, "claims.")
        refused = await counters.totals(tx, "refused_referrals.")
        ranked = await referral_lists.leaderboard(tx, settings.referral_reward_event, _RANKED)
        tiers = await tiers_db.all_tiers(tx)
    return {
        "settings": settings,
        "version": version,
        "welcome_value": money.text(settings.referral_welcome_discount_value),
        "successful": counts.get("successful", 0),
        "total": sum(counts.values()),
        "claims": claims.get("made", 0),
        "given": given,
        "refused": refused.get("made", 0),
        "ranked": ranked,
        "tiers": tiers,
        "switch": _SWITCH,
        "events": _EVENTS,
        "discounts": _DISCOUNTS,
    }


async def change_settings(visit: Visit) -> Answer:
    async with visit.deps.db.write() as tx:
        before = await settings_db.get_for_update(tx, SETTINGS, ReferralSettings, visit.now)
        version, _ = await settings_db.current(tx, SETTINGS, ReferralSettings)
    visit.check_unchanged("setting:referrals", version)
    form = Form(visit)
    changes: dict[str, Any] = {
        "referral_enabled": form.choice("referral_enabled", _SWITCH) == "yes",
        "referral_reward_event": form.choice("referral_reward_event", _EVENTS),
        "referral_welcome_discount_enabled": form.choice("referral_welcome_discount_enabled", _SWITCH) == "yes",
        "referral_welcome_discount_type": form.choice("referral_welcome_discount_type", _DISCOUNTS),
        "referral_welcome_discount_value": form.required_amount("referral_welcome_discount_value", 1, money.MAX_AMOUNT),
    }
    form.check()
    after = await referrals_service.change_settings(visit.deps, changes)
    old, new = msgspec.structs.asdict(before), msgspec.structs.asdict(after)
    return Done(url("/referrals"), "The settings are saved.", "setting:referrals", old, new)


async def show_tier(visit: Visit) -> Answer:
    """Empty for a new tier; else as the tier is."""
    tier = None
    if "id" in visit.request.path_params:
        async with visit.deps.db.read() as tx:
            tier = existing(await tiers_db.tier(tx, visit.id), "Tier")
    return {
        "tier": tier,
        "rewards": _REWARDS,
        "reward_value": money.text(tier.reward_value) if tier else "",
        "max_days": MAX_COUPON_VALIDITY_DAYS,
        "title": f"Tier {tier.name}" if tier else "New tier",
    }


async def create_tier(visit: Visit) -> Answer:
    terms = TierTerms(**_terms(visit), reward_currency=None, is_active=True)
    tier = await tiers_service.create_tier(visit.deps, terms)
    return _done(tier, "The tier is created, and customers can claim it.", {}, _audited(tier))


async def edit_tier(visit: Visit) -> Answer:
    before = await lock(visit, tiers_db.get_tier_for_update, "Tier")
    after = await tiers_service.change_tier(visit.deps, visit.id, _terms(visit))
    return _done(before, "The tier is saved. Coupons that were claimed before stay as they are.", *_both(before, after))


async def toggle_tier(visit: Visit) -> Answer:
    before = await lock(visit, tiers_db.get_tier_for_update, "Tier")
    after = await tiers_service.toggle_tier(visit.deps, visit.id)
    message = "can be claimed again" if after.is_active else "cannot be claimed any more"
    return _done(before, f"The tier {message}.", *_both(before, after))


async def delete_tier(visit: Visit) -> Answer:
    before = await lock(visit, tiers_db.get_tier_for_update, "Tier")
    if await tiers_service.delete_tier(visit.deps, visit.id):
        return _done(before, "The tier is deleted.", _audited(before), {})
    message = "The tier has claims, so it is switched off instead of deleted."
    return _done(before, message, {"is_active": before.is_active}, {"is_active": False})


def _terms(visit: Visit) -> dict[str, Any]:
    form = Form(visit)
    terms = {
        "name": form.required("name"),
        "description": form.text("description", MAX_DESCRIPTION_LENGTH),
        "referrals_required": form.required_whole("referrals_required", 1, _MAX_COUNT),
        "reward_type": form.choice("reward_type", _REWARDS),
        "reward_value": form.required_amount("reward_value", 1, money.MAX_AMOUNT),
        "coupon_validity_days": form.required_whole("coupon_validity_days", 1, MAX_COUPON_VALIDITY_DAYS),
        "sort_order": form.required_whole("sort_order", -_MAX_COUNT, _MAX_COUNT),
    }
    form.check()
    return terms


def _both(before: Tier, after: Tier) -> tuple[dict[str, Any], dict[str, Any]]:
    return _audited(before), _audited(after)


def _done(tier: Tier, message: str, before: dict[str, Any], after: dict[str, Any]) -> Done:
    return Done(url("/referrals"), message, f"tier:{tier.id}", before, after)


def _audited(tier: Tier) -> dict[str, Any]:
    return {name: getattr(tier, name) for name in TierTerms.__struct_fields__}


def _list(path: str, title: str, handler: Handler) -> Page:
    return Page("GET", f"/referrals/{path}", "read_only", title, handler, f"referral_{path}.html")


_PROGRAM = ("referrals.html", show_program)
_TIER = ("tier.html", show_tier)
_GONE = "Customers see the tier no more. One that has claims is switched off instead, and its coupons stay valid."

PAGES = (
    Page("GET", "/referrals", "read_only", "Referrals", show_program, "referrals.html", group="Grow"),
    change("/referrals/settings", "Change the referral program", change_settings, _PROGRAM, role="owner"),
    _list("list", "Who brought whom", lists.page_of(REFERRALS)),
    _list("claims", "Claimed rewards", lists.page_of(CLAIMS)),
    _list("refused", "Refused referrals", lists.page_of(REFUSED, sentences=SENTENCES)),
    Page("GET", "/referrals/tiers/new", "staff", "New tier", show_tier, "tier.html"),
    change("/referrals/tiers/new", "Create a tier", create_tier, _TIER),
    Page("GET", "/referrals/tiers/{id}", "staff", "Tier", show_tier, "tier.html"),
    change("/referrals/tiers/{id}", "Change a tier", edit_tier, _TIER),
    change("/referrals/tiers/{id}/toggle", "Switch a tier on or off", toggle_tier, _TIER),
    change("/referrals/tiers/{id}/delete", "Delete a tier", delete_tier, _TIER, _GONE),
)
