"""The referral program over HTTP: the list, figures and rankings, codes, claims and settings."""

from __future__ import annotations

from typing import Annotated

from lootkeep.api.external import tiers
from lootkeep.api.http.fields import PositiveMoney, field
from lootkeep.api.http.pages import LimitQuery, PageQuery, answer_page
from lootkeep.api.http.routes import Call, ExtensionRoute, Group, Reply, Route, many, paged, single
from lootkeep.api.http.validation import Body, partial
from lootkeep.domain.customers import plain_code
from lootkeep.domain.referrals import (
    SETTINGS,
    TOO_LARGE_WELCOME,
    DiscountType,
    ReferralSettings,
    ReferralStatus,
    RewardEvent,
)
from lootkeep.services import referrals as referrals_service
from lootkeep.storage import settings as settings_db
from lootkeep.storage.customers import rows as customers_db
from lootkeep.storage.engine.database import Transaction
from lootkeep.storage.referrals import lists as referral_lists_db
from lootkeep.storage.totals import counters as counters_db
from lootkeep.views import referrals as referrals_views


class ReferralQuery(PageQuery):
    """Filters of the list."""

    status: Annotated[ReferralStatus | None, field("Only referrals in this state.")] = None
    search: Annotated[str | None, field("Part of a name or e-mail address, case-insensitive.", max_length=255)] = None


class CodeBody(Body):
    """A referral code as typed by a customer."""

    code: Annotated[str, field("Case and spaces do not matter.", "K7WQ2M9X", min_length=1)]


class SettingsBody(Body):
    """The settings to change."""

    referral_enabled: Annotated[bool, field("Whether codes work and sign-ups are attributed.", True)]
    referral_reward_event: Annotated[RewardEvent, field("When a referral counts.", "signup")]
    referral_welcome_discount_enabled: Annotated[
        bool, field("Whether a referred customer receives a coupon at sign-up.", True)
    ]
    referral_welcome_discount_type: Annotated[DiscountType, field("The type of the discount.", "percentage")]
    referral_welcome_discount_value: Annotated[
        PositiveMoney,
        field("Percent (at most 100), or an amount in the store's currency.", "15.00"),
        tiers.at_most_whole("referral_welcome_discount_type", "percentage", TOO_LARGE_WELCOME),
    ]


SettingsChanges = partial(SettingsBody, "ReferralSettingsChanges")


async def list_referrals(call: Call[None, ReferralQuery]) -> Reply:
    return await answer_page(call, referral_lists_db.REFERRALS, referrals_views.referral)


async def get_referral_statistics(call: Call[None, None]) -> Reply:
    async with call.deps.db.read() as tx:
        referred = await counters_db.totals(tx, "referrals.")
        claimed = await counters_db.totals(tx, "claims.")
        # Amounts of different currencies are never added up: the figure is in the store's.
        discounts = await counters_db.total(
            tx, [f"coupon_discounts.{origin}.{call.deps.currency}" for origin in ("tier", "welcome")]
        )
    return Reply(referrals_views.statistics(referred, claimed.get("made", 0), discounts))


async def list_leaderboard(call: Call[None, LimitQuery]) -> Reply:
    async with call.deps.db.read() as tx:
        event = (await _settings(tx)).referral_reward_event
        ranked = await referral_lists_db.leaderboard(tx, event, call.query.limit)
    return Reply([referrals_views.leaderboard_entry(referrer, event) for referrer in ranked])


async def list_top_referrers(call: Call[None, LimitQuery]) -> Reply:
    async with call.deps.db.read() as tx:
        ranked = await referral_lists_db.top_referrers(tx, call.query.limit)
    return Reply([referrals_views.top_referrer(referrer) for referrer in ranked])


async def validate_referral_code(call: Call[CodeBody, None]) -> Reply:
    async with call.deps.db.read() as tx:
        is_enabled = (await _settings(tx)).referral_enabled
        referrer = await customers_db.owner_of_code(tx, plain_code(call.body.code)) if is_enabled else None
    return Reply(referrals_views.code_validation(referrer))


async def list_claims(call: Call[None, PageQuery]) -> Reply:
    return await answer_page(call, referral_lists_db.CLAIMS, referrals_views.claim_entry)


async def list_refused_referrals(call: Call[None, PageQuery]) -> Reply:
    return await answer_page(call, referral_lists_db.REFUSED, referrals_views.refused_referral)


async def get_referral_settings(call: Call[None, None]) -> Reply:
    async with call.deps.db.read() as tx:
        settings = await _settings(tx)
    return Reply(referrals_views.settings(settings))


async def update_referral_settings(call: Call[Body, None]) -> Reply:
    return Reply(referrals_views.settings(await referrals_service.change_settings(call.deps, call.body.sent())))


async def _settings(tx: Transaction) -> ReferralSettings:
    return await settings_db.get(tx, SETTINGS, ReferralSettings)


GROUP = Group(
    name="Referrals",
    description="Referrals, statistics and rankings, reward tiers, claims and the settings of the program.",
    routes=(
        Route(
            "GET",
            "/referrals",
            list_referrals,
            "referrals:read",
            "List referrals",
            paged(referrals_views.ReferralView),
            description="Customers who registered with a referral code, newest first.",
        ),
        Route(
            "GET",
            "/referrals/statistics",
            get_referral_statistics,
            "referrals:read",
            "Read referral statistics",
            single(referrals_views.StatisticsView),
            description="Totals of the whole program.",
        ),
        Route(
            "GET",
            "/referrals/leaderboard",
            list_leaderboard,
            "referrals:read",
            "Rank customers by counted referrals",
            many(referrals_views.LeaderboardView),
            description="`referral_reward_event` decides what counts. Ties go to the customer who got there first.",
        ),
        Route(
            "GET",
            "/referrals/top-referrers",
            list_top_referrers,
            "referrals:read",
            "Rank customers by successful referrals",
            many(referrals_views.TopReferrerView),
            description="The customers with the most successful referrals, best first.",
        ),
        Route(
            "POST",
            "/referrals/validate",
            validate_referral_code,
            "referrals:read",
            "Check a referral code",
            single(referrals_views.CodeValidationView),
            description="An unknown code is not an error: `valid` is false and `error` is `Invalid referral code`.",
        ),
        *tiers.ROUTES,
        Route(
            "GET",
            "/referrals/settings",
            get_referral_settings,
            "referrals:read",
            "Read the program's settings",
            single(referrals_views.ReferralSettingsView),
            description="When a referral counts, and what a referred customer gets.",
        ),
        Route(
            "PUT",
            "/referrals/settings",
            update_referral_settings,
            "referrals:write",
            "Update the program's settings",
            single(referrals_views.ReferralSettingsView, "Referral settings updated successfully"),
            body=SettingsChanges,
            description="Accepts any subset of the fields. A change of `referral_reward_event` applies immediately.",
        ),
        Route(
            "GET",
            "/referrals/claims",
            list_claims,
            "referrals:read",
            "List reward claims",
            paged(referrals_views.ClaimView),
            description="Newest first.",
        ),
        ExtensionRoute(
            "GET",
            "/referrals/refused",
            list_refused_referrals,
            "referrals:read",
            "List refused referrals",
            paged(referrals_views.RefusedReferralView),
            description="Referrals that were not attributed because they looked like abuse, newest first.",
        ),
    ),
)
