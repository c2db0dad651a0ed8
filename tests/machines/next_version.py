"""The code of the version after this one: the same with one more migration, which only adds."""

from __future__ import annotations

import shutil
from pathlib import Path

from lootkeep.storage import migrations
from tests.rules.tree import ROOT

NEXT_REVISION = "9999"
_MIGRATION = f'''"""What the next version needs: a column, a table, and an index."""

import sqlalchemy as sa
from alembic import op

revision = "{NEXT_REVISION}"
down_revision = "{migrations.HEAD}"


def upgrade() -> None:
    op.add_column("orders", sa.Column("channel", sa.Text(), server_default="shop", nullable=False))
    op.create_table("channels", sa.Column("name", sa.Text(), primary_key=True))
    op.create_index("orders_channel", "orders", ["channel"])
'''


def next_version(folder: Path) -> Path:
    """The folder that holds the package."""
    code = folder / "next"
    shutil.copytree(ROOT / "lootkeep", code / "lootkeep", ignore=shutil.ignore_patterns("__pycache__"))
    changed = code / "lootkeep/storage/migrations"
    (changed / f"versions/{NEXT_REVISION}_next.py").write_text(_MIGRATION)
    start = changed / "__init__.py"
    start.write_text(start.read_text().replace("HEAD = max(CHANGES)", f'HEAD = "{NEXT_REVISION}"'))
    return code
