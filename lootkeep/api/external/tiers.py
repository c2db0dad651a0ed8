"""Reward tiers over HTTP."""

from __future__ import annotations

from typing import Annotated

from pydantic import AfterValidator, Field, ValidationInfo

from lootkeep.api.http.fields import Currency, Name, PositiveMoney, field, refuse
from lootkeep.api.http.routes import Call, Reply, Route, many, only_message, single
from lootkeep.api.http.validation import Body, partial
from lootkeep.domain.referrals import (
    MAX_COUPON_VALIDITY_DAYS,
    MAX_DESCRIPTION_LENGTH,
    TOO_LARGE_REWARD,
    WHOLE_PERCENTAGE,
    RewardType,
    TierTerms,
)
from lootkeep.kernel.money import Hundredths
from lootkeep.services import tiers as tiers_service
from lootkeep.storage.referrals import tiers as tiers_db
from lootkeep.views import tiers as tiers_views


def at_most_whole(of_type: str, percentage: str, reason: str) -> AfterValidator:
    """Checked here if the type is sent too, so that a larger percentage is named with all other invalid fields."""

    def check(value: Hundredths, info: ValidationInfo) -> Hundredths:
        if info.data.get(of_type) == percentage and value > WHOLE_PERCENTAGE:
            raise refuse(reason)
        return value

    return AfterValidator(check)


class TierBody(Body):
    """The fields of a tier."""

    name: Annotated[Name, field("What customers see.", "Bronze")]
    description: Annotated[
        Annotated[str, Field(max_length=MAX_DESCRIPTION_LENGTH)] | None,
        field("The description of the tier.", "Five friends, ten percent."),
    ] = None
    referrals_required: Annotated[int, field("Referrals needed to unlock the tier.", 5, ge=1)]
    reward_type: Annotated[RewardType, field("The type of the reward.", "percentage_discount")]
    reward_value: Annotated[
        PositiveMoney,
        field("Percent (at most 100), or an amount in `reward_currency`.", "10.00"),
        at_most_whole("reward_type", "percentage_discount", TOO_LARGE_REWARD),
    ]
    reward_currency: Annotated[
        Currency | None, field("Currency of a fixed discount; by default the store's. Percentages have none.")
    ] = None
    coupon_validity_days: Annotated[
        int, field("How long a claimed coupon is valid.", ge=1, le=MAX_COUPON_VALIDITY_DAYS)
    ] = 30
    is_active: Annotated[bool, field("Only active tiers can be claimed.")] = True
    sort_order: Annotated[int, field("The position in the list, lowest first.")] = 0


TierChanges = partial(TierBody, "TierChanges")


async def list_tiers(call: Call[None, None]) -> Reply:
    async with call.deps.db.read() as tx:
        tiers = await tiers_db.all_tiers(tx)
    return Reply([tiers_views.tier(tier) for tier in tiers])


async def create_tier(call: Call[TierBody, None]) -> Reply:
    terms = TierTerms(**{name: getattr(call.body, name) for name in TierTerms.__struct_fields__})
    return Reply(tiers_views.tier(await tiers_service.create_tier(call.deps, terms)))


async def update_tier(call: Call[Body, None]) -> Reply:
    return Reply(tiers_views.tier(await tiers_service.change_tier(call.deps, call.id, call.body.sent())))


async def delete_tier(call: Call[None, None]) -> Reply:
    if await tiers_service.delete_tier(call.deps, call.id):
        return Reply()
    return Reply(message="Referral tier has been deactivated (has existing claims)")


async def toggle_tier(call: Call[None, None]) -> Reply:
    tier = await tiers_service.toggle_tier(call.deps, call.id)
    return Reply(tiers_views.toggled_tier(tier), message="Tier activated" if tier.is_active else "Tier deactivated")


ROUTES = (
    Route(
        "GET",
        "/referrals/tiers",
        list_tiers,
        "referrals:read",
        "List reward tiers",
        many(tiers_views.TierView),
        description="All tiers, ordered by `sort_order`, then `referrals_required`, then `id`.",
    ),
    Route(
        "POST",
        "/referrals/tiers",
        create_tier,
        "referrals:write",
        "Create a reward tier",
        single(tiers_views.TierView, "Referral tier created successfully", status=201),
        description="A tier is a reward that customers can claim when they have enough referrals.",
    ),
    Route(
        "PUT",
        "/referrals/tiers/{id}",
        update_tier,
        "referrals:write",
        "Update a reward tier",
        single(tiers_views.TierView, "Referral tier updated successfully"),
        body=TierChanges,
        description="Changes only the fields that are sent. Coupons that were already claimed keep their terms.",
    ),
    Route(
        "DELETE",
        "/referrals/tiers/{id}",
        delete_tier,
        "referrals:write",
        "Delete a reward tier",
        only_message("Referral tier deleted successfully"),
        description="A tier with claims is deactivated instead, and the message says so.",
    ),
    Route(
        "POST",
        "/referrals/tiers/{id}/toggle",
        toggle_tier,
        "referrals:write",
        "Activate or deactivate a reward tier",
        single(tiers_views.ToggledTierView, "Tier deactivated"),
        description="The message is `Tier activated` or `Tier deactivated`.",
    ),
)
