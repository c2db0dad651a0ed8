"""Commands whose cause is gone: after a refund, a delivery by hand, or the end of a subscription."""

from __future__ import annotations

import pytest

from lootkeep.kernel.clock import DAY
from tests.api.commanding import GIVE, NOTCH, bought, order_status, rank, statuses, survival
from tests.api.posts import MONTHLY
from tests.builders import STORE, new_product
from tests.world import World

TAKE = GIVE | {"on": "refunded", "text": "lp user {player_name} parent remove vip"}


async def test_a_refund_cancels_what_waits_and_undoes_nothing(world: World) -> None:
    server = await survival(world, GIVE, TAKE)
    await bought(world)
    await world.post(f"{STORE}/orders/1/refund", {})
    assert await statuses(world) == [("paid", "cancelled")]
    assert await server.take() == []


async def test_a_refund_undoes_what_ran(world: World) -> None:
    server = await survival(world, GIVE, TAKE)
    await bought(world)
    await server.take()
    await world.post(f"{STORE}/orders/1/refund", {"amount": "1.00"})
    assert await statuses(world) == [("paid", "leased")]
    await world.post(f"{STORE}/orders/1/refund", {})
    assert await server.texts() == ["lp user Notch parent remove vip"]
    # A result that comes after the refund is recorded, and delivers nothing.
    await server.report({"id": 1, "ok": True})
    assert await order_status(world) == "refunded"


@pytest.mark.parametrize("result", [{"ok": False, "output": "The server restarts."}, None], ids=["fails", "is lost"])
async def test_what_a_server_had_when_it_was_refunded_is_not_handed_out_again(
    world: World, result: dict[str, object] | None
) -> None:
    server = await survival(world, GIVE, TAKE)
    await bought(world)
    await server.take()
    await world.post(f"{STORE}/orders/1/refund", {})
    if result:
        await server.report({"id": 1, **result})
    assert await server.texts() == ["lp user Notch parent remove vip"]
    await server.report({"id": 2, "ok": True})
    world.clock.advance(DAY)
    assert await server.take() == []


async def test_a_refund_undoes_nothing_that_failed_each_time(world: World) -> None:
    server = await survival(world, GIVE, TAKE)
    await bought(world)
    await server.take()
    await server.report({"id": 1, "ok": False})
    await world.post(f"{STORE}/orders/1/refund", {})
    assert await statuses(world) == [("paid", "cancelled")]


async def test_what_a_server_had_when_staff_delivered_it_is_not_handed_out_again(world: World) -> None:
    server = await survival(world, GIVE, TAKE)
    await bought(world)
    await server.take()
    await world.post("/orders/1/fulfill", {"note": "given in the game"})
    world.clock.advance(DAY)
    assert await server.take() == []
    # It may have run all the same.
    await world.post(f"{STORE}/orders/1/refund", {})
    assert await server.texts() == ["lp user Notch parent remove vip"]


async def test_a_refund_undoes_only_the_lines_of_which_something_ran(world: World) -> None:
    server = await survival(world, GIVE, TAKE)
    coins = await rank(world, GIVE | {"text": "give coins", "delay_minutes": 60}, TAKE | {"text": "take coins"})
    await bought(world, items=[{"product_id": product, "quantity": 1} for product in (1, coins)])
    await server.run_all()
    await world.post(f"{STORE}/orders/1/refund", {})
    assert await server.texts() == ["lp user Notch parent remove vip"]


async def test_what_is_sent_again_still_goes_out_when_staff_deliver_another_line(world: World) -> None:
    server = await survival(world)
    by_hand = (await new_product(world))["id"]
    await bought(world, items=[{"product_id": product, "quantity": 1} for product in (1, by_hand)])
    await server.run_all()
    await world.post("/commands/1/resend")
    await world.post("/orders/1/fulfill", {})
    assert await server.texts() == ["lp user Notch parent add vip"]


