"""Existing mailboxes and devices are migrated to their current canonical form."""

from __future__ import annotations

import io
from pathlib import Path

from alembic.migration import MigrationContext
from alembic.operations import Operations
from alembic.script import ScriptDirectory
from sqlalchemy import insert

from lootkeep.domain.identity import device, mailbox
from lootkeep.storage import migrations
from lootkeep.storage.engine.query import Query
from lootkeep.storage.schema import sightings
from tests.builders import new_customer
from tests.recount import rows
from tests.world import World

MAILBOXES = [
    "an-na@pm.me",
    "an.na@proton.me",
    "an.na@me.com",
    "an-na@ya.ru",
    "an-na@yandex.com.tr",
    "anna-2@yahoo.com",
    "-@yahoo.com",
    "2@anna.fastmail.com",
    "2@b.anna.fastmail.com",
    "an-na@a.example",
    "anna@gmail.com",
    "anna@proton.me",
]
DEVICES = [" Phone-1 ", "phone-1", "PHONE-2"]


async def test_existing_mailboxes_and_devices_get_the_current_form(world: World) -> None:
    customer = (await new_customer(world, email="kim@a.example"))["customer"]["id"]
    traits = [("mailbox", value) for value in MAILBOXES] + [("device", value) for value in DEVICES]
    async with world.db.write() as tx:
        for at, (kind, value) in enumerate(traits):
            row = {"kind": kind, "value": value, "customer_id": customer}
            await tx.run(Query(insert(sightings).values(row | {"first_seen_at": 50 - at, "last_seen_at": 50 + at})))
    await world.db.migrate(lambda _: _script(world.db.name))
    by_trace = {(row["kind"], row["value"]): row for row in await rows(world.db, sightings)}
    assert by_trace.keys() == {("mailbox", mailbox(value)) for value in [*MAILBOXES, "kim@a.example"]} | {
        ("device", device(value)) for value in DEVICES
    }
    for key, last in ((("mailbox", "anna@proton.me"), 61), (("device", "phone-1"), 63)):
        assert (by_trace[key]["first_seen_at"], by_trace[key]["last_seen_at"]) == (100 - last, last)


def _script(dialect: str) -> str:
    """The one migration that does it, as SQL."""
    output = io.StringIO()
    context = MigrationContext.configure(dialect_name=dialect, opts={"as_sql": True, "output_buffer": output})
    directory = ScriptDirectory(str(Path(migrations.__file__).parent))
    with Operations.context(context):
        directory.get_revision("0020").module.upgrade()
    return output.getvalue()
