"""The rules of a store's referral program and of the customers who register, bring others and claim rewards."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import msgspec
from hypothesis import strategies as st
from hypothesis.stateful import initialize, multiple, rule

from lootkeep.domain.customers import Customer
from lootkeep.domain.products import PLAIN
from lootkeep.domain.referrals import SETTINGS, ReferralSettings, TierTerms
from lootkeep.domain.sign_up import SignUp
from lootkeep.kernel.clock import DAY, HOUR, Instant
from lootkeep.kernel.errors import InvalidFields, NotFound, Unprocessable
from lootkeep.kernel.money import Hundredths
from lootkeep.services import (
    customers as customers_service,
    keys as keys_service,
    products as products_service,
    referrals as referrals_service,
    tiers as tiers_service,
)
from lootkeep.storage import settings as settings_db
from lootkeep.storage.schema import referral_tiers, reward_claims
from tests.recount import recounted, rows
from tests.services.goods import CATALOGUE, KEYS
from tests.services.store_model import StoreModel, people

TIER = TierTerms(
    name="Tier",
    description=None,
    referrals_required=1,
    reward_type="percentage_discount",
    reward_value=Hundredths(12_50),
    reward_currency=None,
    coupon_validity_days=30,
    is_active=True,
    sort_order=0,
)
REWARDS: tuple[dict[str, Any], ...] = (
    {},
    {"reward_value": Hundredths(100_00)},
    {"reward_type": "fixed_discount", "reward_value": Hundredths(5_00)},
    {"reward_type": "fixed_discount", "reward_value": Hundredths(5_00), "reward_currency": "EUR"},
)

# Numbers of tiers, of which some are not there yet or not any more.
tiers = st.integers(1, 3)


class Program(StoreModel):
    """The store, its program and its customers."""

    # --- the store

    @initialize(target=people, event=st.sampled_from(["signup", "first_purchase"]))
    def open_the_store(self, event: str) -> Any:
        """A catalogue, a tier within reach, welcome coupons, and a customer who brought another, who has bought."""
        for name, fields in CATALOGUE.items():
            terms = msgspec.structs.replace(PLAIN, name=name, **fields)
            self.products[name] = self.run(products_service.create(self.deps, terms))
        stocked = self.run(keys_service.add(self.deps, self.products["key"].id, KEYS, None, None))
        self.products["key"] = msgspec.structs.replace(self.products["key"], stock=stocked.stock)
        self.run(tiers_service.create_tier(self.deps, TIER))
        changes = {"referral_reward_event": event, "referral_welcome_discount_enabled": True}
        self.run(referrals_service.change_settings(self.deps, changes))
        first = self.sign_up_as(SignUp("first@first.example", "First"))
        second = self.sign_up_as(SignUp("second@second.example", "Second", referral_code=first.referral_code))
        self.place(second.id, [("rank", 1)], None, is_paid=True)
        return multiple(first, second)

    @rule(time=st.sampled_from([HOUR, DAY, 30 * DAY]))
    def wait(self, time: int) -> None:
        self.world.clock.advance(time)

    @rule(
        changes=st.fixed_dictionaries(
            {},
            optional={
                "referral_reward_event": st.sampled_from(["signup", "first_purchase"]),
                "referral_enabled": st.sampled_from([True, True, False]),
                "referral_welcome_discount_enabled": st.sampled_from([True, True, False]),
                "referral_welcome_discount_type": st.sampled_from(["percentage", "fixed"]),
                "referral_welcome_discount_value": st.sampled_from([1, 33_33, 100_00]),
            },
        )
    )
    def change_the_program(self, changes: dict[str, Any]) -> None:
        self.run(referrals_service.change_settings(self.deps, changes))

    @rule(required=st.integers(1, 2), reward=st.sampled_from(REWARDS))
    def add_a_tier(self, required: int, reward: dict[str, Any]) -> None:
        terms = msgspec.structs.replace(TIER, referrals_required=required, **reward)
        self.run(tiers_service.create_tier(self.deps, terms))

    @rule(tier=tiers, is_toggled=st.booleans())
    def withdraw_a_tier(self, tier: int, is_toggled: bool) -> None:
        operation = tiers_service.toggle_tier if is_toggled else tiers_service.delete_tier
        with suppress(NotFound):
            self.run(operation(self.deps, tier))

    # --- customers

    @rule(target=people, ago=st.sampled_from([None, DAY]))
    def sign_up(self, ago: int | None) -> Customer:
        number = next(self.numbers)
        created_at = None if ago is None else Instant(self.world.clock.now() - ago)
        return self.sign_up_as(SignUp(f"p{number}@m{number}.example", "P", created_at=created_at))

    @rule(
        target=people,
        friend=people,
        device=st.sampled_from([None, None, "phone"]),
        is_themselves=st.sampled_from([False, False, True]),
    )
    def sign_up_with_a_code(self, friend: Customer, device: str | None, is_themselves: bool) -> Customer:
        number = next(self.numbers)
        name, _, domain = friend.email.partition("@")
        email = f"{name}+{number}@{domain}" if is_themselves else f"p{number}@m{number}.example"
        customer = self.sign_up_as(SignUp(email, "P", device_id=device, referral_code=friend.referral_code))
        assert customer.referred_by_id in (None, friend.id)
        assert not (is_themselves and customer.referred_by_id)
        return customer

    @rule(friend=people)
    def sign_up_again(self, friend: Customer) -> None:
        form = SignUp(friend.email.upper(), "P", referral_code=friend.referral_code)
        assert isinstance(self.rejection(customers_service.sign_up(self.deps, form)), InvalidFields)

    @rule(who=st.none() | people, tier=tiers)
    def claim(self, who: Customer | None, tier: int) -> None:
        """By anyone, or by the one who last brought someone."""
        customer_id = who.id if who else self.referrers[-1]
        operation = tiers_service.claim(self.deps, customer_id, tier)
        is_claimed, can_be_claimed = self.run(self._prospect(customer_id, tier))
        if not (is_claimed or can_be_claimed):
            assert isinstance(self.rejection(operation), InvalidFields | Unprocessable)
            return
        _, coupon, is_new = self.run(operation)
        assert is_new == (not is_claimed)
        assert coupon.customer_id == customer_id
        if is_new:
            self.coupons.append(coupon)

    async def _prospect(self, customer_id: int, tier_id: int) -> tuple[bool, bool]:
        """Whether the customer has claimed the tier before, and whether the rows say that they may."""
        db = self.world.db
        claims = [(row["customer_id"], row["tier_id"]) for row in await rows(db, reward_claims)]
        records = [row for row in await rows(db, referral_tiers) if row["id"] == tier_id and row["is_active"]]
        total, successful, *_ = (await recounted(db))["referrers"].get(customer_id, (0, 0))
        async with db.read() as tx:
            program = await settings_db.get(tx, SETTINGS, ReferralSettings)
        counted = total if program.referral_reward_event == "signup" else successful
        return (customer_id, tier_id) in claims, any(counted >= row["referrals_required"] for row in records)
