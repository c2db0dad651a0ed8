"""Addresses are counted by network, an IPv6 address by its /64: orders and sightings hold what they are counted by."""

import sqlalchemy as sa
from alembic import op

revision = "0019"
down_revision = "0018"

# Where a part begins, and the group of that number, in each dialect.
_POSITION = {"postgresql": "strpos", "sqlite": "instr"}
_GROUP = {
    "postgresql": "split_part({0}, ':', {1})",
    "sqlite": """json_extract('["' || replace({0}, ':', '","') || '"]', '$[' || ({1} - 1) || ']')""",
}
# How many groups an abbreviated address has, and the address with the zeros that were left out.
_WRITTEN = """(length({0}) - length(replace({0}, ':', ''))
    - CASE WHEN {0} LIKE '::%' THEN 1 ELSE 0 END - CASE WHEN {0} LIKE '%::' THEN 1 ELSE 0 END)"""
_WHOLE = """CASE WHEN {0} NOT LIKE '%::%' THEN {0} ELSE trim(
    substr({0}, 1, {position}({0}, '::') - 1) || ':' || substr('0:0:0:0:0:0:0:0', 1, 15 - 2 * {written})
    || ':' || substr({0}, {position}({0}, '::') + 2), ':') END"""

_ORDERS = """
    UPDATE orders SET ip_network = CASE WHEN ip_address LIKE '%:%' THEN {0} ELSE ip_address END
    WHERE ip_address IS NOT NULL
"""
# A customer who was seen at several addresses of a network was seen in it once.
_SIGHTINGS = """
    INSERT INTO sightings (kind, value, customer_id, first_seen_at, last_seen_at)
    SELECT 'address', {0}, customer_id, min(first_seen_at), max(last_seen_at)
    FROM sightings WHERE kind = 'address' AND value LIKE '%:%' GROUP BY 2, 3
"""
_SINGLE = "DELETE FROM sightings WHERE kind = 'address' AND value LIKE '%:%' AND value NOT LIKE '%/64'"


def upgrade() -> None:
    op.add_column("orders", sa.Column("ip_network", sa.Text(), nullable=True))
    for statement in (_ORDERS.format(_network("ip_address")), _SIGHTINGS.format(_network("value")), _SINGLE):
        op.execute(sa.text(statement.replace(":", r"\:")))
    op.drop_index("ix_orders_ip_address_created_at", "orders")
    op.create_index("ix_orders_ip_network_created_at", "orders", ["ip_network", "created_at"])


def _network(column: str) -> str:
    """The first four groups of an IPv6 address in its canonical form."""
    dialect = op.get_context().dialect.name
    whole = _WHOLE.format(column, position=_POSITION[dialect], written=_WRITTEN.format(column))
    groups = [_GROUP[dialect].format(whole, number) for number in range(1, 5)]
    return " || ':' || ".join(groups) + " || '::/64'"
