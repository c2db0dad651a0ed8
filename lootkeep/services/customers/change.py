"""Changes a customer: name, consent, and whether they may order."""

from __future__ import annotations

from typing import Any

from lootkeep.deps import Deps
from lootkeep.domain import customers as customers_rules, identity as identity_rules
from lootkeep.domain.customers import Customer
from lootkeep.kernel.errors import existing
from lootkeep.services.customers.sign_up import taken
from lootkeep.storage.customers import rows as customers_db
from lootkeep.storage.engine.database import Transaction
from lootkeep.storage.events import outbox as outbox_db
from lootkeep.storage.fraud import identity as identity_db
from lootkeep.storage.fraud.identity import SeenCustomer
from lootkeep.storage.tickets import rows as tickets_db
from lootkeep.views import customer_events as customer_events_views


async def change(deps: Deps, customer_id: int, changes: dict[str, Any]) -> Customer:
    """Once a customer is blocked, none of their orders is placed any more, not even one in progress."""
    async with deps.db.write() as tx:
        before = existing(
            await customers_db.get_for_update(tx, customer_id, changes.get("email"), changes.get("external_id")),
            "Customer",
        )
        now = deps.clock.now()
        after = customers_rules.changed(before, changes, now)
        if after == before:
            return before
        await _check_names(tx, after)
        await customers_db.save(tx, before, after)
        if (after.name, after.email) != (before.name, before.email):
            await tickets_db.set_customer(tx, after)
        if after.email != before.email:
            seen = SeenCustomer(after.id, identity_rules.traces(after.email, None, None), now)
            await identity_db.remember(tx, [seen])
        await outbox_db.append(tx, "customer.updated", customer_events_views.updated(before, after), now)
    return after


async def _check_names(tx: Transaction, after: Customer) -> None:
    for field in ("email", "external_id"):
        value = getattr(after, field)
        owner = await customers_db.ROWS.find_one(tx, **{field: value}) if value else None
        if owner and owner.id != after.id:
            raise taken(field, owner)
