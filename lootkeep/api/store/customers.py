"""Customers over the Store API: from creation to erasure, and the referral program as a customer sees it."""

from __future__ import annotations

from typing import Annotated

from pydantic import AfterValidator, Field

from lootkeep.api.http.errors import Forbidden
from lootkeep.api.http.fields import Country, EmailAddress, IpAddressText, Name, Time, field, not_blank
from lootkeep.api.http.pages import PageQuery
from lootkeep.api.http.routes import Call, Group, Reply, Route, only_message, paged, single
from lootkeep.api.http.validation import Body
from lootkeep.api.records import customers as customer_records
from lootkeep.api.records.players import IdentityText
from lootkeep.api.store import goods
from lootkeep.domain import identity as identity_rules
from lootkeep.domain.referrals import SETTINGS, ReferralSettings
from lootkeep.domain.sign_up import SignUp
from lootkeep.kernel.errors import existing, invalid
from lootkeep.services import customers as customers_service, privacy as privacy_service, tiers as tiers_service
from lootkeep.storage import settings as settings_db
from lootkeep.storage.customers import rows as customers_db
from lootkeep.storage.referrals import claims as claims_db, rows as referrals_db, tiers as tiers_db
from lootkeep.views import customer_referrals as customer_referrals_views, customers as customers_views
from lootkeep.views.customer_export import CustomerExportView

IMPORT_SCOPE = "store:import"

NameText = Annotated[str, Field(min_length=1, max_length=255), AfterValidator(not_blank)]
DeviceId = Annotated[NameText, AfterValidator(identity_rules.device)]


class SignUpBody(Body):
    """A new customer."""

    email: Annotated[EmailAddress, field("Unique in the store.", "jun@example.com")]
    name: Annotated[Name, field("The customer's name.", "Jun Park")]
    username: Annotated[NameText | None, field("The name in the game.")] = None
    external_id: Annotated[NameText | None, field("The id of the customer in the store's own system.")] = None
    referral_code: Annotated[
        Annotated[str, Field(max_length=255)] | None,
        field("The referrer's code. An unknown one does not prevent the sign-up.", "K7WQ2M9X"),
    ] = None
    country: Annotated[Country | None, field("ISO 3166-1 alpha-2.", "KR")] = None
    ip_address: Annotated[IpAddressText | None, field("The IP address they register from.")] = None
    device_id: Annotated[DeviceId | None, field("The storefront's identifier of the device.")] = None
    accepts_marketing: Annotated[bool, field("Whether the customer accepts campaigns.")] = False
    created_at: Annotated[Time | None, field("When they registered, for history; needs the scope `store:import`.")] = (
        None
    )


class FindQuery(PageQuery):
    """Which customer is looked for."""

    external_id: Annotated[str | None, field("The customer with this external id.", max_length=255)] = None
    email: Annotated[EmailAddress | None, field("The customer with this e-mail address.")] = None
    identity: Annotated[
        IdentityText | None, field("The customer who is this player, such as `steam:76561198000000000`.")
    ] = None


class ClaimBody(Body):
    """The tier to claim."""

    tier_id: Annotated[int, field("The tier.", 3, ge=1)]


async def create_customer(call: Call[SignUpBody, None]) -> Reply:
    body = call.body
    if body.created_at is not None:
        if not call.token.may(IMPORT_SCOPE):
            raise Forbidden(IMPORT_SCOPE)
        if body.created_at > call.deps.clock.now():
            raise invalid("created_at", "The created at field must not be in the future.")
    signed_up = await customers_service.sign_up(call.deps, SignUp(**body.sent()))
    return Reply(customers_views.signed_up(signed_up), is_repeated=not signed_up.is_new)


async def find_customers(call: Call[None, FindQuery]) -> Reply:
    return await customer_records.answer_page(call)


async def read_store_customer(call: Call[None, None]) -> Reply:
    return await customer_records.read(call)


