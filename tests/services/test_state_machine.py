"""Any sequence of operations: whatever customers and staff do, each maintained total equals the sum of the raw rows."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import msgspec
import pytest
from hypothesis.stateful import invariant

from lootkeep.domain.orders import STANDING
from lootkeep.storage.schema import coupons, gift_cards, orders, products, refunds
from tests.recount import maintained, outbox, recounted, rows, taken
from tests.services.machines import TIME_TO_SHRINK, on_postgresql, on_sqlite, play
from tests.services.store_ordering import Ordering
from tests.services.store_program import Program


class StoreMachine(Program, Ordering):
    """Customers, orders and rewards, and what must be true after each operation."""

    @invariant()
    def the_maintained_totals_are_what_the_rows_add_up_to(self) -> None:
        assert self.run(maintained(self.world.db)) == self.run(recounted(self.world.db))

    @invariant()
    def the_stored_orders_are_as_they_were_answered(self) -> None:
        stored = {row["id"]: row for row in self.run(rows(self.world.db, orders))}
        for order in stored.values():
            # What fraud detection looks for; it is derived from the address.
            del order["ip_network"]
        assert stored == {order_id: msgspec.structs.asdict(details.order) for order_id, details in self.sales.items()}

    @invariant()
    def the_stock_is_what_was_there_but_for_what_orders_took(self) -> None:
        names = {product.id: name for name, product in self.products.items()}
        stored = {names[row["id"]]: row["stock"] for row in self.run(rows(self.world.db, products))}
        assert stored == self.stock_left()
        reserved = self.run(taken(self.world.db, ignoring=self.history))
        for name, product in self.products.items():
            assert product.stock is None or stored[name] == product.stock - reserved[product.id]

    @invariant()
    def each_event_was_appended_exactly_once(self) -> None:
        announced = Counter((kind, data["order_id"]) for kind, data in self.run(outbox(self.world.db)))
        assert announced == self.announced
        live = [details.order for order_id, details in self.sales.items() if order_id not in self.history]
        assert {order.id for order in live if order.paid_at is not None} == {
            order_id for kind, order_id in announced if kind == "order.paid"
        }

    @invariant()
    def every_gift_card_holds_what_orders_left_on_it(self) -> None:
        """Those that were bought hold what was neither spent nor taken back, and nothing after a full refund."""
        bought: Counter[int] = Counter()
        for row in self.run(rows(self.world.db, gift_cards)):
            if row["order_id"] is None:
                assert row["balance"] == self.balances[row["id"]]
            else:
                bought[row["order_id"]] += row["balance"]
                is_refunded = self.sales[row["order_id"]].order.status == "refunded"
                assert (row["revoked_at"] is not None) == is_refunded
                assert not (is_refunded and row["balance"])
        for order_id in self.sales:
            assert bought[order_id] == self.on_bought_cards(order_id)

    @invariant()
    def nothing_is_given_away_that_was_not_there(self) -> None:
        given: Counter[int] = Counter()
        for refund in self.run(rows(self.world.db, refunds)):
            given[refund["order_id"]] += refund["amount"]
        for row in self.run(rows(self.world.db, orders)):
            assert 0 <= given[row["id"]] <= row["total"] <= row["subtotal"]
            assert (row["status"] == "refunded") == (row["total"] > 0 and given[row["id"]] == row["total"])
            assert (row["status"] in (*STANDING, "refunded")) == (row["paid_at"] is not None)

    @invariant()
    def every_coupon_that_was_handed_out_is_there_and_no_other(self) -> None:
        stored = {row["code"] for row in self.run(rows(self.world.db, coupons))}
        assert stored == {coupon.code for coupon in self.coupons}


@pytest.mark.timeout(TIME_TO_SHRINK)
def test_totals_agree_after_any_sequence_of_operations_on_sqlite(sqlite_template: Path, tmp_path: Path) -> None:
    play(StoreMachine, on_sqlite(sqlite_template, tmp_path), examples=50)


@pytest.mark.timeout(TIME_TO_SHRINK)
def test_totals_agree_after_any_sequence_of_operations_on_postgresql(postgres_url: str) -> None:
    play(StoreMachine, on_postgresql(postgres_url), examples=12)
