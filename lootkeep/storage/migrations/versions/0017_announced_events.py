"""On PostgreSQL a transaction announces, before its first event gets an id, above which id its events will be."""

from alembic import op

revision = "0017"
down_revision = "0016"

POSTGRESQL_ANNOUNCEMENT = (
    "CREATE FUNCTION lootkeep_announce_events() RETURNS trigger LANGUAGE plpgsql AS "
    "$$ BEGIN IF coalesce(current_setting('lootkeep.announced', true), '') = '' THEN "
    "PERFORM pg_advisory_xact_lock_shared(cast(TG_RELID AS int), cast(last & 2147483647 AS int)) "
    "FROM (SELECT last_value - cast(NOT is_called AS int) AS last FROM events_id_seq) AS ids; "
    "PERFORM set_config('lootkeep.announced', 'yes', true); "
    "END IF; RETURN NULL; END $$",
    "CREATE TRIGGER events_announce BEFORE INSERT ON events "
    "FOR EACH STATEMENT EXECUTE FUNCTION lootkeep_announce_events()",
)


def upgrade() -> None:
    if op.get_context().dialect.name == "postgresql":
        for statement in POSTGRESQL_ANNOUNCEMENT:
            op.execute(statement)