async def change_store_customer(call: Call[Body, None]) -> Reply:
    return await customer_records.change(call)


async def export_customer(call: Call[None, None]) -> Reply:
    return Reply(await privacy_service.export(call.deps, call.id))


async def erase_customer(call: Call[None, None]) -> Reply:
    await privacy_service.erase(call.deps, call.id, call.token.user_id)
    return Reply()


async def get_customer_referrals(call: Call[None, None]) -> Reply:
    async with call.deps.db.read() as tx:
        customer = existing(await customers_db.ROWS.get(tx, call.id), "Customer")
        settings = await settings_db.get(tx, SETTINGS, ReferralSettings)
        answer = customer_referrals_views.progress(
            customer,
            await referrals_db.referrer(tx, call.id),
            settings.referral_reward_event,
            await tiers_db.all_tiers(tx),
            await claims_db.of_customer(tx, call.id),
        )
    return Reply(answer)


async def claim_tier(call: Call[ClaimBody, None]) -> Reply:
    claim, coupon, is_new = await tiers_service.claim(call.deps, call.id, call.body.tier_id)
    return Reply(customer_referrals_views.claim_with_coupon(claim, coupon), is_repeated=not is_new)


GROUP = Group(
    name="Store: customers",
    description="Customers reported by the store, and their referrals and rewards.",
    prefix="/api/store/v1",
    routes=(
        Route(
            "POST",
            "/customers",
            create_customer,
            "store:write",
            "Create a customer",
            single(
                customers_views.SignedUpView,
                "Customer created successfully",
                status=201,
                repeated="The customer had been created before",
            ),
            description="Returns the customer with their own referral code, and the result of the code that was sent. "
            "A known `external_id` with the same e-mail address returns that customer with 200 and changes "
            "nothing.",
        ),
        Route(
            "GET",
            "/customers",
            find_customers,
            "store:read",
            "Find customers",
            paged(customers_views.CustomerView),
            description="Finds a customer by `external_id`, `email` or `identity`. Without any, returns all "
            "customers, newest first.",
        ),
        Route(
            "GET",
            "/customers/{id}",
            read_store_customer,
            "store:read",
            "Read a customer of the store",
            single(customers_views.CustomerView),
            description="Includes totals, consent, tags and status.",
        ),
        Route(
            "PUT",
            "/customers/{id}",
            change_store_customer,
            "store:write",
            "Change a customer of the store",
            single(customers_views.ChangedCustomerView, "Customer updated successfully"),
            body=customer_records.CustomerChanges,
            description="Changes only the fields that are sent. Orders of a blocked customer are rejected with "
            "`customer_blocked`.",
            may_conflict=True,
        ),
        Route(
            "DELETE",
            "/customers/{id}",
            erase_customer,
            "store:write",
            "Erase a customer",
            only_message("Customer erased successfully"),
            description="Removes personal data everywhere; orders, totals and fraud evidence stay under a pseudonym. "
            "Active subscriptions are cancelled. Erasing again returns 200.",
            is_foreign=True,
        ),
        Route(
            "GET",
            "/customers/{id}/export",
            export_customer,
            "store:read",
            "Export a customer",
            single(CustomerExportView),
            description="Everything that is stored about a person.",
        ),
        Route(
            "GET",
            "/customers/{id}/referrals",
            get_customer_referrals,
            "store:read",
            "Read a customer's referrals",
            single(customer_referrals_views.CustomerReferralsView),
            description="The customer's code, counted referrals, tiers with progress, and claims.",
        ),
        Route(
            "POST",
            "/customers/{id}/claims",
            claim_tier,
            "store:write",
            "Claim a reward tier",
            single(
                customer_referrals_views.OwnClaimView,
                "Reward claimed successfully",
                status=201,
                repeated="The reward had been claimed before",
            ),
            description="Once per customer and tier; claiming again returns the same coupon with 200.",
        ),
        *goods.CUSTOMER_ROUTES,
    ),
)
