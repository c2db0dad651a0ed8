"""Operations of fraud detection: reviews and their effect on the order, and changes of the settings and their lists."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any, Literal

from msgspec.structs import replace

from lootkeep.deps import Deps
from lootkeep.domain.fraud.checks import FraudCheck, Review, reviewed
from lootkeep.domain.fraud.policy import MAX_ENTRIES, SETTINGS, Policy
from lootkeep.domain.fraud.review import ReviewedAs
from lootkeep.kernel.clock import Instant
from lootkeep.kernel.errors import Unprocessable, existing
from lootkeep.services import fraud_lists, fraud_policy, orders
from lootkeep.services.fraud_lists import BlockKind
from lootkeep.storage import settings as settings_db
from lootkeep.storage.engine.database import Transaction
from lootkeep.storage.fraud import checks as fraud_checks_db

ListName = Literal["fraud_whitelisted_ips", "fraud_whitelisted_emails", "fraud_custom_blocked_countries"]


async def review(
    deps: Deps,
    check_id: int,
    outcome: ReviewedAs,
    notes: str | None,
    reviewer: int,
    *,
    whitelist_ip: bool = False,
    whitelist_email: bool = False,
    block: Collection[BlockKind] = (),
) -> FraudCheck:
    """Records a review; the order is released or cancelled if it still can be."""
    if (whitelist_ip or whitelist_email) and outcome != "legitimate":
        raise Unprocessable("not_legitimate", "Only a buyer reviewed as legitimate can be whitelisted.")
    if block and outcome != "fraud":
        raise Unprocessable("not_fraud", "Only a buyer reviewed as fraud can be blocked.")
    now = deps.clock.now()
    async with deps.db.write() as tx:
        checks = await _lock(tx, check_id)
        await orders.lock_ring(tx, [checks[0].order_id], outcome)
        settled = await _decide(deps, tx, checks, Review(0, check_id, outcome, notes, reviewer, now))
        check = next(check for check in settled if check.id == check_id)
        if whitelist_ip and check.ip_address:
            await _change_list(tx, "fraud_whitelisted_ips", check.ip_address, now, is_added=True)
        if whitelist_email:
            await _change_list(tx, "fraud_whitelisted_emails", check.email, now, is_added=True)
        if block:
            await fraud_lists.block_buyers(tx, settled, block, reviewer, now)
    return check


async def review_ring(
    deps: Deps,
    check_ids: Sequence[int],
    outcome: ReviewedAs,
    notes: str | None,
    reviewer: int,
    *,
    block: Collection[BlockKind] = (),
) -> list[FraudCheck]:
    """One decision for several checks, all of them or none; with `fraud` the buyers can be blocked."""
    if block and outcome != "fraud":
        raise Unprocessable("not_fraud", "Only buyers reviewed as fraud can be blocked.")
    now = deps.clock.now()
    decided = []
    async with deps.db.write() as tx:
        # Two judgements of one order are one decision.
        ring = {checks[0].order_id: checks for checks in [await _lock(tx, id_) for id_ in sorted(set(check_ids))]}
        await orders.lock_ring(tx, ring, outcome)
        for checks in ring.values():
            decided += await _decide(deps, tx, checks, Review(0, checks[-1].id, outcome, notes, reviewer, now))
        if block:
            await fraud_lists.block_buyers(tx, decided, block, reviewer, now)
    return [check for check in decided if check.id in check_ids]


async def _lock(tx: Transaction, check_id: int) -> list[FraudCheck]:
    """The check and the other judgements of its order: a review of one settles all."""
    checks = await fraud_checks_db.lock_with_others(tx, check_id)
    existing(checks or None, "Fraud check")
    return checks


async def _decide(deps: Deps, tx: Transaction, checks: Sequence[FraudCheck], review: Review) -> list[FraudCheck]:
    """Records the review, and takes its effect. All reviews are stored."""
    await fraud_checks_db.REVIEWS.add(tx, review)
    after = [await fraud_checks_db.ROWS.save(tx, check, reviewed(check, review)) for check in checks]
    return await orders.apply_review(deps, tx, after, review.outcome, review.created_at)


async def change_settings(deps: Deps, changes: dict[str, Any]) -> Policy:
    now = deps.clock.now()
    async with deps.db.write() as tx:
        before = await settings_db.get_for_update(tx, SETTINGS, Policy, now)
        return await fraud_policy.save(tx, before, replace(before, **changes), now)


async def change_list(deps: Deps, name: ListName, entry: str, *, is_added: bool) -> list[str]:
    """The list afterwards; adding an existing entry or removing a missing one changes nothing."""
    now = deps.clock.now()
    async with deps.db.write() as tx:
        return await _change_list(tx, name, entry, now, is_added=is_added)


async def _change_list(tx: Transaction, name: ListName, entry: str, now: Instant, *, is_added: bool) -> list[str]:
    before = await settings_db.get_for_update(tx, SETTINGS, Policy, now)
    entries: frozenset[str] = getattr(before, name)
    changed = entries | {entry} if is_added else entries - {entry}
    if len(changed) > MAX_ENTRIES:
        raise Unprocessable("list_full", f"The list already has {MAX_ENTRIES} entries, the maximum.")
    await fraud_policy.save(tx, before, replace(before, **{name: changed}), now)
    return sorted(changed)
