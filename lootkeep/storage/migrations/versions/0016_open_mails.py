"""Mails that are open are told by what they lack: no index of states leads to them, only that of when they are due."""

import sqlalchemy as sa
from alembic import op

revision = "0016"
down_revision = "0015"


def upgrade() -> None:
    op.drop_index("ix_mails_due", "mails")
    op.drop_index("ix_mails_finished_at", "mails")
    _create("ix_mails_due", "due_at", "finished_at IS NULL")
    _create("ix_mails_finished_at", "finished_at", "finished_at IS NOT NULL")


def _create(name: str, column: str, condition: str) -> None:
    op.create_index(name, "mails", [column], sqlite_where=sa.text(condition), postgresql_where=sa.text(condition))
