"""Orders: one file for each thing that happens to an order."""

from lootkeep.services.orders._payment import count_sold
from lootkeep.services.orders.acknowledge import acknowledge
from lootkeep.services.orders.cancel import cancel
from lootkeep.services.orders.decline import decline
from lootkeep.services.orders.dispute import DisputeReport, dispute, import_dispute
from lootkeep.services.orders.evidence import evidence
from lootkeep.services.orders.expire import expire, expire_lines
from lootkeep.services.orders.fulfill import fulfill
from lootkeep.services.orders.history import import_history, import_order
from lootkeep.services.orders.pay import add_facts, pay
from lootkeep.services.orders.place import place, place_in, place_paid
from lootkeep.services.orders.refund import refund
from lootkeep.services.orders.replace_key import replace_key
from lootkeep.services.orders.review import apply_review, end_hold, lock_ring
from lootkeep.services.orders.waiting import lock_waiting, serve, serve_all

__all__ = [
    "DisputeReport",
    "acknowledge",
    "add_facts",
    "apply_review",
    "cancel",
    "count_sold",
    "decline",
    "dispute",
    "end_hold",
    "evidence",
    "expire",
    "expire_lines",
    "fulfill",
    "import_dispute",
    "import_history",
    "import_order",
    "lock_ring",
    "lock_waiting",
    "pay",
    "place",
    "place_in",
    "place_paid",
    "refund",
    "replace_key",
    "serve",
    "serve_all",
]
