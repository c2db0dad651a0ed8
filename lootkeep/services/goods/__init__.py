"""What orders hand over: the steps that orders take, and the warnings of a stock."""

from lootkeep.services.goods.buyer_page import load_page, look, page_url, renew_page
from lootkeep.services.goods.commands import (
    cancel_waiting,
    check_player,
    is_taken_back,
    queue,
    report_failed,
    take_back,
)
from lootkeep.services.goods.handing import hand_over, release_waiting, revoke
from lootkeep.services.goods.owned import OrderGoods, hand_to_store, of_customer, of_order
from lootkeep.services.goods.stock import report_if_low, take_stock

__all__ = [
    "OrderGoods",
    "cancel_waiting",
    "check_player",
    "hand_over",
    "hand_to_store",
    "is_taken_back",
    "load_page",
    "look",
    "of_customer",
    "of_order",
    "page_url",
    "queue",
    "release_waiting",
    "renew_page",
    "report_failed",
    "report_if_low",
    "revoke",
    "take_back",
    "take_stock",
]
