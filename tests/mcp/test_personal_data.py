"""Personal data is masked in every answer, unless the operator permits it."""

from __future__ import annotations

import pytest

from lootkeep.storage.engine.database import Engine
from tests.mcp.agents import ARGUMENTS, CHANGES, Buyer, agent, open_shop
from tests.world import World

CANARY = Buyer(
    name="Petra Nightingale",
    username="petra_ng",
    email="petra.nightingale@canary.example",
    ip="203.0.113.77",
    browser="CanaryBrowser/7",
    player="PetraPlays",
)
CANARIES = (*CANARY[:6], "069a79f4-44e9-4726-a5be-fca90e38aaf5")
# A buyer who signs with everything, and a server that repeats whom it did not find.
SIGNED = CANARY._replace(
    words=f"I am {CANARY.name.upper()} ({CANARY.email.upper()}, {CANARY.ip}): help!",
    output=f"{CANARY.player} is not at {CANARY.ip}.",
)


async def texts(db: Engine, *, has_personal_data: bool) -> dict[str, str]:
    world = World(db, rate_limit_per_minute=0, mcp_changes=True, mcp_personal_data=has_personal_data)
    await world.begin()
    await open_shop(world, SIGNED)
    async with agent(world) as asking:
        calls = {**ARGUMENTS, **CHANGES, "why_held": {"order": 2}}
        answers = {name: await asking.ask(name, **arguments) for name, arguments in calls.items()}
    await world.close()
    assert [name for name, answer in answers.items() if answer.is_error] == []
    return {name: answer.text for name, answer in answers.items()}


async def test_no_answer_has_personal_data(db: Engine) -> None:
    answers = await texts(db, has_personal_data=False)
    leaks = [(name, canary) for name, text in answers.items() for canary in CANARIES if canary.lower() in text.lower()]
    assert leaks == []
    assert "p***@canary.example" in answers["find_orders"]


async def test_the_operator_can_permit_it(db: Engine) -> None:
    text = "\n".join((await texts(db, has_personal_data=True)).values())
    assert [canary for canary in CANARIES if canary not in text] == []


@pytest.mark.parametrize("name", ["Al", "paid", "(.*)", "a|b", "Anna\\", "***"])
async def test_a_name_masks_its_own_words_and_nothing_else(db: Engine, name: str) -> None:
    world = World(db, rate_limit_per_minute=0)
    await world.begin()
    await open_shop(world, Buyer(name=name, words=f"{name} paid, and {name} waits also"))
    async with agent(world) as asking:
        ticket = (await asking.ask("read_ticket", ticket=1)).data
        order = (await asking.ask("order_story", order=1)).data["order"]
    await world.close()
    assert (ticket["customer"]["name"], order["status"]) == ("***", "paid")
    rest = "also" if name != "paid" else "***, and *** waits also"
    assert ticket["messages"][0]["body"]["buyer_text"].endswith(rest)
