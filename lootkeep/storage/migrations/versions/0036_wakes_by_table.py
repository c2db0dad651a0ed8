"""On PostgreSQL a notification names the table that changed, so that only its worker looks."""

from alembic import op

revision = "0036"
down_revision = "0035"

POSTGRESQL_WAKEUP = (
    "CREATE OR REPLACE FUNCTION lootkeep_wake_workers() RETURNS trigger LANGUAGE plpgsql AS "
    "$$ BEGIN PERFORM pg_notify('lootkeep_work', TG_TABLE_NAME); RETURN NULL; END $$"
)


def upgrade() -> None:
    if op.get_context().dialect.name == "postgresql":
        op.execute(POSTGRESQL_WAKEUP)
