"""Any sequence of operations on gift cards: each does what a small model says, and every maintained total adds up."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, invariant, rule

from lootkeep.domain.gift_cards import GiftCardTerms
from lootkeep.kernel.clock import DAY, HOUR, Instant
from lootkeep.kernel.errors import Conflict, InvalidFields, RateLimited
from lootkeep.kernel.money import Hundredths, text
from lootkeep.services import gift_cards as gift_cards_service, recount as recount_service
from lootkeep.storage.schema import gift_cards, mails
from tests.recount import maintained, recounted, rows
from tests.services.machines import TIME_TO_SHRINK, Machine, on_postgresql, on_sqlite, play

EMAIL = "jun@example.com"


class CardModel:
    """A card as it should be."""

    def __init__(self, code: str, terms: GiftCardTerms) -> None:
        self.code = code
        self.terms = terms
        self.balance: int = terms.initial_balance
        self.expires_at = terms.expires_at
        self.is_revoked = False
        self.references: dict[str, int] = {}
        self.redeemed = 0
        self.taken_back = 0
        self.sends: list[int] = []

    def status(self, now: int) -> str:
        if self.is_revoked:
            return "revoked"
        if not self.balance:
            return "redeemed"
        if self.expires_at is not None and self.expires_at <= now:
            return "expired"
        return "scheduled" if self.terms.starts_at is not None and self.terms.starts_at > now else "active"


class GiftCardMachine(Machine):
    """Cards that are made, used, prolonged, revoked and sent while time goes by."""

    cards: Bundle[int] = Bundle("cards")

    def __init__(self) -> None:
        super().__init__()
        self.models: dict[int, CardModel] = {}

    @property
    def now(self) -> Instant:
        return self.world.clock.now()

    # --- operations

    @rule(time=st.sampled_from([1, HOUR, DAY, 30 * DAY]))
    def wait(self, time: int) -> None:
        self.world.clock.advance(time)

    @rule(
        target=cards,
        balance=st.sampled_from([1, 10_00, 25_00, 10_000_00]),
        currency=st.sampled_from(["USD", "USD", "EUR"]),
        starts_in=st.sampled_from([None, None, -DAY, HOUR, DAY]),
        lasts=st.sampled_from([None, 2 * DAY, 40 * DAY]),
        email=st.sampled_from([None, EMAIL]),
    )
    def make(self, balance: int, currency: str, starts_in: int | None, lasts: int | None, email: str | None) -> int:
        terms = GiftCardTerms(
            initial_balance=Hundredths(balance),
            currency=currency,
            recipient_email=email,
            recipient_name=None,
            sender_name=None,
            message=None,
            customer_id=None,
            order_id=None,
            starts_at=None if starts_in is None else Instant(self.now + starts_in),
            expires_at=None if lasts is None else Instant(self.now + lasts),
            note=None,
        )
        card, code = self.run(gift_cards_service.create(self.deps, terms, None))
        self.models[card.id] = CardModel(code, terms)
        self._mail_first(self.models[card.id])
        return card.id

    @rule(
        card_id=cards,
        amount=st.sampled_from([1, 5_00, 10_00, 25_00]),
        reference=st.sampled_from([None, None, "a", "b"]),
    )
    def redeem(self, card_id: int, amount: int, reference: str | None) -> None:
        model = self.models[card_id]
        operation = gift_cards_service.redeem(self.deps, card_id, Hundredths(amount), None, reference)
        earlier = model.references.get(reference or "")
        if earlier is not None and earlier != amount:
            assert isinstance(self.rejection(operation), Conflict)
        elif earlier is not None:
            assert self.run(operation)[1].amount == -amount
            self._mail_first(model)
        elif (state := model.status(self.now)) in ("scheduled", "expired", "revoked"):
            assert self.rejection(operation).code == f"gift_card_{state}"
        elif amount > model.balance:
            assert isinstance(self.rejection(operation), InvalidFields)
        else:
            _, entry = self.run(operation)
            self._mail_first(model)
            model.balance -= amount
            model.redeemed += amount
            assert entry.balance_after == model.balance
            if reference:
                model.references[reference] = amount

    @rule(card_id=cards)
    def revoke(self, card_id: int) -> None:
        model = self.models[card_id]
        self.run(gift_cards_service.revoke(self.deps, card_id, "lost"))
        model.taken_back += model.balance
        model.balance = 0
        model.is_revoked = True

    @rule(card_id=cards, lasts=st.sampled_from([None, HOUR, 3 * DAY, -HOUR]))
    def prolong(self, card_id: int, lasts: int | None) -> None:
        model = self.models[card_id]
        expires_at = None if lasts is None else Instant(self.now + lasts)
        operation = gift_cards_service.change(self.deps, card_id, {"expires_at": expires_at})
        starts_at = model.terms.starts_at
        if model.is_revoked:
            assert isinstance(self.rejection(operation), Conflict)
        elif expires_at is not None and (expires_at <= self.now or (starts_at is not None and expires_at <= starts_at)):
            assert isinstance(self.rejection(operation), InvalidFields)
        else:
            self._mail_first(model)
            self.run(operation)
            model.expires_at = expires_at
            self._mail_first(model)

    @rule(card_id=cards, email=st.sampled_from([None, "mina@example.com"]))
    def send(self, card_id: int, email: str | None) -> None:
        model = self.models[card_id]
        operation = gift_cards_service.send(self.deps, card_id, email)
        if model.status(self.now) != "active":
            assert isinstance(self.rejection(operation), Conflict)
        elif email is None and model.terms.recipient_email is None:
            assert isinstance(self.rejection(operation), InvalidFields)
        else:
            with suppress(RateLimited):
                self.run(operation)
                self._mail_first(model)
                model.sends.append(self.now)

    @rule()
    def settle(self) -> None:
        self.run(gift_cards_service.settle(self.deps))
        for model in self.models.values():
            self._mail_first(model)

    def _mail_first(self, model: CardModel) -> None:
        if model.terms.recipient_email and not model.sends and model.status(self.now) == "active":
            model.sends.append(self.now)

    # --- what must be true after each of them

    @invariant()
    def the_maintained_totals_are_what_the_rows_add_up_to(self) -> None:
        assert self.run(maintained(self.world.db)) == self.run(recounted(self.world.db))
        assert not any(self.run(recount_service.check(self.deps)).values())

    @invariant()
    def every_card_holds_what_it_should(self) -> None:
        stored = {row["id"]: row for row in self.run(rows(self.world.db, gift_cards))}
        assert {card_id: row["balance"] for card_id, row in stored.items()} == {
            card_id: model.balance for card_id, model in self.models.items()
        }

    @rule(card_id=cards)
    def look_at_one(self, card_id: int) -> None:
        card = self.run(self.world.get(f"/gift-cards/{card_id}", token=self._unlimited())).json()["data"]
        model = self.models[card_id]
        assert (card["status"], card["balance"]) == (model.status(self.now), text(Hundredths(model.balance)))

    @rule()
    def look_at_the_figures(self) -> None:
        """The figures are exact at this moment, however much time has passed."""
        answer = self.run(self.world.get("/gift-cards/statistics", token=self._unlimited())).json()["data"]
        states = [model.status(self.now) for model in self.models.values()]
        assert answer["by_status"] == {state: states.count(state) for state in answer["by_status"]}
        for figures in answer["currencies"]:
            of_it = [model for model in self.models.values() if model.terms.currency == figures["currency"]]
            balances = dict.fromkeys(answer["by_status"], 0)
            for model in of_it:
                balances[model.status(self.now)] += model.balance
            sums = {
                "total_issued_value": sum(model.terms.initial_balance for model in of_it),
                "outstanding_balance": balances["active"] + balances["scheduled"],
                "total_redeemed_value": sum(model.redeemed for model in of_it),
                "expired_value": balances["expired"],
                "revoked_value": sum(model.taken_back for model in of_it),
            }
            assert {name: figures[name] for name in sums} == {
                name: text(Hundredths(value)) for name, value in sums.items()
            }
            assert sums.pop("total_issued_value") == sum(sums.values())
        for model in self.models.values():
            self._mail_first(model)

    @rule(state=st.sampled_from(["scheduled", "active", "redeemed", "expired", "revoked"]))
    def look_for_a_status(self, state: str) -> None:
        path = f"/gift-cards?status={state}&sort=id&order=asc&per_page=100"
        answer = self.run(self.world.get(path, token=self._unlimited())).json()
        expected = [card_id for card_id, model in self.models.items() if model.status(self.now) == state]
        assert [card["id"] for card in answer["data"]] == expected
        assert answer["meta"]["total"] == len(expected)
        for model in self.models.values():
            self._mail_first(model)

    @invariant()
    def nobody_was_written_to_twice_unasked(self) -> None:
        assert len(self.run(rows(self.world.db, mails))) == sum(len(model.sends) for model in self.models.values())

    def _unlimited(self) -> str:
        return self.run(self.world.new_token("gift-cards:read"))


@pytest.mark.timeout(TIME_TO_SHRINK)
def test_balances_add_up_after_any_sequence_of_card_operations_on_sqlite(sqlite_template: Path, tmp_path: Path) -> None:
    play(GiftCardMachine, on_sqlite(sqlite_template, tmp_path), examples=40)


@pytest.mark.timeout(TIME_TO_SHRINK)
def test_balances_add_up_after_any_sequence_of_card_operations_on_postgresql(postgres_url: str) -> None:
    play(GiftCardMachine, on_postgresql(postgres_url), examples=8)
