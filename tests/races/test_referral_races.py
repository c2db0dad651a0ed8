"""Sign-ups, payments, disputes and refunds at once: a mailbox is referred once, and every referral is right."""

from __future__ import annotations

from lootkeep.kernel.clock import DAY
from tests.builders import STORE, new_customer, new_order, new_product, paid_order, referred
from tests.races.racing import AT_ONCE, ORDERS, ROUNDS, Call, assert_all_totals_agree, race, statuses
from tests.world import World


async def test_one_mailbox_on_many_accounts_is_referred_once(world: World) -> None:
    await world.put("/referrals/settings", {"referral_welcome_discount_enabled": True})
    referrers = [(await new_customer(world))["customer"] for _ in range(2)]
    for number in range(1, ROUNDS + 1):
        forms = [
            {
                "email": f"x{number}+{index}@gmail.com" if index % 2 else f"y{number}.{index}@j.example",
                "device_id": f"device-{number}" if index % 3 else None,
                "name": "X",
                "referral_code": referrers[index % 2]["referral_code"],
            }
            for index in range(AT_ONCE)
        ]
        answers = await race(world, [(f"{STORE}/customers", form) for form in forms])
        data = [answer.json()["data"] for answer in answers]
        by_trace = [
            [it["referral"]["attributed"] for it, form in zip(data, forms, strict=True) if is_one_trace(form)]
            for is_one_trace in (lambda form: "gmail" in form["email"], lambda form: form["device_id"])
        ]
        assert max(map(sum, by_trace)) == 1
        assert [bool(it["welcome_coupon"]) for it in data] == [it["referral"]["attributed"] for it in data]
        await assert_all_totals_agree(world)


async def test_disputes_refunds_and_payments_at_once_leave_every_referral_right(world: World) -> None:
    friend = (await new_customer(world))["customer"]
    await new_product(world)
    for _ in range(ROUNDS):
        calls: list[Call] = []
        for _ in range(4):
            customer = await referred(world, friend["referral_code"])
            (first, second) = [(await paid_order(world, customer["id"], (1, 1)))["id"] for _ in range(2)]
            waiting = (await new_order(world, customer["id"], (1, 1)))["id"]
            fraud = {"kind": "dispute", "reason": "fraudulent"}
            calls += [(f"{ORDERS}/{first}/dispute", fraud), (f"{ORDERS}/{first}/refund", {"reason_code": "fraud"})]
            calls += [(f"{ORDERS}/{second}/refund", {}), (f"{ORDERS}/{second}/dispute", fraud)]
            calls += [(f"{ORDERS}/{waiting}/pay", {}), (f"/fraud/checks/{first}/review", {"outcome": "legitimate"})]
        answers = await race(world, calls)
        assert set(statuses(answers)) == {200, 201}
        await assert_all_totals_agree(world)
        world.clock.advance(DAY)
