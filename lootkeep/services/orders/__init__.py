"""Orders: one file for each thing that happens to an order."""

from lootkeep.services.orders.cancel import cancel
from lootkeep.services.orders.decline import decline
from lootkeep.services.orders.dispute import DisputeReport, dispute, import_dispute
from lootkeep.services.orders.fulfill import fulfill
from lootkeep.services.orders.history import import_history, import_order
from lootkeep.services.orders.pay import pay
from lootkeep.services.orders.place import place, place_in, place_paid
from lootkeep.services.orders.refund import refund
from lootkeep.services.orders.review import apply_review, end_hold, lock_ring

__all__ = [
    "DisputeReport",
    "apply_review",
    "cancel",
    "decline",
    "dispute",
    "end_hold",
    "fulfill",
    "import_dispute",
    "import_history",
    "import_order",
    "lock_ring",
    "pay",
    "place",
    "place_in",
    "place_paid",
    "refund",
]
