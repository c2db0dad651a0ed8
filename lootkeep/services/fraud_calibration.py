"""Measuring how likely fraud is in this store, and what its orders say about the points of signals."""

from __future__ import annotations

from msgspec.structs import replace

from lootkeep.deps import Deps
from lootkeep.domain.disputes import JUDGED_AFTER
from lootkeep.domain.fraud import calibration
from lootkeep.domain.fraud.amounts import week_of
from lootkeep.domain.fraud.calibration import BaseOdds, Calibration, PastCheck
from lootkeep.domain.fraud.comparison import facts_of
from lootkeep.domain.fraud.policy import MAX_POINTS_CHANGE, SETTINGS as POLICY, Policy
from lootkeep.domain.fraud.score import ENGINE_VERSION, judge
from lootkeep.kernel.clock import Instant
from lootkeep.services import fraud_policy
from lootkeep.storage import settings as settings_db
from lootkeep.storage.fraud import check_lists as fraud_check_lists_db, truth as fraud_truth_db

# How many checks are looked at, the newest first.
MAX_CHECKS = 100_000


async def refresh(deps: Deps) -> None:
    """Measures the base odds again, once a week."""
    now = deps.clock.now()
    async with deps.db.read(slow=True) as tx:
        before = await settings_db.get(tx, calibration.SETTINGS, BaseOdds)
        if week_of(before.measured_at) == week_of(now):
            return
        measured = calibration.base_odds(await fraud_truth_db.scores(tx, now), now)
    async with deps.db.write() as tx:
        await settings_db.get_for_update(tx, calibration.SETTINGS, BaseOdds, now)
        await settings_db.put(tx, calibration.SETTINGS, measured, now)


async def report(deps: Deps) -> Calibration:
    """Past orders judged by the settings now in force, as far as it is known what they were."""
    now = deps.clock.now()
    past: list[PastCheck] = []
    labels = 0
    async with deps.db.read(slow=True) as tx:
        policy = await settings_db.get(tx, POLICY, Policy)
        position = (Instant(now - JUDGED_AFTER + 1), 0)
        while len(past) < MAX_CHECKS and (batch := await fraud_check_lists_db.before(tx, *position, 0)):
            position = batch[-1].place
            for check in batch:
                is_fraud = calibration.truth_known(check.truth, check.action_taken)
                is_usable = is_fraud is not None and check.engine_version == ENGINE_VERSION
                if is_usable and len(past) < MAX_CHECKS:
                    past.append(PastCheck(judge(facts_of(check), policy).signals, is_fraud is True))
                    labels += check.truth is not None
    past.reverse()
    return calibration.calibrate(past, labels, now)


async def accept(deps: Deps, changes: dict[str, int]) -> Policy:
    """Adds the changes to those accepted before: a new version of the settings."""
    now = deps.clock.now()
    async with deps.db.write() as tx:
        before = await settings_db.get_for_update(tx, POLICY, Policy, now)
        points = dict(before.fraud_signal_points)
        for name, change in changes.items():
            points[name] = max(-MAX_POINTS_CHANGE, min(points.get(name, 0) + change, MAX_POINTS_CHANGE))
        after = replace(before, fraud_signal_points={name: value for name, value in points.items() if value})
        return await fraud_policy.save(tx, before, after, now)