@pytest.mark.parametrize("stopped_by", ["a review", "the bank"])
async def test_what_waits_is_not_handed_out_once_the_order_was_fraud_or_its_dispute_is_lost(
    world: World, stopped_by: str
) -> None:
    server = await survival(world)
    await bought(world)
    if stopped_by == "a review":
        await world.post("/fraud/checks/1/review", {"outcome": "fraud"})
    else:
        await world.post(f"{STORE}/orders/1/dispute", {"kind": "dispute_lost", "reason": "other"})
    assert (await server.take(), await statuses(world)) == ([], [("paid", "cancelled")])


async def test_a_dispute_runs_its_commands_once(world: World) -> None:
    await survival(world, GIVE, GIVE | {"on": "disputed", "text": "ban {player_name}"})
    await bought(world)
    for kind, external_id in (("early_warning", "w"), ("dispute", "a"), ("dispute", "b")):
        body = {"kind": kind, "reason": "fraudulent", "external_id": external_id}
        await world.post(f"{STORE}/orders/1/dispute", body)
    assert await statuses(world) == [("paid", "waiting"), ("disputed", "waiting")]


async def test_fulfilling_by_hand_cancels_what_waits(world: World) -> None:
    await survival(world)
    await bought(world)
    await world.post("/orders/1/fulfill", {"note": "given in the game"})
    assert await statuses(world) == [("paid", "cancelled")]
    assert await order_status(world) == "completed"


async def test_what_a_cancelled_subscription_would_still_give_is_not_handed_out_after_its_end(world: World) -> None:
    server = await survival(world, GIVE, TAKE | {"on": "expired"}, **MONTHLY)
    await world.post(f"{STORE}/subscriptions", {"customer_id": 1, "product_id": 1, "player": NOTCH})
    await server.take()
    await server.report({"id": 1, "ok": False, "output": "The server restarts."})
    await world.post(f"{STORE}/subscriptions/1/cancel", {"at_period_end": False})
    assert await server.texts() == ["lp user Notch parent remove vip"]
    await server.report({"id": 2, "ok": True})
    world.clock.advance(DAY)
    assert await server.take() == []


async def test_what_an_earlier_period_would_still_give_is_not_handed_out_after_the_end_either(world: World) -> None:
    joins = GIVE | {"needs_player_online": True}
    server = await survival(world, joins, TAKE | {"on": "expired"}, **MONTHLY)
    await world.post(f"{STORE}/subscriptions", {"customer_id": 1, "product_id": 1, "player": NOTCH})
    world.clock.advance(31 * DAY)
    await world.post(f"{STORE}/subscriptions/1/renew")
    await world.post(f"{STORE}/subscriptions/1/cancel", {"at_period_end": False})
    assert await server.texts("?online=") == ["lp user Notch parent remove vip"]
    assert await server.take() == []


@pytest.mark.parametrize(
    ("others", "refunded"),
    [([], []), ([GIVE | {"on": "renewed"}, TAKE], ["lp user Notch parent remove vip"])],
    ids=["a renewal that gives nothing", "a renewal that gives it again"],
)
async def test_a_subscription_whose_renewal_is_refunded_ends_once(
    world: World, others: list[dict[str, object]], refunded: list[str]
) -> None:
    server = await survival(world, GIVE, TAKE | {"on": "expired"}, *others, **MONTHLY)
    await world.post(f"{STORE}/subscriptions", {"customer_id": 1, "product_id": 1, "player": NOTCH})
    world.clock.advance(31 * DAY)
    await world.post(f"{STORE}/subscriptions/1/renew")
    await server.run_all()
    await world.post(f"{STORE}/orders/2/refund", {})
    assert await server.texts() == refunded
    await world.post(f"{STORE}/subscriptions/1/cancel", {"at_period_end": False})
    taken = [*refunded, *await server.texts()]
    assert taken == ["lp user Notch parent remove vip"]
