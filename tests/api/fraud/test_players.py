"""Players in fraud checks: several accounts that order for one player, and what staff see of it."""

from __future__ import annotations

from lootkeep.storage.schema import sightings
from tests.api.commanding import NOTCH
from tests.api.fraud.shop import DAY, check, judged, regular, shop
from tests.recount import rows
from tests.world import World


async def test_a_player_for_whom_another_account_ordered_counts_however_long_ago(world: World) -> None:
    await shop(world)
    first, second = await regular(world), await regular(world)
    await judged(world, first, player=NOTCH)
    world.clock.advance(400 * DAY)
    await judged(world, second, player=NOTCH | {"name": None}, ip_address="203.0.113.2")
    await judged(world, first, player={"game": "minecraft", "name": "Notch"}, ip_address="203.0.113.3")
    points = [(await check(world, number))["check"]["signals"].get("player_accounts", 0) for number in (1, 2, 3)]
    # By its id, or else by its name: of the third order nobody knows whether it is the same player.
    assert points == [0, 12, 0]
    seen = {row["value"] for row in await rows(world.db, sightings) if row["kind"] == "player"}
    assert seen == {f"minecraft:{NOTCH['id']}", "minecraft:notch"}


async def test_staff_see_what_counts_for_a_player(world: World) -> None:
    await shop(world)
    await judged(world, await regular(world), player=NOTCH)
    answer = await world.get(f"/fraud/explain?email=new@mail.example&player=minecraft:{NOTCH['id']}")
    (signal,) = [it for it in answer.json()["data"]["signals"] if it["name"] == "player_accounts"]
    assert (signal["points"], signal["fact"][:33]) == (12, "1 other account ordered for minec")
