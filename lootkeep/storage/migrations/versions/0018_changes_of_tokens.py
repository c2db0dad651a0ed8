"""Processes hear of changes of tokens, and an answer under an idempotency key can be under way."""

import sqlalchemy as sa
from alembic import op

revision = "0018"
down_revision = "0017"

POSTGRESQL_TOKENS = (
    "CREATE FUNCTION lootkeep_tokens_changed() RETURNS trigger LANGUAGE plpgsql AS "
    "$$ BEGIN PERFORM pg_notify('lootkeep_tokens', ''); RETURN NULL; END $$",
    "CREATE TRIGGER tokens_changed "
    "AFTER UPDATE OF user_id, digest, scopes, rate_limit, expires_at, revoked_at OR DELETE OR TRUNCATE ON tokens "
    "FOR EACH STATEMENT EXECUTE FUNCTION lootkeep_tokens_changed()",
)


def upgrade() -> None:
    op.add_column("idempotency_keys", sa.Column("leased_until", sa.BigInteger(), nullable=True))
    if op.get_context().dialect.name == "postgresql":
        for statement in POSTGRESQL_TOKENS:
            op.execute(statement)
