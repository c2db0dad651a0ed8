"""The referral program: its figures and leaderboard, the tiers in order, who brought whom, claims and rejections."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace

import msgspec

from lootkeep.console import forms, lists
from lootkeep.console.columns import AGO, BADGE, CODE, COUNT, EMAIL, NAME, Cell, Column, Table
from lootkeep.console.formats import badge, options, rate
from lootkeep.console.forms import Field
from lootkeep.console.page import Answer, Done, Page, Visit, change, url
from lootkeep.console.records import Record
from lootkeep.domain import inputs as inputs_rules, referrals as referrals_rules
from lootkeep.domain.referral_abuse import SENTENCES
from lootkeep.kernel.money import Hundredths
from lootkeep.kernel.wording import plural
from lootkeep.services import referrals as referrals_service, tiers as tiers_service
from lootkeep.storage import settings as settings_db
from lootkeep.storage.referrals import lists as referral_lists_db, tiers as tiers_db
from lootkeep.storage.totals import counters as counters_db

_RANKED = 10
_SETTINGS = (referrals_rules.SETTINGS, referrals_rules.ReferralSettings)
_MAX_COUNT = 1_000_000
_PROGRAM_LINK = (lists.Link("/referrals", "The program", ""),)
_WHY = Cell(lambda reason, _row, _visit: SENTENCES[reason], lambda reason: SENTENCES[reason], "wide")

REFERRALS = lists.ListPage(
    listing=referral_lists_db.REFERRALS,
    columns=(
        Column("Customer", "name", NAME),
        Column("E-mail", "email", EMAIL),
        Column("Brought by", "referrer_name", NAME),
        Column("Status", "status", BADGE),
        Column("First order", "first_order_at", AGO, is_extra=True),
        Column("Signed up", "referred_at", AGO, "created_at"),
    ),
    link=lambda referral: f"/customers/{referral.customer_id}",
    links=_PROGRAM_LINK,
    empty="Customers who sign up with another customer's code appear here.",
    choices=(lists.Choice("status", "Status", options(referrals_rules.ReferralStatus), is_open=True),),
    linked={"referrer_id": ("Brought by customer", inputs_rules.record_id)},
    search="Name or e-mail",
    has_dates=False,
)
CLAIMS = lists.ListPage(
    listing=referral_lists_db.CLAIMS,
    columns=(
        Column("Customer", "customer_name", NAME),
        Column("Tier", "tier_name", NAME),
        Column("Coupon", "coupon_code", CODE),
        Column("Coupon status", "coupon_status", BADGE),
        Column("Claimed", "claimed_at", AGO, "created_at"),
    ),
    link=lambda claim: f"/customers/{claim.customer_id}",
    links=_PROGRAM_LINK,
    empty="Rewards appear here as customers claim the tiers that they reached.",
    has_dates=False,
)
REFUSED = lists.ListPage(
    listing=referral_lists_db.REFUSED,
    columns=(
        Column("Customer", "customer_name", NAME),
        Column("Code of", "referrer_name", NAME),
        Column("Why", "reason", _WHY),
        Column("Refused", "created_at", AGO, "created_at"),
    ),
    link=lambda refused: f"/customers/{refused.customer_id}",
    text="The sign-up succeeded, but it does not count as a referral.",
    links=_PROGRAM_LINK,
    empty="Sign-ups with the code of someone who looks like the same person appear here. None has been refused.",
    has_dates=False,
)


def _reward(value: Hundredths, tier: referrals_rules.Tier, visit: Visit) -> str:
    is_amount = tier.reward_type == "fixed_discount"
    return f"{visit.formats.money(value, tier.reward_currency) if is_amount else rate(value)} off"


TIERS = Table(
    columns=(
        Column("Tier", "name", NAME),
        Column("Referrals", "referrals_required", COUNT),
        Column("Reward", "reward_value", Cell(_reward, css="number")),
        Column("Claims", "claims_count", COUNT),
        Column("Status", "is_active", Cell(lambda is_active, *_: badge("active" if is_active else "off"))),
    ),
    link=lambda tier: f"/referrals/tiers/{tier.id}",
    empty="A tier rewards customers who bring others: create the first one.",
)
LEADERBOARD = Table(
    columns=(
        Column("#", "rank", COUNT),
        Column("Customer", "referrer.name", NAME),
        Column("Brought", "referrer.total_referrals", COUNT),
        Column("Bought", "referrer.successful_referrals", COUNT),
    ),
    link=lambda row: f"/customers/{row.referrer.id}",
    empty="Customers who bring others will be ranked here. Each has a code on their page.",
)
_TIER_PATH = "/referrals/tiers/{id}"
TIER = Record[referrals_rules.Tier]("Tier", "/referrals", tiers_db.ROWS, referrals_rules.TierTerms.__struct_fields__)
_SWITCH = forms.yes_or_no("On", "Off")
_HOW_MUCH = "Percent, or an amount."
PROGRAM = (
    Field("referral_enabled", "Referral codes", _SWITCH),
    Field("referral_reward_event", "A referral counts when", forms.choice(options(referrals_rules.RewardEvent))),
    Field("referral_welcome_discount_enabled", "Welcome coupon for new customers", _SWITCH),
    Field("referral_welcome_discount_type", "Discount", forms.choice(options(referrals_rules.DiscountType))),
    Field("referral_welcome_discount_value", "How much", forms.amount(1), _HOW_MUCH, is_required=True),
)
_DAYS = forms.whole(1, referrals_rules.MAX_COUPON_VALIDITY_DAYS)
_POSITION = "The lowest position comes first; tiers with the same position are sorted by the referrals needed."
FORM = (
    Field("name", "Name", forms.text(), is_required=True),
    Field("description", "Description", forms.text(referrals_rules.MAX_DESCRIPTION_LENGTH, "textarea")),
    Field("referrals_required", "Referrals needed", forms.whole(1, _MAX_COUNT), is_required=True),
    Field("reward_type", "Reward", forms.choice(options(referrals_rules.RewardType))),
    Field("reward_value", "How much", forms.amount(1), _HOW_MUCH, is_required=True),
    Field("coupon_validity_days", "Days that a claimed coupon is valid", _DAYS, is_required=True, default="30"),
    Field("sort_order", "Position", forms.whole(-_MAX_COUNT, _MAX_COUNT), _POSITION, is_required=True, default="0"),
)


async def show_program(visit: Visit) -> Answer:
    async with visit.deps.db.read() as tx:
        version, settings = await settings_db.current(tx, *_SETTINGS)
        counts = await counters_db.totals(tx, "referrals.")
        # Amounts of different currencies are never added up: the figure is in the store's.
        discounts = await counters_db.total(
            tx, [f"coupon_discounts.{origin}.{visit.deps.currency}" for origin in ("tier", "welcome")]
        )
        claims = await counters_db.totals(tx, "claims.")
        refused = await counters_db.totals(tx, "refused_referrals.")
        ranked = await referral_lists_db.leaderboard(tx, settings.referral_reward_event, _RANKED)
        tiers = await tiers_db.all_tiers(tx)
    return {
        "settings": settings,
        "version": version,
        "successful": counts.get("successful", 0),
        "total": sum(counts.values()),
        "claims": claims.get("made", 0),
        "given": discounts,
        "refused": refused.get("made", 0),
        "leaderboard": LEADERBOARD,
        "ranked": [SimpleNamespace(rank=rank, referrer=referrer) for rank, referrer in enumerate(ranked, 1)],
        "tier_table": TIERS if visit.user.may("referrals:write") else replace(TIERS, link=None),
        "tiers": tiers,
        "fields": PROGRAM,
        "values": forms.written(visit, PROGRAM, settings),
    }


async def change_settings(visit: Visit) -> Answer:
    async with visit.deps.db.write() as tx:
        before = await settings_db.get_for_update(tx, *_SETTINGS, visit.now)
        version, _ = await settings_db.current(tx, *_SETTINGS)
    visit.check_unchanged("setting:referrals", version)
    after = await referrals_service.change_settings(visit.deps, forms.read(visit, PROGRAM))
    old, new = msgspec.structs.asdict(before), msgspec.structs.asdict(after)
    return Done(url("/referrals"), "The settings are saved.", "setting:referrals", old, new)


async def show_tier(visit: Visit) -> Answer:
    tier = await TIER.get(visit)
    switch, state = ("Switch off", "active") if tier.is_active else ("Switch on", "off")
    actions = [(f"{_TIER_PATH}/toggle", switch, ""), (f"{_TIER_PATH}/delete", "Delete…", "danger-text")]
    page = {"title": f"Tier {tier.name}", "text": plural(tier.claims_count, "claim"), "back": "/referrals"}
    return forms.show(visit, FORM, tier, **page, state=state, actions=actions)


async def create_tier(visit: Visit) -> Answer:
    terms = referrals_rules.TierTerms(**forms.read(visit, FORM), reward_currency=None, is_active=True)
    tier = await tiers_service.create_tier(visit.deps, terms)
    return TIER.done("The tier is created, and customers can claim it.", None, tier)


async def edit_tier(visit: Visit) -> Answer:
    before = await TIER.lock(visit)
    after = await tiers_service.change_tier(visit.deps, visit.id, forms.read(visit, FORM))
    message = "The tier is saved. Coupons that were claimed before stay as they are."
    return TIER.saved(visit, FORM, message, before, after)


async def toggle_tier(visit: Visit) -> Answer:
    before = await TIER.lock(visit)
    after = await tiers_service.toggle_tier(visit.deps, visit.id)
    message = "can be claimed again" if after.is_active else "cannot be claimed any more"
    return TIER.done(f"The tier {message}.", before, after)


async def delete_tier(visit: Visit) -> Answer:
    before = await TIER.lock(visit)
    if await tiers_service.delete_tier(visit.deps, visit.id):
        return TIER.done("The tier is deleted.", before, None)
    message = "The tier has claims, so it is switched off instead of deleted."
    return TIER.done(message, before, await TIER.get(visit))


_GONE = "Customers no longer see the tier. A tier with claims is switched off instead, and its coupons stay valid."

PAGES = (
    Page("GET", "/referrals", "referrals:read", "Referrals", show_program, "referrals.html", group="Grow"),
    change("/referrals/settings", "settings:write", "Change the referral program", change_settings),
    lists.page("/referrals/list", "referrals:read", "Who brought whom", REFERRALS),
    lists.page("/referrals/claims", "referrals:read", "Claimed rewards", CLAIMS),
    lists.page("/referrals/refused", "referrals:read", "Refused referrals", REFUSED),
    *forms.rows(
        "/referrals/tiers/new",
        "referrals:write",
        "New tier",
        forms.new(FORM, back="/referrals"),
        create_tier,
        "Create a tier",
    ),
    *forms.rows(_TIER_PATH, "referrals:write", "Tier", show_tier, edit_tier, "Change a tier"),
    change(f"{_TIER_PATH}/toggle", "referrals:write", "Switch a tier on or off", toggle_tier),
    change(f"{_TIER_PATH}/delete", "referrals:write", "Delete a tier", delete_tier, _GONE),
)
